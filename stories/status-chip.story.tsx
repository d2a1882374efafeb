import { Check } from 'lucide-react';
import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Row } from '#web/ui/panel/Panel.tsx';
import { StatusChip, type Tone } from '#web/ui/status/StatusChip.tsx';

const words: readonly [Tone, string][] = [
  ['primary', 'Baru'],
  ['success', 'Tersambung'],
  ['info', 'Menghubungkan'],
  ['warning', 'Menunggu pembayaran'],
  ['danger', 'Terputus'],
  ['neutral', 'Draf'],
];

const Demo = () => (
  <>
    <Show title="Tones">
      <Row>
        {words.map(([tone, word]) => (
          <StatusChip key={tone} tone={tone}>
            {word}
          </StatusChip>
        ))}
      </Row>
    </Show>
    <Show title="In a row of words">
      <p>
        Tagihan <StatusChip tone="warning">Terbuka</StatusChip>{' '}
        <StatusChip tone="success" icon={<Check size={14} />}>
          Lunas
        </StatusChip>{' '}
        kemarin
      </p>
    </Show>
    <Show title="With an icon">
      <StatusChip tone="success" icon={<Check size={14} />}>
        Lunas
      </StatusChip>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'status-chip',
  title: 'StatusChip',
  about: 'A state in one or two words; its colour only repeats what they say.',
  props: [
    {
      name: 'tone',
      type: "'primary' | 'success' | 'info' | 'warning' | 'danger' | 'neutral'",
      default: "'neutral'",
      about: 'What kind of state it is.',
    },
    { name: 'icon', type: 'ReactNode', about: 'Of 14 px; a dot when left out.' },
    { name: 'children', type: 'ReactNode', about: 'The words.' },
  ],
  Demo,
};
