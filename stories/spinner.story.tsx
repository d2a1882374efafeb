import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { Spinner } from '#web/ui/button/Spinner.tsx';

const Demo = () => (
  <>
    <Show title="In its place">
      <div>
        <Spinner />
      </div>
    </Show>
    <Show title="As large as the window">
      <div>
        <Spinner screen />
      </div>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'spinner',
  title: 'Spinner',
  about:
    'Something is being waited for whose shape nobody knows yet: the first load, a lazy part. It says “Memuat…”, and pulses instead of turning for whoever asked for less motion. Lists and details have a Skeleton instead.',
  props: [
    {
      name: 'screen',
      type: 'boolean',
      default: 'false',
      about: 'Fills the window and shows its word.',
    },
  ],
  Demo,
};
