import { expect, test } from 'vitest';
import { type Body, chatContentOf, excerptOf } from './content.ts';
import type { MessageType } from '#contract/messages.ts';

const accountId = 'a1';
const fileLink = (account: string, file: string) => `/files/${account}/${file}`;
const link = 'https://toko.example/berkas/foto%20baru.PNG?x=1';

test.each<[MessageType, Body, object]>([
  ['text', { text: 'Halo\nAni' }, { type: 'text', caption: 'Halo\nAni', url: null }],
  ['text', { text: '1', choice: { id: 'a', title: 'Kue lapis' } }, { caption: 'Kue lapis' }],
  ['image', { link, caption: 'Baru' }, { type: 'png', caption: 'Baru', url: link }],
  ['image', { link: 'https://toko.example/foto' }, { type: 'jpeg', caption: '' }],
  ['image', { link, mime: 'image/webp' }, { type: 'webp' }],
  ['sticker', { link }, { type: 'sticker' }],
  ['audio', { link: 'https://toko.example/suara.m4a' }, { type: 'ogg' }],
  ['video', { link: 'https://toko.example/film.mov' }, { type: 'mp4' }],
  ['document', { link: 'https://toko.example/a.pdf' }, { type: 'pdf', filename: 'a.pdf' }],
  ['document', { link, filename: 'Foto.png' }, { type: 'file', filename: 'Foto.png' }],
  ['document', { link, filename: 'suara.ogg' }, { type: 'file' }],
  ['document', { link: 'https://toko.example/%E0%A4%A' }, { filename: '%E0%A4%A' }],
  ['contact', { name: 'Budi', phone: '6281' }, { type: 'vcard', name: 'Budi', phone: '6281' }],
  [
    'location',
    { latitude: -6.2, longitude: 106.8, name: 'Toko' },
    {
      type: 'location',
      caption: '',
      place: { latitude: -6.2, longitude: 106.8, name: 'Toko', address: null },
    },
  ],
  [
    'location',
    { name: 'Toko', address: 'Jl. Melati' },
    { type: 'text', caption: 'Toko\nJl. Melati' },
  ],
  [
    'template',
    { text: 'Halo Ani', header: 'Pesanan', footer: 'Toko', buttons: ['Ya', 'Tidak'] },
    {
      type: 'template',
      caption: 'Halo Ani',
      template: { header: 'Pesanan', footer: 'Toko', buttons: ['Ya', 'Tidak'] },
    },
  ],
  ['image', {}, { type: 'jpeg', url: null }],
  [
    'other',
    { kind: 'poll', text: 'Polling: Kapan?' },
    { type: 'text', caption: 'Polling: Kapan?', notice: 'other' },
  ],
  ['text', { text: 'Promo', forwarded: true }, { caption: 'Promo', origin: 'Diteruskan' }],
  [
    'image',
    { forwarded: true, frequently_forwarded: true, product: { product_retailer_id: 'roti-1' } },
    { origin: 'Diteruskan berkali-kali · Tentang produk roti-1' },
  ],
  [
    'text',
    {
      text: 'Halo',
      referral: { headline: ' ', body: 'Diskon\n20%', source_url: 'https://fb.me/1' },
    },
    { origin: 'Dari iklan: Diskon 20%' },
  ],
  ['text', { text: 'Baru', edited_at: 'x' }, { type: 'text', caption: 'Baru', notice: 'edited' }],
  [
    'image',
    { file: 'f1', revoked_at: 'x' },
    { type: 'text', caption: 'Pesan dihapus pengirim', url: null, notice: 'revoked' },
  ],
])('a %s is shown as the renderer knows it: %j', (type, body, shown) => {
  expect(chatContentOf({ accountId, type, body }, fileLink)).toMatchObject(shown);
});

test.each<[MessageType, Body, object]>([
  ['image', { link }, { url: link, external: true }],
  ['document', { link, filename: 'a.pdf' }, { url: link, external: true }],
  ['image', { file: 'f1', mime: 'image/png' }, { url: '/files/a1/f1', external: false }],
  ['image', { file: 'f1', link }, { url: '/files/a1/f1', external: false }],
  ['audio', {}, { url: null, external: false }],
  ['text', { text: link }, { url: null, external: false }],
])('of a %s in %j it is known whether its file lies here', (type, body, shown) => {
  expect(chatContentOf({ accountId, type, body }, fileLink)).toMatchObject(shown);
});

test('shows the metadata of a file before it is opened', () => {
  const body = {
    file: 'f1',
    mime: 'audio/ogg',
    bytes: 13_038,
    preview: 'p1',
    waveform: [0, 100],
    seconds: 7.4,
  };
  const shown = (existing?: ReadonlySet<string>) =>
    chatContentOf(
      { accountId, type: 'audio', body, ...(existing && { existingFiles: existing }) },
      fileLink,
    );
  const file = { preview: '/files/a1/p1', size: 13_038, waveform: [0, 100], seconds: 7.4 };
  expect(shown()).toMatchObject({ url: '/files/a1/f1', file: { ...file, missing: null } });
  expect(shown(new Set(['f1']))).toEqual(shown());
  // Erased: only its type is shown.
  expect(shown(new Set())).toMatchObject({
    url: null,
    external: false,
    file: { preview: null, size: 13_038, waveform: null, seconds: 7.4, missing: 'expired' },
  });
});

test('explains why a file was never stored', () => {
  const missing = (why: string) =>
    chatContentOf({ accountId, type: 'image', body: { missing: why } }, fileLink).file?.missing;
  expect(missing('storage_full')).toBe('storage_full');
  expect(missing('refused')).toBe('refused');
  expect(missing('what a newer version says')).toBe('refused');
});

test.each<[MessageType, Body, string]>([
  ['text', { text: '  dua\n\n baris ' }, 'dua baris'],
  [
    'text',
    { text: 'Lihat <a href="https://x.example/">menu</a><br class="x">ya' },
    'Lihat menu ya',
  ],
  ['text', { text: '2.', choice: { id: 'b', title: 'Kue lapis' } }, 'Kue lapis'],
  ['image', { caption: '<br/>Kue<BR>lapis' }, 'Kue lapis'],
  ['image', { caption: '<br>' }, ''],
  ['text', { text: `<a href="https://x.example/${'a'.repeat(200)}">menu</a>` }, 'menu'],
  ['text', { text: '2 < 3, <b>tebal</b>' }, '2 < 3, <b>tebal</b>'],
  ['location', { name: 'Toko<br>Kue' }, 'Toko Kue'],
  ['document', { filename: '<br>.pdf' }, '<br>.pdf'],
  ['text', { text: 'é'.repeat(121) }, `${'é'.repeat(119)}…`],
  ['text', { text: '😀'.repeat(120) }, '😀'.repeat(120)],
  ['image', {}, ''],
  ['document', { filename: 'a.pdf' }, 'a.pdf'],
  ['location', { latitude: 1, longitude: 2 }, '1,2'],
  ['contact', { phone: '6281' }, '6281'],
])('the excerpt of a %s is its first words', (type, body, excerpt) => {
  expect(excerptOf(type, body)).toBe(excerpt);
});
