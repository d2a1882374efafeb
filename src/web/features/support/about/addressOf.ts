import type { SupportCard, SupportSubject } from '#contract/support.ts';

const pages: Record<SupportSubject, string> = {
  message: '/message-history',
  token: '/token',
  topup: '/saldo',
  invoice: '/billing',
};

/** Where a customer opens what a question is about. */
export const addressOf = ({ type, id }: Pick<SupportCard, 'type' | 'id'>): string =>
  `${pages[type]}?${new URLSearchParams({ open: id })}`;
