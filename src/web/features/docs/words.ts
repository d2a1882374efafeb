import { languageOf, type Language } from '#contract/language/language.ts';
import { sessionToken } from '#web/browser/session.ts';
import { storageGet } from '#web/browser/storage.ts';

export const STORED_AS = 'docs-reading-language';

export const languageNames: Record<Language, string> = {
  id: 'Bahasa Indonesia',
  en: 'English',
};

/** The language that a reader without `lang` in the address chose before; a visitor's browser may prefer English. */
export function readingLanguage(): Language {
  const stored = storageGet('browser', STORED_AS);
  if (stored === 'id' || stored === 'en') return stored;
  return sessionToken() === '' ? languageOf(navigator.languages.join(',')) : 'id';
}

const indonesian = {
  title: 'Dokumentasi API',
  intro: 'Untuk pengembang. Setiap contoh dapat langsung dicoba.',
  untranslated: 'Halaman ini hanya ada dalam bahasa Inggris.',
  keys: 'Kunci API Anda',
  pages: 'Halaman dokumentasi',
  page: 'Halaman',
  contents: 'Isi halaman',
  search: 'Cari di dokumentasi',
  searchHint: 'Cari alamat, isian, atau kode kesalahan',
  results: 'Hasil pencarian',
  found: 'Ditemukan:',
  nothing: 'Tidak ada yang cocok.',
  request: 'Permintaan',
  answer: 'Balasan',
  tryIt: 'Coba',
  languageOf: 'Bahasa',
};

export const words: Record<Language, typeof indonesian> = {
  id: indonesian,
  en: {
    title: 'API documentation',
    intro: 'For developers. You can try every example here.',
    untranslated: '',
    keys: 'Your API keys',
    pages: 'Pages of the documentation',
    page: 'Page',
    contents: 'On this page',
    search: 'Search the documentation',
    searchHint: 'Search for a URL, a field or an error code',
    results: 'Search results',
    found: 'Found:',
    nothing: 'No results.',
    request: 'Request',
    answer: 'Answer',
    tryIt: 'Try it',
    languageOf: 'Language of',
  },
};
