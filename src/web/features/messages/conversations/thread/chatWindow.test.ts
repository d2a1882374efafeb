import { expect, test } from 'vitest';
import { closedWords, leftWords, untilWords, windowEnd } from './chatWindow.ts';

const WIB = 'Asia/Jakarta';
const lastInAt = new Date('2026-11-24T02:05:00Z');
const end = new Date('2026-11-25T02:05:00Z');

test('a window is open for 24 hours after the phone’s last message', () => {
  expect(windowEnd(lastInAt)).toEqual(end);
  expect(windowEnd(null)).toBeUndefined();
});

test('an open window shows its end, today or tomorrow', () => {
  expect(untilWords(end, lastInAt, WIB)).toBe(
    'Jendela 24 jam berakhir besok pukul 09.05, 24 jam lagi.',
  );
  const sameDay = new Date('2026-11-24T18:00:00Z');
  expect(untilWords(end, sameDay, WIB)).toBe(
    'Jendela 24 jam berakhir pukul 09.05, 8 jam 5 menit lagi.',
  );
});

test('the remaining time is in whole minutes, rounded up to the end', () => {
  const before = (ms: number) => leftWords(end, new Date(end.getTime() - ms));
  expect([3_600_000, 3_599_999, 61_000, 60_000, 1].map(before)).toEqual([
    '1 jam',
    '1 jam',
    '2 menit',
    '1 menit',
    '1 menit',
  ]);
});

test('a closed window shows since when, or that it was never open', () => {
  expect(closedWords(end, WIB)).toContain('berakhir 25 Nov 2026, 09.05.');
  expect(closedWords(undefined, WIB)).toContain('belum pernah menulis');
});
