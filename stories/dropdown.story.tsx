import { Copy, EllipsisVertical, Pencil, RotateCcwKey, Trash2 } from 'lucide-react';
import { useState } from 'react';
import styles from '#stories/gallery/overlays.module.css';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import {
  Dropdown,
  MenuButton,
  MenuGroup,
  MenuLink,
  MenuSeparator,
  type DropdownTrigger,
} from '#web/ui/menu/Dropdown.tsx';
import { Modal } from '#web/ui/overlay/Modal.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';

type ChoiceProps = { onChoose: (what: string) => void };

const rowButton = (props: DropdownTrigger) => (
  <Button {...props} variant="link" square aria-label="Tindakan untuk Kasir Malioboro">
    <EllipsisVertical size={18} />
  </Button>
);

const Few = ({ onChoose }: ChoiceProps) => (
  <>
    <MenuButton onClick={() => onChoose('Terima')}>Terima</MenuButton>
    <MenuButton onClick={() => onChoose('Tolak')}>Tolak</MenuButton>
  </>
);

const Kinds = ({ onChoose }: ChoiceProps) => (
  <Row>
    <Dropdown
      label="Tindakan token"
      trigger={(props) => (
        <Button {...props} variant="outline">
          Tindakan token ini
        </Button>
      )}
    >
      <MenuGroup label="Kunci">
        <MenuButton icon={<Copy size={18} />} onClick={() => onChoose('Salin kunci')}>
          Salin kunci
        </MenuButton>
        <MenuButton icon={<RotateCcwKey size={18} />} onClick={() => onChoose('Ganti')}>
          Ganti kunci
        </MenuButton>
      </MenuGroup>
      <MenuSeparator />
      <MenuButton disabled onClick={() => onChoose('Putuskan ponsel')}>
        Putuskan ponsel
      </MenuButton>
      <MenuButton icon={<Pencil size={18} />} onClick={() => onChoose('Ubah nama')}>
        Ubah nama
      </MenuButton>
      <MenuLink href="/__galeri/tabs">Buka riwayat</MenuLink>
      <MenuSeparator />
      <MenuButton icon={<Trash2 size={18} />} tone="danger" onClick={() => onChoose('Hapus token')}>
        Hapus token
      </MenuButton>
    </Dropdown>
    <Button variant="subtle">Tombol sesudahnya</Button>
  </Row>
);

function AtTheEnd({ onChoose }: ChoiceProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <div className={styles['end']}>
        <Dropdown label="Tindakan untuk Kasir Malioboro" align="end" trigger={rowButton}>
          <MenuButton onClick={() => onChoose('Buka')}>Buka rincian token ini</MenuButton>
          <MenuButton onClick={() => setOpen(true)}>Buka dialog</MenuButton>
        </Dropdown>
      </div>
      <Modal open={open} onClose={() => setOpen(false)} title="Dari sebuah menu" size="sm">
        <Dropdown
          label="Menu di dalam dialog"
          trigger={(props) => <Button {...props}>Menu di dalam dialog</Button>}
        >
          <Few onChoose={onChoose} />
        </Dropdown>
      </Modal>
    </>
  );
}

function Demo() {
  const [chosen, setChosen] = useState('nothing yet');
  return (
    <>
      <Show title="Every kind of entry">
        <Kinds onChoose={setChosen} />
        <Emitted of="Chosen entry">{chosen}</Emitted>
      </Show>
      <Show title="At the end of a row">
        <AtTheEnd onChoose={setChosen} />
      </Show>
      <Show title="A wide button, in a box that scrolls">
        <div className={styles['scroller']} tabIndex={0} role="group" aria-label="Kotak gulir">
          <div className={styles['tall']}>
            <Dropdown
              label="Pilihan yang digulir"
              trigger={(props) => <Button {...props}>Tombol yang lebih lebar dari menunya</Button>}
            >
              <Few onChoose={setChosen} />
            </Dropdown>
          </div>
        </div>
      </Show>
    </>
  );
}

export const piece: Piece = {
  id: 'dropdown',
  title: 'Dropdown',
  about:
    'A button with a menu of things to do. Opens on click, Enter, Space and arrows; closes on Escape, Tab, a press outside and when it is scrolled out of sight.',
  props: [
    { name: 'label', type: 'string', about: "The menu's name, for screen readers." },
    {
      name: 'trigger',
      type: '(props: DropdownTrigger) => ReactNode',
      about: 'The button; it is given what ties it to the menu.',
    },
    {
      name: 'align',
      type: "'start' | 'end'",
      default: "'start'",
      about: 'Which edges are in line.',
    },
    {
      name: 'children',
      type: 'ReactNode',
      about: 'MenuButton, MenuLink, MenuGroup and MenuSeparator.',
    },
    { name: 'MenuButton.onClick', type: '() => void', about: 'Done when it is chosen.' },
    {
      name: 'MenuButton.disabled',
      type: 'boolean',
      default: 'false',
      about: 'Skipped by keys, deaf to pointers.',
    },
    { name: 'MenuButton.tone', type: "'danger'", about: 'For what cannot be undone.' },
    { name: 'MenuButton.icon', type: 'ReactNode', about: 'Before the words.' },
    { name: 'MenuLink.to', type: 'route', about: 'As the router has it.' },
    { name: 'MenuGroup.label', type: 'string', about: 'A word over entries that belong together.' },
  ],
  Demo,
};
