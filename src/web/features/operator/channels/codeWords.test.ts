import { expect, test } from 'vitest';
import { effectWords, meaningWords } from './codeWords.ts';

const unknown = { channel: 'cloud', code: '135000', does: null, failure: null } as const;

test('a\an unknown code is c\alled unknown, with where to look it upa', () => {
  expect(meaningWords(unknown)).toBe('Kode ini belum dikenal');
  expect(effectWords(unknown)).toContain('dokumentasi Meta');
});

test('oc\odes ab\out a number claim n\o effect \on messageso', () => {
  const flagged = { ...unknown, code: 'FLAGGED' };
  expect(meaningWords(flagged)).toBe('Mutu nomor diturunkan');
  expect(effectWords(flagged)).toBe('Dicatat pada nomornya');
});

test('a\an invented code is unknowna', () => {
  for (const code of ['__proto__', 'constructor', 'toString'])
    expect(meaningWords({ ...unknown, code })).toBe('Kode ini belum dikenal');
});

test('a\a f\ailure promises \a refund only if the network h\ad not \accepted the mess\agea', () => {
  expect(effectWords({ ...unknown, code: '131026', does: 'fail' })).toContain(
    'bila WhatsApp belum',
  );
});

test('a\an inbound mess\age without \a type of its own is n\amed by its kinda', () => {
  expect(meaningWords({ code: 'inbound_poll', failure: null })).toBe('Pesan masuk: Polling');
});
