import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { announce } from '#web/ui/announce/announce.ts';
import { Button } from '#web/ui/button/Button.tsx';

const Demo = () => (
  <Show title="Said to screen readers only">
    <Button variant="outline" onClick={() => announce('Halaman 3 dari 12')}>
      Announce a page
    </Button>
  </Show>
);

export const piece: Piece = {
  id: 'announce',
  title: 'announce()',
  about:
    'Says something to screen readers, politely, without showing it: what sighted people see happen. The same words twice are read twice.',
  props: [{ name: 'text', type: 'string', about: 'What is said.' }],
  Demo,
};
