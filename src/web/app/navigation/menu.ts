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

/** The menu of customers, in order; `g` and the key open a screen. */
export const menu = [
  { href: '/', label: 'Beranda', Icon: House, key: 'h' },
  {
    href: '/message-history',
    phoneHref: '/message-history?view=percakapan',
    label: 'Pesan',
    Icon: MessagesSquare,
    key: 'm',
  },
  { href: '/token', label: 'Nomor', Icon: KeyRound, key: 't' },
  { href: '/saldo', label: 'Saldo', Icon: Wallet, key: 's' },
  { href: '/billing', label: 'Tagihan', Icon: FileText, key: 'b' },
  { href: '/customer-service', label: 'Layanan Pelanggan', Icon: Headset, key: 'l' },
] as const;

export const operatorMenu = [
  { href: '/operator', label: 'Operator', Icon: ShieldCheck, key: 'h' },
] as const;

const profile = { href: '/profile', label: 'Profil', Icon: UserRound, key: 'p' } as const;

export const screensFor = (operator: boolean) =>
  [...(operator ? operatorMenu : menu), profile] as const;
