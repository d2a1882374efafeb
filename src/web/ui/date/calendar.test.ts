import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monthWeeks, moveDay, opening, showDay, showing } from '#web/ui/date/calendar.ts';
import { plusDays } from '#web/ui/date/dates.ts';

const aDay = fc.integer({ min: -25_567, max: 84_005 }).map((day) => plusDays('1970-01-01', day));
const plain = { shift: false, today: '2026-11-21' };

test('a month has all of its days, in weeks that start on Sunday', () => {
  const weeks = monthWeeks('2026-11-21');
  expect(weeks).toHaveLength(6);
  expect(weeks[0]?.[0]).toBe('2026-11-01');
  expect(weeks[4]?.slice(0, 3)).toEqual(['2026-11-29', '2026-11-30', undefined]);
  expect(monthWeeks('2028-02-01').flat().filter(Boolean)).toHaveLength(29);
  expect(monthWeeks('2027-01-15')[0]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    '2027-01-01',
    '2027-01-02',
  ]);
});

test('every day occurs once in its month, under its weekday', () => {
  fc.assert(
    fc.property(aDay, (day) => {
      const weeks = monthWeeks(day);
      const found = weeks.filter((week) => week.includes(day));
      expect(found).toHaveLength(1);
      expect(found[0]?.indexOf(day)).toBe(new Date(`${day}T00:00:00Z`).getUTCDay());
      expect(weeks.flat().filter(Boolean)).toHaveLength(new Set(weeks.flat().filter(Boolean)).size);
    }),
  );
});

test.each([
  ['ArrowLeft', '2026-12-31', '2026-12-30'],
  ['ArrowRight', '2026-12-31', '2027-01-01'],
  ['ArrowUp', '2027-01-03', '2026-12-27'],
  ['ArrowDown', '2028-02-26', '2028-03-04'],
  ['Home', '2026-11-25', '2026-11-22'],
  ['End', '2026-11-25', '2026-11-28'],
  ['PageUp', '2026-03-31', '2026-02-28'],
  ['PageDown', '2026-12-31', '2027-01-31'],
  ['t', '2020-01-01', '2026-11-21'],
])('%s goes from %s to %s', (key, from, to) => {
  expect(moveDay(from, key, plain)).toBe(to);
});

test('Shift pages by years, and a leap day moves to an existing day', () => {
  expect(moveDay('2028-02-29', 'PageDown', { ...plain, shift: true })).toBe('2029-02-28');
  expect(moveDay('2026-11-21', 'PageUp', { ...plain, shift: true })).toBe('2025-11-21');
});

test('other keys move nothing, and nothing moves beyond the calendar', () => {
  expect(moveDay('2026-11-21', 'a', plain)).toBeUndefined();
  expect(moveDay('2026-11-21', 'constructor', plain)).toBeUndefined();
  expect(moveDay('9999-12-31', 'PageDown', plain)).toBe('9999-12-31');
});

test('the months turn only as far as the day needs', () => {
  expect(showing('2026-11-01', '2026-12-31', 2)).toBe('2026-11-01');
  expect(showing('2026-11-01', '2027-01-01', 2)).toBe('2026-12-01');
  expect(showing('2026-11-01', '2026-10-31', 2)).toBe('2026-10-01');
  expect(showing('2026-11-01', '2027-01-01', 1)).toBe('2027-01-01');
});

test('a calendar that ends today opens with the previous month beside this one', () => {
  expect(opening('2026-11-21', 2, { max: '2026-11-21' })).toBe('2026-10-01');
  expect(opening('2026-11-21', 2, {})).toBe('2026-11-01');
  expect(opening('2026-11-21', 1, { max: '2026-11-21' })).toBe('2026-11-01');
  expect(opening('2026-08-05', 2, { max: '2026-11-21' })).toBe('2026-08-01');
});

test('a day is shown with its weekday', () => {
  expect(showDay('2026-11-21')).toBe('Sabtu, 21 November 2026');
});
