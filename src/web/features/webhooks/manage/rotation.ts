import type { WebhookFormat } from '#contract/webhooks.ts';

const both =
  'Selama 24 jam setiap peristiwa ditandatangani dengan kunci baru dan kunci lama, jadi server Anda dapat diganti tanpa terputus.';

/** A step for receivers of formats with room for one secret, which carry the new one at once. */
const atOnce = (what: string): string =>
  `${what} langsung memakai kunci baru. Segera simpan kunci itu di server Anda; peristiwa yang ditolak sebelum tersimpan akan dikirim ulang. Selama 24 jam kunci lama hanya berlaku untuk header webhook-signature (Standard Webhooks).`;

const notes: Readonly<Record<WebhookFormat, string>> = {
  kabari: both,
  cloud: atOnce('Tanda tangan X-Hub-Signature-256'),
  fonnte: atOnce('Isian secret dalam setiap peristiwa'),
  // Its bodies carry no secret: only the headers of Standard Webhooks are signed.
  wablas: both,
};

export const rotationNote = (format: WebhookFormat): string => notes[format];
