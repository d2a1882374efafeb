import { House, KeyRound, MessagesSquare, Receipt, Settings, Users, Wallet } from 'lucide-react';
import { useState } from 'react';
import styles from '#stories/gallery/overlays.module.css';
import { Emitted, Show } from '#stories/gallery/Show.tsx';
import type { Piece } from '#stories/gallery/piece.ts';
import {
  Sidebar,
  type MenuEntry,
  type MenuFolder,
  type SidebarWidth,
} from '#web/ui/layout/Sidebar.tsx';

const menu: readonly (MenuEntry | MenuFolder)[] = [
  { href: '/__galeri', label: 'Beranda', Icon: House },
  { href: '/__galeri/chat-message', label: 'Pesan', Icon: MessagesSquare, badge: '12' },
  { href: '/__galeri/tabs', label: 'Token', Icon: KeyRound },
  {
    label: 'Pengaturan',
    Icon: Settings,
    entries: [
      { href: '/__galeri/sidebar', label: 'Pengguna', Icon: Users },
      { href: '/__galeri/modal', label: 'Pembayaran', Icon: Wallet },
    ],
  },
  {
    label: 'Arsip',
    Icon: Receipt,
    entries: [{ href: '/__galeri/dropdown', label: 'Tagihan lama', Icon: Receipt }],
  },
];

function Demo() {
  const [width, setWidth] = useState<SidebarWidth>();
  return (
    <Show title="A menu with folders and a badge (from 768 px on)">
      <div className={styles['frame']}>
        <Sidebar
          label="Menu contoh"
          menu={menu}
          width={width}
          onWidth={setWidth}
          head={<strong className={styles['brand']}>K</strong>}
          foot={<span>Kaki</span>}
        />
      </div>
      <Emitted of="Chosen width">{width ?? 'by the room'}</Emitted>
    </Show>
  );
}

export const piece: Piece = {
  id: 'sidebar',
  title: 'Sidebar',
  about:
    'The menu beside the page: links with aria-current, folders that open, 232 px or 64 px of icons with tooltips. Below 768 px the BottomBar takes its place.',
  props: [
    { name: 'label', type: 'string', about: "The menu's name, for screen readers." },
    {
      name: 'menu',
      type: '(MenuEntry | MenuFolder)[]',
      about: 'Entries { href, label, Icon, badge } and folders { label, Icon, entries }.',
    },
    {
      name: 'width',
      type: "'wide' | 'icons' | undefined",
      about: 'Undefined: by the room there is.',
    },
    { name: 'onWidth', type: '(width) => void', about: 'To be kept by the owner.' },
    { name: 'head', type: 'ReactNode', about: 'Above the entries.' },
    { name: 'foot', type: 'ReactNode | (icons) => ReactNode', about: 'At the foot.' },
  ],
  Demo,
};
