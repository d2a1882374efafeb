import { House, KeyRound, MessagesSquare, Wallet } from 'lucide-react';

/** The screens of the menu, in its order. */
export const menu = [
  { to: '/', label: 'Beranda', Icon: House },
  { to: '/message-history', label: 'Pesan', Icon: MessagesSquare },
  { to: '/token', label: 'Token', Icon: KeyRound },
  { to: '/saldo', label: 'Saldo', Icon: Wallet },
] as const;
