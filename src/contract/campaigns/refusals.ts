import * as z from 'zod/mini';

/** Why a list of recipients cannot be read. */
export const unreadableLists = {
  empty: {
    id: 'Daftar ini kosong. Pilih berkas yang berisi nomor penerima.',
    en: 'This list is empty. Choose a file with the numbers of recipients.',
  },
  no_numbers: {
    id: 'Tidak ada kolom berisi nomor telepon di daftar ini. Tambahkan kolom bernama "nomor", lalu unggah lagi.',
    en: 'No column of this list holds phone numbers. Add a column named "nomor", then upload it again.',
  },
  too_many: {
    id: 'Daftar ini lebih panjang daripada yang dapat dikirim sekaligus. Bagi menjadi beberapa berkas.',
    en: 'This list is longer than what can be sent at once. Split it into several files.',
  },
  broken: {
    id: 'Berkas ini tidak dapat dibaca. Simpan sekali lagi sebagai CSV atau XLSX tanpa kata sandi, lalu unggah lagi.',
    en: 'This file cannot be read. Save it again as CSV or XLSX without a password, then upload it again.',
  },
} as const;
export type UnreadableList = keyof typeof unreadableLists;

/** What is refused of messages to many: part of the catalogue (`base/refusals.ts`). */
export const campaignRefusals = {
  recipients_unreadable: {
    status: 422,
    facts: () =>
      z.object({
        why: z.enum(Object.keys(unreadableLists) as [UnreadableList, ...UnreadableList[]]),
      }),
  },
  /** It has no content, or nobody to go to. */
  campaign_incomplete: {
    status: 409,
    facts: () => z.object({ missing: z.enum(['content', 'recipients']) }),
  },
  /** It is started, or ended, already. */
  campaign_state: { status: 409, facts: () => z.object({}) },
  campaigns_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
} as const;
