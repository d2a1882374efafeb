import { expect, test } from 'vitest';
import {
  nextTime,
  showTime,
  timeOptions,
  instantOfLocal,
  localDateTime,
} from '#web/ui/time/time.ts';

test('offers 24 full hours, or 48 with the halves, as HH:MM:SS', () => {
  expect(timeOptions()).toHaveLength(24);
  expect(timeOptions().slice(0, 2)).toEqual(['00:00:00', '01:00:00']);
  expect(timeOptions().at(-1)).toBe('23:00:00');
  expect(timeOptions(true)).toHaveLength(48);
  expect(timeOptions(true).slice(0, 3)).toEqual(['00:00:00', '00:30:00', '01:00:00']);
  expect(timeOptions(true).at(-1)).toBe('23:30:00');
});

test('shows times without their seconds', () => {
  expect(showTime('09:30:00')).toBe('09.30');
});

test.each([
  ['09:05', false, '10:00:00'],
  ['09:00:00', false, '10:00:00'],
  ['09:05', true, '09:30:00'],
  ['09.30', true, '10:00:00'],
  ['23:40', false, '00:00:00'],
  ['23:29', true, '23:30:00'],
  ['23:30', true, '00:00:00'],
  ['25:00', false, undefined],
  ['', false, undefined],
])('after %s (halves: %s) a time select starts with %s', (now, half, next) => {
  expect(nextTime(now, half)).toBe(next);
  if (next) expect(timeOptions(half)).toContain(next);
});

test('converts a local date and time to an instant of its zone, and rejects anything else', () => {
  const at = new Date('2026-11-21T02:05:00Z');
  expect(localDateTime(at)).toBe('2026-11-21T09:05');
  expect(localDateTime(at, 'Asia/Jayapura')).toBe('2026-11-21T11:05');
  for (const zone of ['Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura'])
    expect(instantOfLocal(localDateTime(at, zone), zone)).toEqual(at);
  for (const none of ['', '2026-11-21', 'besok', '2026-13-41T09:05'])
    expect(instantOfLocal(none)).toBeUndefined();
});
