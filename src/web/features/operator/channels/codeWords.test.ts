import { expect, test } from 'vitest';
import { effectWords, meaningWords } from './codeWords.ts';

const unknown = { channel: 'cloud', code: '135000', does: null, failure: null } as const;

test('an unknown code is called unknown, with where to look it up', () => {
  expect(meaningWords(unknown)).toBe('Kode ini belum dikenal');
  expect(effectWords(unknown)).toContain('dokumentasi Meta');
});

test('codes about a number claim no effect on messages', () => {
  const flagged = { ...unknown, code: 'FLAGGED' };
  expect(meaningWords(flagged)).toBe('Mutu nomor diturunkan');
  expect(effectWords(flagged)).toBe('Dicatat pada nomornya');
});

test('an invented code is unknown', () => {
  for (const code of ['__proto__', 'constructor', 'toString'])
    expect(meaningWords({ ...unknown, code })).toBe('Kode ini belum dikenal');
});

test('a failure promises a refund only if the network had not accepted the message', () => {
  expect(effectWords({ ...unknown, code: '131026', does: 'fail' })).toContain(
    'bila WhatsApp belum',
  );
});

test('an inbound message without a type of its own is named by its kind', () => {
  expect(meaningWords({ code: 'inbound_poll', failure: null })).toBe('Pesan masuk: Polling');
});
