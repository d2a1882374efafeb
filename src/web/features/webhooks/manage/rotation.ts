import type { WebhookFormat } from '#contract/webhooks.ts';

const both =
  'Selama 24 jam setiap peristiwa ditandatangani dengan kunci baru dan kunci lama, jadi server Anda dapat diganti tanpa terputus.';

/**
 * What receivers must do at once: in these formats the part with room for one secret has the new one.
 */
const atOnce = (what: string): string =>
  `${what} langsung memakai kunci baru. Segera simpan kunci itu di server Anda; peristiwa yang ditolak sebelum tersimpan akan dikirim ulang. Selama 24 jam kunci lama hanya berlaku untuk header webhook-signature (Standard Webhooks).`;

const notes: Readonly<Record<WebhookFormat, string>> = {
  kabari: both,
  cloud: atOnce('Tanda tangan X-Hub-Signature-256'),
  fonnte: atOnce('Isian secret dalam setiap peristiwa'),
  // Its bodies carry no secret: only the headers of Standard Webhooks are signed.
  wablas: both,
};

/** How the old secret of a webhook is still used after a rotation. */
export const rotationNote = (format: WebhookFormat): string => notes[format];
