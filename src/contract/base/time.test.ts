import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  civilDate,
  clockTime,
  formatAgo,
  formatDate,
  formatDateTimeEnglish,
  formatDateTimeZone,
  formatLapse,
  formatTime,
  instantIn,
} from './time.ts';

const instants = fc.date({
  min: new Date('1971-01-01T00:00:00Z'),
  max: new Date('9000-01-01T00:00:00Z'),
  noInvalidDate: true,
});
const zones = fc.constantFrom('Asia/Jakarta', 'Asia/Makassar', 'Asia/Jayapura');
const day = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;

test('formats days and times of the calendar in each of the three zones', () => {
  fc.assert(
    fc.property(instants, zones, (at, timeZone) => {
      const intl = (parts: Intl.DateTimeFormatOptions, language = 'id-ID') =>
        new Intl.DateTimeFormat(language, { timeZone, ...parts }).format(at);
      expect(formatDate(at, timeZone)).toBe(intl(day));
      expect(formatTime(at, timeZone)).toBe(intl(clock));
      expect(formatDateTimeZone(at, timeZone)).toBe(
        intl({ ...day, ...clock, timeZoneName: 'short' }),
      );
      expect(civilDate(at, timeZone)).toBe(intl({ dateStyle: 'short' }, 'en-CA'));
    }),
  );
});

test('formats English times in WIB', () => {
  expect(formatDateTimeEnglish('2026-11-21T02:05:00Z')).toBe('21 Nov 2026, 09:05');
});

test('formats recent times as a distance', () => {
  const now = new Date('2026-11-21T02:05:00Z');
  const ago = (seconds: number) => formatAgo(new Date(now.getTime() - seconds * 1000), now);
  expect([0, 44, -44].map(ago)).toEqual(['baru saja', 'baru saja', 'baru saja']);
  expect([45, 300, 2_699, -90].map(ago)).toEqual([
    '1 menit yang lalu',
    '5 menit yang lalu',
    '45 menit yang lalu',
    'dalam 2 menit',
  ]);
  expect([2_700, 23 * 3600, -7_200].map(ago)).toEqual([
    '1 jam yang lalu',
    '23 jam yang lalu',
    'dalam 2 jam',
  ]);
  expect(ago(24 * 3600)).toBe('20 Nov 2026, 09.05');
});

test('formats a duration in its two largest units', () => {
  const said = [0, 60, 1_240, 9_960, 61_000, 3_600_000, 7_500_000, 2 * 86_400_000 + 60_000];
  expect(said.map(formatLapse)).toEqual([
    '0 detik',
    '0,1 detik',
    '1,2 detik',
    '10 detik',
    '1 menit 1 detik',
    '1 jam',
    '2 jam 5 menit',
    '2 hari',
  ]);
});

test('converts a clock time of a day to an instant of its zone and back', () => {
  for (const [zone, iso] of [
    ['Asia/Jakarta', '2026-11-26T17:30:00.000Z'],
    ['Asia/Jayapura', '2026-11-26T15:30:00.000Z'],
  ] as const) {
    const at = instantIn('2026-11-27', '00:30', zone);
    expect(at.toISOString()).toBe(iso);
    expect([civilDate(at, zone), clockTime(at, zone)]).toEqual(['2026-11-27', '00:30']);
  }
});
