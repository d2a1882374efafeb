import {
  BadgeDollarSign,
  BookOpenCheck,
  CircleHelp,
  Gauge,
  Headset,
  Landmark,
  ShieldCheck,
  ScrollText,
  UserRoundCog,
  Megaphone,
  RadioTower,
  ServerCog,
  Settings,
  Scale,
  UsersRound,
  Wallet,
  WalletCards,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';
import type { OperatorRole } from '#contract/base/act.ts';
import { maySee, operatorSections, type OperatorPage } from '#web/features/operator/operator.ts';
import type { MenuEntry, MenuFolder } from '#web/ui/layout/Sidebar.tsx';

type Section = (typeof operatorSections)[number];

const pageIcons: Record<Section['pages'][number]['to'], LucideIcon> = {
  '/operator': Gauge,
  '/operator/layanan': Headset,
  '/operator/pelanggan': UsersRound,
  '/operator/isi-saldo': WalletCards,
  '/operator/mutasi-bank': Landmark,
  '/operator/suspense': CircleHelp,
  '/operator/penyesuaian': Scale,
  '/operator/pembukuan': BookOpenCheck,
  '/operator/harga': BadgeDollarSign,
  '/operator/keamanan': ShieldCheck,
  '/operator/operator': UserRoundCog,
  '/operator/audit': ScrollText,
  '/operator/pengumuman': Megaphone,
  '/operator/kanal': Waypoints,
  '/operator/token': RadioTower,
  '/operator/pengaturan': Settings,
};

const folderIcons: Partial<Record<Section['label'], LucideIcon>> = {
  Uang: Wallet,
  Sistem: ServerCog,
};

/** The menu of an operator with these roles; a section with its own icon is a folder. */
export const operatorMenuFor = (
  own: readonly OperatorRole[],
): readonly (MenuEntry | MenuFolder)[] =>
  operatorSections.flatMap(({ label, pages }): readonly (MenuEntry | MenuFolder)[] => {
    const seen: readonly (OperatorPage & { to: keyof typeof pageIcons })[] = pages;
    const entries = seen
      .filter((page) => maySee(page, own))
      .map(({ to, label: word, short }) => ({
        href: to,
        label: word,
        Icon: pageIcons[to],
        ...(short !== undefined && { short }),
      }));
    const Icon = folderIcons[label];
    return Icon && entries.length > 0 ? [{ label, Icon, entries, open: true }] : entries;
  });
