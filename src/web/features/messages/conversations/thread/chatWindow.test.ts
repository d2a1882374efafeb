import { expect, test } from 'vitest';
import { closedWords, untilWords, windowEnd } from './chatWindow.ts';

const WIB = 'Asia/Jakarta';
const lastInAt = new Date('2026-11-24T02:05:00Z');
const end = new Date('2026-11-25T02:05:00Z');

test('a window is open for 24 hours from when the phone last wrote', () => {
  expect(windowEnd(lastInAt)).toEqual(end);
  expect(windowEnd(null)).toBeUndefined();
});

test('an open window says until when it is, today or tomorrow', () => {
  expect(untilWords(end, lastInAt, WIB)).toBe('Jendela 24 jam berakhir besok pukul 09.05.');
  const sameDay = new Date('2026-11-24T18:00:00Z');
  expect(untilWords(end, sameDay, WIB)).toBe('Jendela 24 jam berakhir pukul 09.05.');
});

test('a closed window says since when, or that it was never open', () => {
  expect(closedWords(end, WIB)).toContain('berakhir 25 Nov 2026, 09.05.');
  expect(closedWords(undefined, WIB)).toContain('belum pernah menulis');
});
