import { Headset, House, KeyRound, MessagesSquare, Receipt, Wallet } from 'lucide-react';
import styles from '#stories/gallery/overlays.module.css';
import { Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import { BottomBar } from '#web/ui/layout/BottomBar.tsx';
import { Button } from '#web/ui/button/Button.tsx';
import type { MenuEntry } from '#web/ui/layout/Sidebar.tsx';

const six: readonly MenuEntry[] = [
  { href: '/__galeri', label: 'Beranda', Icon: House },
  { href: '/__galeri/chat-message', label: 'Pesan', Icon: MessagesSquare, badge: '3' },
  { href: '/__galeri/tabs', label: 'Token', Icon: KeyRound },
  { href: '/__galeri/modal', label: 'Saldo', Icon: Wallet },
  { href: '/__galeri/bottom-bar', label: 'Tagihan', Icon: Receipt },
  { href: '/__galeri/dropdown', label: 'Layanan Pelanggan', Icon: Headset },
];

const Demo = () => (
  <>
    <Show title="Five entries (below 768 px)">
      <div className={styles['phone']}>
        <BottomBar label="Menu lima" menu={six.slice(0, 5)} />
      </div>
    </Show>
    <Show title="Six entries, and more in the sheet (below 768 px)">
      <div className={styles['phone']}>
        <BottomBar
          label="Menu enam"
          menu={six}
          more={
            <Button block variant="outline">
              Keluar
            </Button>
          }
        />
      </div>
    </Show>
  </>
);

export const piece: Piece = {
  id: 'bottom-bar',
  title: 'BottomBar',
  about:
    'The menu of phones: five entries, or four and Lainnya, which opens a sheet with the rest. From 768 px on the Sidebar stands instead.',
  props: [
    { name: 'label', type: 'string', about: "The menu's name, for screen readers." },
    { name: 'menu', type: '(MenuEntry | MenuFolder)[]', about: "The sidebar's menu." },
    { name: 'more', type: 'ReactNode', about: 'Under the other entries, in the sheet.' },
  ],
  Demo,
};
