import { expect, test } from 'vitest';
import { effectWords, meaningWords } from './codeWords.ts';

const unknown = { channel: 'cloud', code: '135000', does: null, failure: null } as const;

test('a code that is not known is said to be unknown, and where to look', () => {
  expect(meaningWords(unknown)).toBe('Kode ini belum dikenal');
  expect(effectWords(unknown)).toContain('dokumentasi Meta');
});

test('of what the network told of a number nothing is said to be done to messages', () => {
  const flagged = { ...unknown, code: 'FLAGGED' };
  expect(meaningWords(flagged)).toBe('Mutu nomor diturunkan');
  expect(effectWords(flagged)).toBe('Dicatat pada nomornya');
});

test('a code that somebody made up is a code that is not known', () => {
  for (const code of ['__proto__', 'constructor', 'toString'])
    expect(meaningWords({ ...unknown, code })).toBe('Kode ini belum dikenal');
});

test('a failure promises its price back only where the network had not taken the message', () => {
  expect(effectWords({ ...unknown, code: '131026', does: 'fail' })).toContain(
    'bila WhatsApp belum',
  );
});

test('an inbound message without a type of its own is named by its kind', () => {
  expect(meaningWords({ code: 'inbound_poll', failure: null })).toBe('Pesan masuk: Polling');
});
