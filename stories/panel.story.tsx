import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Button } from '#web/ui/button/Button.tsx';
import { Facts, Panel, Row, Stack } from '#web/ui/panel/Panel.tsx';

const facts = [
  { term: 'Nomor', is: '+62 812-3456-7890' },
  { term: 'Kanal', is: 'Simulator' },
  { term: 'Batas harian', is: '1.000 pesan' },
];
const tools = (
  <Button size="sm" variant="outline">
    Ubah
  </Button>
);

const Demo = () => (
  <>
    <Show title="A part of a page">
      <Panel title="Rincian token" tools={tools}>
        <Facts facts={facts} />
      </Panel>
    </Show>
    <Show title="A card">
      <Panel title="Paket Usaha" look="card">
        <p>5.000 pesan sebulan, lalu Rp 75 per pesan.</p>
      </Panel>
    </Show>
    <Show title="A card that asks for attention">
      <Panel title="Saldo hampir habis" look="attention">
        <p>Saldo Anda cukup untuk 83 pesan.</p>
      </Panel>
    </Show>
    <Show title="Stack and Row">
      <Stack gap={8}>
        <span>Di atas</span>
        <span>Di bawah</span>
        <Row end>
          <Button variant="outline">Batal</Button>
          <Button>Simpan</Button>
        </Row>
      </Stack>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'panel',
  title: 'Panel, Facts, Stack, Row',
  about:
    'The parts that pages are put together from. Panel is a part under its own heading, a card only for what can be acted on as a unit; never a card in a card. Facts are names and values; Stack puts things above each other, Row beside each other.',
  props: [
    { name: 'title', type: 'ReactNode', about: 'Panel: an h2.' },
    { name: 'tools', type: 'ReactNode', about: 'Panel: at the end of its line.' },
    { name: 'look', type: "'card' | 'attention'", about: 'Panel: a box of its own.' },
    { name: 'facts', type: 'readonly Fact[]', about: 'Facts: term and is.' },
    {
      name: 'gap',
      type: '8 | 12 | 16 | 24 | 32',
      default: '16',
      about: 'Stack: px between things.',
    },
    { name: 'end', type: 'boolean', default: 'false', about: 'Row: everything at the end.' },
  ],
  Demo,
};
