import type { SupportSubject } from '#contract/support.ts';

export const subjectLabel: Record<SupportSubject, string> = {
  message: 'Pesan',
  token: 'Token',
  topup: 'Isi saldo',
  invoice: 'Tagihan',
};
