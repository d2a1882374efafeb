import type { UnreadableList } from '#contract/base/refusals.ts';

export type Language = 'id' | 'en';

export type Bilingual = Readonly<Record<Language, string>>;

/**
 * The language for an `Accept-Language` header (RFC 9110, 12.5.4): English if it is preferred to Indonesian, or has the
 * same weight and comes first; Indonesian otherwise. Other languages are ignored.
 */
export function languageOf(accepted: string | undefined): Language {
  const english = preferenceFor('en', accepted);
  const indonesian = preferenceFor('id', accepted);
  if (english.q !== indonesian.q) return english.q > indonesian.q ? 'en' : 'id';
  return english.q > 0 && english.place < indonesian.place ? 'en' : 'id';
}

/** The weight of a language in the header (0 if absent), and its position. */
function preferenceFor(language: Language, accepted = ''): { q: number; place: number } {
  for (const [place, range] of accepted.slice(0, HEADER_MAX).split(',').entries()) {
    const [tag = '', ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    if (tag.split('-', 1)[0] !== language) continue;
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    const q = /^[01](\.\d{0,3})?$/.test(weight) ? Math.min(1, Number(weight)) : 0;
    return { q, place };
  }
  return { q: 0, place: Infinity };
}

const HEADER_MAX = 500;

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
} as const satisfies Record<UnreadableList, Bilingual>;

export const inMegabytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 1_000_000)} MB`;
