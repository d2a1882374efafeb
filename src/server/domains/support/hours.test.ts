import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type OpeningHours, supportHours, workingSeconds } from '#server/domains/support/hours.ts';
import { usualHours } from '#tests/support/support-hours.ts';

/** An instant of the week that begins on Monday, 23 November 2026, in WIB. */
const at = (day: number, clock: string): Date => new Date(`2026-11-${22 + day}T${clock}:00+07:00`);
const never: OpeningHours = { days: Array.from({ length: 7 }, () => null), days_off: [], note: '' };
const always: OpeningHours = {
  ...never,
  days: Array.from({ length: 7 }, () => ({ open: '00:00', close: '24:00' })),
};
/** A night shop: Friday evening until Saturday morning. */
const night: OpeningHours = {
  ...never,
  days: [null, null, null, null, { open: '22:00', close: '06:00' }, null, null],
};

test('is open from the opening minute to the minute before closing', () => {
  for (const [clock, isOpen] of [
    ['07:59', false],
    ['08:00', true],
    ['16:59', true],
    ['17:00', false],
  ] as const) {
    expect(supportHours(usualHours, at(1, clock)).open_now).toBe(isOpen);
  }
  expect(supportHours(usualHours, at(1, '08:00')).opens_at).toBeNull();
});

test('reports the next opening: today, tomorrow, after the weekend, after days off', () => {
  const next = (hours: OpeningHours, now: Date) => supportHours(hours, now).opens_at;
  expect(next(usualHours, at(1, '06:00'))).toEqual(at(1, '08:00'));
  expect(next(usualHours, at(1, '18:00'))).toEqual(at(2, '08:00'));
  expect(next(usualHours, at(6, '12:00'))).toEqual(at(8, '08:00'));
  const closed = { ...usualHours, days_off: ['2026-11-30', '2026-12-01'] };
  expect(next(closed, at(6, '12:00'))).toEqual(new Date('2026-12-02T08:00:00+07:00'));
  expect(supportHours(closed, at(8, '09:00')).open_now).toBe(false);
});

test('counts hours across midnight to the day they began on', () => {
  expect(supportHours(night, at(5, '23:00')).open_now).toBe(true);
  expect(supportHours(night, at(6, '05:59')).open_now).toBe(true);
  expect(supportHours(night, at(6, '06:00'))).toMatchObject({ open_now: false });
  expect(supportHours(night, at(6, '22:30')).open_now).toBe(false);
  // A day off: it does not open on it, and stays open from the evening before.
  expect(supportHours({ ...night, days_off: ['2026-11-28'] }, at(6, '05:00')).open_now).toBe(true);
  expect(supportHours({ ...night, days_off: ['2026-11-27'] }, at(6, '05:00')).open_now).toBe(false);
  expect(workingSeconds(night, at(5, '12:00'), at(6, '12:00'))).toBe(8 * 3600);
});

test('reports no next opening and no waiting if it never opens', () => {
  expect(supportHours(never, at(1, '12:00'))).toEqual({
    open_now: false,
    opens_at: null,
    lines: [],
    note: '',
  });
  expect(workingSeconds(never, at(1, '00:00'), at(7, '00:00'))).toBe(0);
  expect(supportHours(always, at(1, '00:00')).open_now).toBe(true);
});

test('counts opening hours only: a question of Friday evening, answered on Saturday, on Monday', () => {
  expect(workingSeconds(usualHours, at(1, '10:00'), at(1, '10:05'))).toBe(300);
  expect(workingSeconds(usualHours, at(5, '20:00'), at(6, '08:10'))).toBe(600);
  expect(workingSeconds(usualHours, at(6, '11:50'), at(8, '08:10'))).toBe(1200);
  expect(workingSeconds(usualHours, at(7, '10:00'), at(7, '11:00'))).toBe(0);
  expect(workingSeconds(usualHours, at(2, '10:00'), at(1, '10:00'))).toBe(0);
});

test('never counts more than elapsed time, and parts add up', () => {
  const minute = fc.integer({ min: 0, max: 14 * 1440 });
  fc.assert(
    fc.property(
      fc.tuple(minute, minute, minute),
      fc.constantFrom(usualHours, night, always),
      (some, hours) => {
        const [a = 0, b = 0, c = 0] = some.toSorted((one, other) => one - other);
        const time = (minutes: number) => new Date(at(1, '00:00').getTime() + minutes * 60_000);
        const seconds = (from: number, to: number) => workingSeconds(hours, time(from), time(to));
        expect(seconds(a, b) + seconds(b, c)).toBe(seconds(a, c));
        expect(seconds(a, c)).toBeLessThanOrEqual((c - a) * 60);
        if (hours === always) expect(seconds(a, c)).toBe((c - a) * 60);
      },
    ),
  );
});

test('joins consecutive days with the same hours on one line', () => {
  expect(supportHours(usualHours, at(1, '12:00')).lines).toEqual([
    'Senin–Jumat 08.00–17.00 WIB',
    'Sabtu 08.00–12.00 WIB',
  ]);
  expect(supportHours(always, at(1, '12:00')).lines).toEqual(['Senin–Minggu 00.00–24.00 WIB']);
});
