import type { SupportSubject } from '#contract/support.ts';

/** What a question is about. */
export const subjectLabel: Record<SupportSubject, string> = {
  message: 'Pesan',
  token: 'Token',
  topup: 'Isi saldo',
  invoice: 'Tagihan',
};
