import type { Reader } from '#server/domains/messages/history/detail.ts';

/** When the links that `reader` is shown end. */
export const expiresAt = new Date('2026-11-21T04:00:00Z');

/** Whoever reads Indonesian, and is shown files by their names. */
export const reader: Reader = {
  language: 'id',
  origin: 'https://kabari.example',
  offerFile: (accountId, fileId) => ({ link: `/files/${fileId}?of=${accountId}`, expiresAt }),
};
