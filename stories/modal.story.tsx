import { useState } from 'react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Drawer, Modal } from '#web/ui/overlay/Modal.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';
import { TextField } from '#web/ui/text/TextField.tsx';

const sizes = ['sm', 'md', 'lg', 'xl'] as const;

function Sizes({ onClosed }: { onClosed: (what: string) => void }) {
  const [size, setSize] = useState<(typeof sizes)[number]>();
  const close = () => {
    onClosed(`size ${size}`);
    setSize(undefined);
  };
  return (
    <>
      <Row>
        {sizes.map((one) => (
          <Button key={one} variant="outline" onClick={() => setSize(one)}>
            Open {one}
          </Button>
        ))}
      </Row>
      <Modal
        open={size !== undefined}
        onClose={close}
        title={`Ubah nama token (${size})`}
        {...(size ? { size } : {})}
        footer={<Button onClick={close}>Simpan</Button>}
      >
        <TextField label="Nama token" defaultValue="Kasir Malioboro" />
      </Modal>
    </>
  );
}

function Nested() {
  const [outer, setOuter] = useState(false);
  const [inner, setInner] = useState(false);
  return (
    <>
      <Button onClick={() => setOuter(true)}>Open the outer dialog</Button>
      <Modal open={outer} onClose={() => setOuter(false)} title="Dialog luar">
        <Button onClick={() => setInner(true)}>Open the inner dialog</Button>
        <Modal open={inner} onClose={() => setInner(false)} title="Dialog dalam" size="sm">
          <p>Dialog luar tetap terbuka di belakang.</p>
        </Modal>
      </Modal>
    </>
  );
}

const paragraphs = Array.from({ length: 24 }, (_, index) => index + 1);

function Demo() {
  const [closed, setClosed] = useState('nothing yet');
  const [shape, setShape] = useState<'long' | 'sheet' | 'drawer' | 'start'>();
  const close = () => {
    setClosed(`shape ${shape}`);
    setShape(undefined);
  };
  return (
    <>
      <Show title="Four sizes">
        <Sizes onClosed={setClosed} />
        <Emitted of="Closed dialog">{closed}</Emitted>
      </Show>
      <Show title="Shapes">
        <Row>
          <Button onClick={() => setShape('long')}>Open a long text</Button>
          <Button onClick={() => setShape('start')}>Open with a chosen start</Button>
          <Button onClick={() => setShape('sheet')}>Open a sheet</Button>
          <Button onClick={() => setShape('drawer')}>Open a drawer</Button>
        </Row>
        <Modal
          open={shape === 'long'}
          onClose={close}
          title="Syarat layanan"
          footer={<Button onClick={close}>Saya mengerti</Button>}
        >
          {paragraphs.map((one) => (
            <p key={one}>{one}. Kirim hanya kepada orang yang sudah setuju menerima pesan Anda.</p>
          ))}
          <p className="sr-only">Akhir syarat layanan.</p>
        </Modal>
        <Modal open={shape === 'start'} onClose={close} title="Cari pesan">
          <TextField label="Dari" />
          <TextField label="Kepada" ref={(field) => field?.setAttribute('autofocus', '')} />
        </Modal>
        <Modal open={shape === 'sheet'} onClose={close} title="Bagikan tautan" shape="sheet">
          <Button block variant="outline" onClick={close}>
            Salin tautan pindai
          </Button>
        </Modal>
        <Drawer open={shape === 'drawer'} onClose={close} title="Rincian pesan">
          <p>Kepada +62 812-3456-7890</p>
        </Drawer>
      </Show>
      <Show title="One over the other">
        <Nested />
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'modal',
  title: 'Modal and Drawer',
  about:
    "The browser's own dialog: what is behind is inert and held still. Closes on Escape, the button and a press on the backdrop; the focus goes back to what opened it.",
  props: [
    { name: 'open', type: 'boolean', about: 'Whether it is there.' },
    { name: 'onClose', type: '() => void', about: 'Asked to close.' },
    { name: 'title', type: 'ReactNode', about: "Its h2, and the dialog's name." },
    {
      name: 'size',
      type: "'sm' | 'md' | 'lg' | 'xl'",
      default: "'md'",
      about: '360, 560, 760 and 1000 px at most.',
    },
    { name: 'tools', type: 'ReactNode', about: 'Beside the button that closes it.' },
    { name: 'footer', type: 'ReactNode', about: 'Stays at the foot while the content scrolls.' },
    {
      name: 'shape',
      type: "'modal' | 'sheet' | 'drawer'",
      default: "'modal'",
      about:
        'Below 480 px a modal fills the screen and a sheet comes from below; a drawer comes from the right.',
    },
    {
      name: 'role',
      type: "'dialog' | 'alertdialog'",
      default: "'dialog'",
      about: 'An alertdialog is described by its content.',
    },
  ],
  Demo,
};
