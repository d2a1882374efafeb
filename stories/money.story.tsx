import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Money } from '#web/ui/money/Money.tsx';

const Demo = () => (
  <>
    <Show title="Amounts">
      <Money amount={2_480_500} />
      <Money amount={0} />
      <Money amount={-5_000} />
    </Show>
    <Show title="What came in and went out">
      <Money signed amount={250_117} />
      <Money signed amount={-150} />
    </Show>
  </>
);

export const piece: Piece = {
  id: 'money',
  title: 'Money',
  about: 'Whole rupiah, in figures of one width.',
  props: [
    { name: 'amount', type: 'number', about: 'Whole rupiah.' },
    { name: 'signed', type: 'boolean', default: 'false', about: 'A plus before what comes in.' },
  ],
  Demo,
};
