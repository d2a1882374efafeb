import { expect, test } from 'vitest';
import { pressureOf, snoozeFault, snoozeTimes, waitedFor } from './times.ts';

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

const times = (now: string) =>
  snoozeTimes(new Date(now)).map(({ label, until }) => `${label} = ${until.toISOString()}`);

test('a thread is snoozed for an hour, to the next morning, and to Monday morning, in WIB', () => {
  expect(times('2026-11-25T04:30:00Z')).toEqual([
    '1 jam = 2026-11-25T05:30:00.000Z',
    'Besok 08.00 = 2026-11-26T01:00:00.000Z',
    'Senin depan 08.00 = 2026-11-30T01:00:00.000Z',
  ]);
  // Still Wednesday in UTC, but Thursday 00.30 in WIB.
  expect(times('2026-11-25T17:30:00Z')[1]).toBe('Besok 08.00 = 2026-11-27T01:00:00.000Z');
});

test('on a Monday, Monday is the next one; on a Sunday it is tomorrow and offered once', () => {
  expect(times('2026-11-23T00:30:00Z')[2]).toBe('Senin depan 08.00 = 2026-11-30T01:00:00.000Z');
  expect(times('2026-11-29T05:00:00Z')).toEqual([
    '1 jam = 2026-11-29T06:00:00.000Z',
    'Besok 08.00 = 2026-11-30T01:00:00.000Z',
  ]);
});

test('a chosen time is in the future, and within thirty days', () => {
  const now = new Date('2026-11-25T04:30:00Z');
  expect(snoozeFault(new Date('2026-11-25T04:30:00Z'), now)).toMatch(/belum lewat/);
  expect(snoozeFault(new Date('2026-12-25T04:30:01Z'), now)).toMatch(/30 hari/);
  expect(snoozeFault(new Date('2026-12-25T04:30:00Z'), now)).toBeUndefined();
  expect(snoozeFault(new Date(Number.NaN), now)).toMatch(/Pilih tanggal/);
});
