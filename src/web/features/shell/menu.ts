import { House, KeyRound, MessagesSquare, ShieldCheck, Wallet } from 'lucide-react';

/** The screens of the menu, in its order. */
export const menu = [
  { to: '/', label: 'Beranda', Icon: House },
  { to: '/message-history', label: 'Pesan', Icon: MessagesSquare },
  { to: '/token', label: 'Token', Icon: KeyRound },
  { to: '/saldo', label: 'Saldo', Icon: Wallet },
] as const;

/** What an operator sees instead. */
export const operatorMenu = [{ to: '/operator', label: 'Operator', Icon: ShieldCheck }] as const;
