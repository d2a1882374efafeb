import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chatKind,
  contactDigits,
  fileEnd,
  fileKind,
  fileType,
  isExternal,
  mediaUrl,
  phoneHref,
  shortName,
  startsRun,
} from '#web/ui/chat/chat.ts';

test('renders each specified type as its kind, and anything else as a file', () => {
  for (const type of ['jpeg', 'png', 'webp', 'jpg']) expect(chatKind(type)).toBe('image');
  expect(chatKind('ogg')).toBe('audio');
  expect(chatKind('mp4')).toBe('video');
  expect(chatKind('vcard')).toBe('contact');
  expect(chatKind('text')).toBe('text');
  for (const type of ['pdf', 'svg', 'gif', '', '__proto__', 'constructor']) {
    expect(chatKind(type)).toBe('file');
  }
});

test('normalizes a number to its 62 form', () => {
  expect(phoneHref('0812-3456-7890')).toBe('tel:+6281234567890');
  expect(phoneHref('812 3456 7890')).toBe('tel:+6281234567890');
  expect(phoneHref('+62 (812) 3456.7890')).toBe('tel:+6281234567890');
  expect(phoneHref('006581234567')).toBe('tel:+6581234567');
  expect(phoneHref('belum ada')).toBeUndefined();
});

test('puts at most 15 digits into a tel: address, for any card', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (phone) => {
      expect(contactDigits(phone)).toMatch(/^\d{0,15}$/);
      expect(phoneHref(phone) ?? 'tel:+1').toMatch(/^tel:\+\d{1,15}$/);
    }),
    { numRuns: process.env['TEST_ALL'] === '1' ? 2_000 : 200 },
  );
});

test('accepts http, https and blob addresses of files only', () => {
  const base = 'https://kabari.example/message-history';
  for (const url of ['/files/a?k=b', 'https://media.example/a.ogg', 'blob:https://x.example/1']) {
    expect(mediaUrl(url, base)).toBe(url);
  }
  for (const url of [
    'javascript:alert(1)',
    ' java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'https://[',
  ]) {
    expect(mediaUrl(url, base)).toBeUndefined();
  }
});

test('cuts a name after 200 characters, never inside one', () => {
  expect(shortName('Budi')).toBe('Budi');
  const family = '👨‍👩‍👧‍👦';
  expect(shortName(family.repeat(201))).toBe(`${family.repeat(200)}…`);
  expect(shortName(family.repeat(150))).toBe(family.repeat(150));
});

test('derives a file’s kind from its extension, else from its type', () => {
  expect(fileEnd('Laporan.Okt.XLSX')).toBe('xlsx');
  expect(fileEnd('.env')).toBe('');
  expect(fileEnd('tanpa akhiran')).toBe('');
  expect(fileKind('laporan.pdf', 'bin')).toBe('document');
  expect(fileKind('laporan', 'xlsx')).toBe('sheet');
  expect(fileKind('apa', 'apa')).toBe('other');
  expect(fileType('laporan.pdf', 'bin')).toBe('PDF');
  expect(fileType('laporan', 'application/zip')).toBe('ZIP');
  expect(fileType('laporan', 'document')).toBe('');
  expect(fileType('a', '<img>')).toBe('');
});

test('ends a run at another sender or after five minutes of silence', () => {
  const at = (minutes: number, seconds = 0) =>
    new Date(Date.UTC(2026, 10, 21, 9, minutes, seconds));
  const before = { side: 'in', at: at(0) } as const;
  expect(startsRun({ side: 'in', at: at(5) }, before)).toBe(false);
  expect(startsRun({ side: 'in', at: at(5, 1) }, before)).toBe(true);
  expect(startsRun({ side: 'out', at: at(0) }, before)).toBe(true);
  expect(startsRun({ side: 'in', at: at(0) }, undefined)).toBe(true);
});

test('treats a file as external if the server says so, or else if its address is on another site', () => {
  const base = 'https://kabari.example/message-history';
  const linkText = (url: string, external: boolean | null = null) =>
    isExternal({ url, external }, base);
  expect(linkText('https://toko.example/a.png')).toBe(true);
  expect(linkText('http://kabari.example/a.png')).toBe(true);
  expect(linkText('//toko.example/a.png')).toBe(true);
  expect(linkText('javascript:alert(1)')).toBe(true);
  expect(linkText('/files/a?k=b')).toBe(false);
  expect(linkText('https://kabari.example/files/a')).toBe(false);
  expect(linkText('blob:https://kabari.example/1')).toBe(false);
  expect(linkText('https://[')).toBe(false);
  expect(linkText('https://berkas.example/files/a', false)).toBe(false);
  expect(linkText('/files/a', true)).toBe(true);
  expect(isExternal({ url: null, external: null }, base)).toBe(false);
});
