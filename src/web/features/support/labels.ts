import type { SupportEvent, SupportMessage, SupportSubject } from '#contract/support.ts';

/** What a question is about. */
export const subjectLabel: Record<SupportSubject, string> = {
  message: 'Pesan',
  token: 'Token',
  topup: 'Isi saldo',
  invoice: 'Invoice',
};

const events: Record<SupportEvent, string> = {
  closed: 'Percakapan ditutup',
  reopened: 'Percakapan dibuka lagi',
  assigned: 'Percakapan diserahkan kepada petugas',
  unassigned: 'Percakapan menunggu petugas lain',
  snoozed: 'Percakapan ditunda',
  rated: 'Penilaian diberikan',
};

/** What happened, as a line of the thread says it: in the server's words, where it has some. */
export const eventLabel = ({ content, event }: SupportMessage): string =>
  content.caption || (event ? events[event] : '');
