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
  tryIt: 'Coba',
  languageOf: 'Bahasa',
  apiKey: 'Kunci API',
  apiKeyHelp:
    'Dari halaman Nomor. Paling aman kunci simulator (kbr_test_…). Hanya diingat sampai halaman ini ditutup.',
  wholeKey: 'Tempel kunci API yang utuh.',
  liveKey: 'Ini kunci sungguhan: pesan benar-benar terkirim dan dikenai biaya.',
  path: 'Alamat',
  pathStart: 'Alamatnya dimulai dengan /v1/.',
  body: 'Isi (JSON)',
  file: 'Berkas',
  pickFile: 'Pilih berkas',
  fileMissing: 'Pilih berkasnya.',
  run: 'Jalankan',
  cancel: 'Batal',
  copying: { copy: 'Salin', copied: 'Tersalin' },
  response: 'Balasan',
  noResponse: 'Tidak ada balasan. Periksa sambungan Anda, lalu coba lagi.',
  liveTitle: 'Jalankan dengan kunci sungguhan?',
  liveEffect: 'dijalankan untuk nomor Anda yang sebenarnya, dan dapat dikenai biaya.',
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
    tryIt: 'Try it',
    languageOf: 'Language of',
    apiKey: 'API key',
    apiKeyHelp:
      'From the page Nomor. A simulator key (kbr_test_…) is the safest. It is stored only until this page is closed.',
    wholeKey: 'Paste the whole API key.',
    liveKey: 'This is a live key: messages are really sent and charged.',
    path: 'Path',
    pathStart: 'The path must start with /v1/.',
    body: 'Body (JSON)',
    file: 'File',
    pickFile: 'Select a file',
    fileMissing: 'Select the file.',
    run: 'Run',
    cancel: 'Cancel',
    copying: { copy: 'Copy', copied: 'Copied' },
    response: 'Response',
    noResponse: 'No response. Check your connection and try again.',
    liveTitle: 'Run with a live key?',
    liveEffect: 'runs for your real number and may be charged.',
  },
};
