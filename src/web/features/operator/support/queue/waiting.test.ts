import { expect, test } from 'vitest';
import { pressureOf, waitedFor } from './waiting.ts';

test('an answer is due soon after a quarter of an hour, and late after an hour, of opening hours', () => {
  expect([0, 14].map(pressureOf)).toEqual(['fine', 'fine']);
  expect([15, 59].map(pressureOf)).toEqual(['soon', 'soon']);
  expect([60, 5_000].map(pressureOf)).toEqual(['late', 'late']);
});

test('the waiting time is clock time, in one short word', () => {
  const now = new Date('2026-11-23T05:00:00Z');
  const after = (minutes: number) => waitedFor(new Date(now.getTime() - minutes * 60_000), now);
  expect([0, 1, 59, 60, 179, 1_439, 1_440, 4_400].map(after)).toEqual([
    'baru saja',
    '1 mnt',
    '59 mnt',
    '1 jam',
    '2 jam',
    '23 jam',
    '1 hari',
    '3 hari',
  ]);
  // The server's clock may be ahead of this one.
  expect(after(-3)).toBe('baru saja');
});
