import type { SupportCard, SupportSubject } from '#contract/support.ts';

const pages: Record<SupportSubject, string> = {
  message: '/message-history',
  token: '/token',
  topup: '/saldo',
  invoice: '/billing',
};

export const addressOf = ({ type, id }: Pick<SupportCard, 'type' | 'id'>): string =>
  `${pages[type]}?${new URLSearchParams({ open: id })}`;
