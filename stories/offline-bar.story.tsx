import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { OfflineBar, useOnline } from '#web/ui/layout/OfflineBar.tsx';

function Demo() {
  const online = useOnline();
  return (
    <Show title="Without a network">
      <p>{online ? 'There is a network: turn it off to see the bar.' : 'There is no network.'}</p>
      <div>
        <OfflineBar />
      </div>
    </Show>
  );
}

export const piece: Piece = {
  id: 'offline-bar',
  title: 'OfflineBar',
  about:
    'Stands above everything while the browser has no network. The app shows one over every page.',
  props: [],
  Demo,
};
