import { useState } from 'react';
import { Plus, Search, Trash2, Wallet } from 'lucide-react';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { AnchorButton, Button, LinkButton } from '#web/ui/button/Button.tsx';
import { Row } from '#web/ui/panel/Panel.tsx';

const variants = ['solid', 'subtle', 'outline', 'link'] as const;
const tones = ['primary', 'neutral', 'danger'] as const;
const sizes = ['sm', 'md', 'lg', 'xl'] as const;
const words = { primary: 'Simpan', neutral: 'Batal', danger: 'Hapus' };

const Looks = () => (
  <>
    {variants.map((variant) => (
      <Show key={variant} title={`Variant ${variant}`}>
        <Row>
          {tones.map((tone) => (
            <Button key={tone} variant={variant} tone={tone}>
              {words[tone]}
            </Button>
          ))}
        </Row>
      </Show>
    ))}
    <Show title="Sizes">
      <Row>
        {sizes.map((size) => (
          <Button key={size} size={size}>
            Kirim {size}
          </Button>
        ))}
      </Row>
    </Show>
    <Show title="With an icon">
      <Row>
        <Button icon={<Plus size={18} />}>Tambah token</Button>
        <Button icon={<Wallet size={18} />}>Isi saldo</Button>
        <Button variant="outline" square aria-label="Cari">
          <Search size={18} />
        </Button>
        <Button variant="link" square aria-label="Hapus token Kasir">
          <Trash2 size={18} />
        </Button>
      </Row>
    </Show>
    <Show title="Disabled">
      <Row>
        <Button disabled>Bayar tagihan</Button>
        <Button disabled variant="outline">
          Batalkan
        </Button>
      </Row>
    </Show>
    <Show title="As wide as its place">
      <Button block size="lg">
        Masuk
      </Button>
    </Show>
  </>
);

function Working() {
  const [clicks, setClicks] = useState(0);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState(0);
  return (
    <>
      <Show title="Busy">
        <Row>
          <Button
            busy={busy}
            onClick={() => {
              setClicks(clicks + 1);
              setBusy(true);
            }}
          >
            Kirim pesan
          </Button>
          <Button variant="outline" onClick={() => setBusy(false)}>
            It was sent
          </Button>
        </Row>
        <Emitted of="Clicks">{clicks}</Emitted>
      </Show>
      <Show title="In a form">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            setSent(sent + 1);
          }}
        >
          <Row>
            <Button variant="outline">Pratinjau</Button>
            <Button type="submit">Ajukan</Button>
          </Row>
        </form>
        <Emitted of="Submissions">{sent}</Emitted>
      </Show>
    </>
  );
}

const Demo = () => (
  <>
    <Looks />
    <Working />
    <Show title="A link that looks like a button">
      <Row>
        <LinkButton to="/saldo" variant="subtle">
          Lihat saldo
        </LinkButton>
        <AnchorButton href="/favicon.svg" download variant="outline">
          Unduh lambang
        </AnchorButton>
      </Row>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'button',
  title: 'Button',
  about:
    'Something to press. Solid for the one main action of a place, subtle and outline for the others, link inside text. What leads elsewhere is a real link: LinkButton for our own screens, AnchorButton for files and other sites.',
  props: [
    {
      name: 'variant',
      type: "'solid' | 'subtle' | 'outline' | 'link'",
      default: "'solid'",
      about: 'How loud it is.',
    },
    {
      name: 'tone',
      type: "'primary' | 'neutral' | 'danger'",
      default: "'primary'",
      about: 'What it is about; danger is for irreversible actions.',
    },
    {
      name: 'size',
      type: "'sm' | 'md' | 'lg' | 'xl'",
      default: "'md'",
      about: '32, 40, 44 and 52 px; 40, 44, 48 and 52 px under a finger.',
    },
    { name: 'icon', type: 'ReactNode', about: 'Stands before the words.' },
    { name: 'block', type: 'boolean', default: 'false', about: 'As wide as its place.' },
    {
      name: 'square',
      type: 'boolean',
      default: 'false',
      about: 'The icon alone; give it an aria-label.',
    },
    {
      name: 'busy',
      type: 'boolean',
      default: 'false',
      about: 'At work: keeps its width and the focus, says “Memuat…”, ignores clicks.',
    },
    {
      name: 'type',
      type: "'button' | 'submit' | 'reset'",
      default: "'button'",
      about: 'Submits only when it says so.',
    },
  ],
  Demo,
};
