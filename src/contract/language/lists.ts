import type { UnreadableList } from '#contract/campaigns/refusals.ts';
import type { InBoth } from './language.ts';

/** Why a list of recipients cannot be read, and what to do. */
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
} as const satisfies Record<UnreadableList, InBoth>;
