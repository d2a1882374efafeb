import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Row } from '#web/ui/panel/Panel.tsx';
import { Ticks, type Mark } from '#web/ui/chat/Ticks.tsx';

const marks: readonly Mark[] = [
  'scheduled',
  'waiting',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'cancelled',
  'expired',
];

const Demo = () => (
  <>
    <Show title="Every step of a message">
      <Row>
        {marks.map((mark) => (
          <Ticks key={mark} mark={mark} />
        ))}
      </Row>
    </Show>
    <Show title="The icon alone, as in a bubble">
      <Row>
        {marks.map((mark) => (
          <Ticks key={mark} mark={mark} iconOnly />
        ))}
      </Row>
    </Show>
    <Show title="In a row of words">
      <p>
        Pesan <Ticks mark="read" /> <Ticks mark="failed" /> kemarin
      </p>
    </Show>
    <Show title="In other words">
      <Ticks mark="waiting" word="Menunggu token tersambung" />
    </Show>
  </>
);

export const piece: Piece = {
  id: 'ticks',
  title: 'Ticks',
  about: 'How far something sent has come: icon and word; the colour only repeats them.',
  props: [
    {
      name: 'mark',
      type: "'scheduled' | 'waiting' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'cancelled' | 'expired'",
      about: 'The step.',
    },
    { name: 'word', type: 'string', about: 'In place of its own word.' },
    {
      name: 'iconOnly',
      type: 'boolean',
      default: 'false',
      about: 'The word stays for screen readers.',
    },
  ],
  Demo,
};
