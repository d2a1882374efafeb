import {
  FileText,
  Headset,
  House,
  KeyRound,
  MessagesSquare,
  ShieldCheck,
  UserRound,
  Wallet,
} from 'lucide-react';

/** The screens of the menu, in its order; `g` and the key lead to each. */
export const menu = [
  { href: '/', label: 'Beranda', Icon: House, key: 'h' },
  { href: '/message-history', label: 'Pesan', Icon: MessagesSquare, key: 'm' },
  { href: '/token', label: 'Token', Icon: KeyRound, key: 't' },
  { href: '/saldo', label: 'Saldo', Icon: Wallet, key: 's' },
  { href: '/billing', label: 'Tagihan', Icon: FileText, key: 'b' },
  { href: '/customer-service', label: 'Layanan Pelanggan', Icon: Headset, key: 'l' },
] as const;

/** What an operator sees instead. */
export const operatorMenu = [
  { href: '/operator', label: 'Operator', Icon: ShieldCheck, key: 'h' },
] as const;

/** Stands at the menu's foot. */
const profile = { href: '/profile', label: 'Profil', Icon: UserRound, key: 'p' } as const;

/** Every screen that keys and the command palette lead to. */
export const screensFor = (operator: boolean) =>
  [...(operator ? operatorMenu : menu), profile] as const;
