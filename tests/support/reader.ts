import type { Reader } from '#server/domains/messages/history/detail.ts';

export const expiresAt = new Date('2026-11-21T04:00:00Z');

/** Reads Indonesian, and sees files by their names. */
export const reader: Reader = {
  language: 'id',
  origin: 'https://kabari.example',
  offerFile: (accountId, fileId) => ({ link: `/files/${fileId}?of=${accountId}`, expiresAt }),
};
