import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  dateWords,
  daysIn,
  fits,
  isCivilDate,
  mayPick,
  monthOf,
  pickDay,
  plusDays,
  plusMonths,
  presetNames,
  presetOf,
  presets,
  presetWithin,
  showDate,
  showRange,
  wholeRange,
} from '#web/ui/date/dates.ts';
import { readDate, readRange, whyNoDate } from '#web/ui/date/calendar.ts';

const aDay = fc.integer({ min: -25_567, max: 84_005 }).map((day) => plusDays('1970-01-01', day));
const aRange = fc
  .tuple(aDay, aDay)
  .map(([one, other]) => (one <= other ? { from: one, to: other } : { from: other, to: one }));

test('the presets are the specified ones, today included', () => {
  expect(presetNames).toEqual([
    'Today',
    'Yesterday',
    'Last 7 Days',
    'Last 30 Days',
    'This Month',
    'Last Month',
  ]);
  const made = presetNames.map((name) => presets[name]('2026-11-21'));
  expect(made).toEqual([
    { from: '2026-11-21', to: '2026-11-21' },
    { from: '2026-11-20', to: '2026-11-20' },
    { from: '2026-11-15', to: '2026-11-21' },
    { from: '2026-10-23', to: '2026-11-21' },
    { from: '2026-11-01', to: '2026-11-30' },
    { from: '2026-10-01', to: '2026-10-31' },
  ]);
});

test('the product names them in Indonesian', () => {
  expect(presetNames.map((name) => dateWords[name])).toEqual([
    'Hari ini',
    'Kemarin',
    '7 hari terakhir',
    '30 hari terakhir',
    'Bulan ini',
    'Bulan lalu',
  ]);
});

test('presets are right across the end of a year, a leap day and short months', () => {
  expect(presets['Last 7 Days']('2027-01-03').from).toBe('2026-12-28');
  expect(presets['Last Month']('2027-01-31')).toEqual({ from: '2026-12-01', to: '2026-12-31' });
  expect(presets.Yesterday('2028-03-01').to).toBe('2028-02-29');
  expect(presets['Last Month']('2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(presets['Last 30 Days']('2026-03-31')).toEqual({ from: '2026-03-02', to: '2026-03-31' });
  expect(presets['This Month']('2028-02-10').to).toBe('2028-02-29');
});

test('presets of any day are complete, of their length, and in their months', () => {
  fc.assert(
    fc.property(aDay, (today) => {
      const month = presets['This Month'](today);
      const last = presets['Last Month'](today);
      expect(daysIn(presets['Last 7 Days'](today))).toBe(7);
      expect(daysIn(presets['Last 30 Days'](today))).toBe(30);
      expect(month.from <= today && today <= month.to).toBe(true);
      expect(month.from.slice(8)).toBe('01');
      expect(plusDays(month.to, 1).slice(8)).toBe('01');
      expect(plusDays(last.to, 1)).toBe(month.from);
      for (const name of presetNames) {
        const made = presets[name](today);
        expect([made.from, made.to].every(isCivilDate)).toBe(true);
        expect(made.from <= made.to).toBe(true);
      }
    }),
  );
});

test('a preset’s range has the preset’s name', () => {
  expect(presetOf({ from: '2026-11-15', to: '2026-11-21' }, '2026-11-21')).toBe('Last 7 Days');
  expect(presetOf({ from: '2026-11-15', to: '2026-11-20' }, '2026-11-21')).toBeUndefined();
});

test('presets stop at the bounds; presets outside, or too long, are not offered', () => {
  const today = '2026-11-21';
  const tillToday = { from: '2026-11-01', to: today };
  expect(presetWithin('This Month', today, { max: today })).toEqual(tillToday);
  expect(presetOf(tillToday, today, { max: today })).toBe('This Month');
  expect(presetWithin('Last 30 Days', today, { min: '2026-11-10' })?.from).toBe('2026-11-10');
  expect(presetWithin('Last Month', today, { min: '2026-11-10' })).toBeUndefined();
  expect(presetWithin('Last 30 Days', today, { maxSpan: 7 })).toBeUndefined();
  expect(presetWithin('Last 7 Days', today, { maxSpan: 7 })?.from).toBe('2026-11-15');
});

test('accepts only dates that exist', () => {
  expect(isCivilDate('2028-02-29')).toBe(true);
  expect(isCivilDate('2026-02-29')).toBe(false);
  expect(isCivilDate('2026-2-9')).toBe(false);
  expect(isCivilDate('')).toBe(false);
});

test('adds months to the same day, or to the last day of the month', () => {
  expect(plusMonths('2026-01-31', 1)).toBe('2026-02-28');
  expect(plusMonths('2028-01-31', 1)).toBe('2028-02-29');
  expect(plusMonths('2026-03-31', -1)).toBe('2026-02-28');
  expect(plusMonths('2028-02-29', 12)).toBe('2029-02-28');
  expect(plusMonths('2026-12-15', 1)).toBe('2027-01-15');
  expect(monthOf('2026-12-31', 2)).toEqual({ from: '2027-02-01', to: '2027-02-28' });
});

test('adds and subtracts days, and counts both ends of a range', () => {
  fc.assert(
    fc.property(aDay, fc.integer({ min: 0, max: 4_000 }), (day, days) => {
      const later = plusDays(day, days);
      expect(plusDays(later, -days)).toBe(day);
      expect(daysIn({ from: day, to: later })).toBe(days + 1);
    }),
  );
});

test('writes dates and ranges in Indonesian, without repetition', () => {
  expect(showDate('2026-08-05')).toBe('5 Agu 2026');
  expect(showRange({ from: '2026-11-21', to: '2026-11-21' })).toBe('21 Nov 2026');
  expect(showRange({ from: '2026-11-01', to: '2026-11-21' })).toBe('1 – 21 Nov 2026');
  expect(showRange({ from: '2026-10-28', to: '2026-11-03' })).toBe('28 Okt – 3 Nov 2026');
  expect(showRange({ from: '2026-12-28', to: '2027-01-03' })).toBe('28 Des 2026 – 3 Jan 2027');
});

test.each([
  ['21/11/2026', '2026-11-21'],
  ['1-2-26', '2026-02-01'],
  ['3 okt', '2026-10-03'],
  ['3 Oktober 2025', '2025-10-03'],
  ['17 agustus', '2026-08-17'],
  ['17 agt', '2026-08-17'],
  ['2026-11-21', '2026-11-21'],
  ['kemarin', '2026-11-20'],
  [' Hari  ini ', '2026-11-21'],
  ['29/02/2028', '2028-02-29'],
  ['29 feb', undefined],
  ['31/02/2026', undefined],
  ['3 oktopus', undefined],
  ['constructor', undefined],
  ['21', undefined],
  ['besok lusa', undefined],
  ['', undefined],
])('typing "%s" means %s', (typed, date) => {
  expect(readDate(typed, '2026-11-21')).toBe(date);
});

test.each([
  ['01/10/2026 - 07/10/2026', '2026-10-01', '2026-10-07'],
  ['2026-10-01 – 2026-10-07', '2026-10-01', '2026-10-07'],
  ['3 okt - kemarin', '2026-10-03', '2026-11-20'],
  ['1 s/d 21 nov', '2026-11-01', '2026-11-21'],
  ['28 des - 3 jan', '2025-12-28', '2026-01-03'],
  ['28 des – 3 jan 2027', '2026-12-28', '2027-01-03'],
  ['7 okt sampai 1 okt', '2026-10-01', '2026-10-07'],
  ['kemarin', '2026-11-20', '2026-11-20'],
  ['3 okt', '2026-10-03', '2026-10-03'],
])('typing "%s" means the days from %s to %s', (typed, from, to) => {
  expect(readRange(typed, '2026-11-21')).toEqual({ from, to });
});

test.each(['', ' - ', '3 okt - ', '- 3 okt', '1 - 2 - 3 okt', '31/02/2026 - 3/3/2026', 'minggu'])(
  'typing "%s" is no range',
  (typed) => {
    expect(readRange(typed, '2026-11-21')).toBeUndefined();
  },
);

test('reads a range as it shows it', () => {
  fc.assert(
    fc.property(aRange, aDay, (range, today) => {
      expect(readRange(showRange(range), today)).toEqual(range);
    }),
  );
});

test('accepts any typing without failing', () => {
  const piece = fc.constantFrom(...'0123456789 -–/.'.split(''), 'okt', 'des', ' - ', 'kemarin');
  const typed = fc.oneof(
    fc.string(),
    fc.array(piece).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(typed, (text) => {
      const range = readRange(text, '2026-11-21');
      if (!range) return;
      expect(isCivilDate(range.from) && isCivilDate(range.to)).toBe(true);
      expect(range.from <= range.to).toBe(true);
    }),
  );
});

test('clicks choose a start, then an end; a day before the start restarts', () => {
  const start = pickDay({}, '2026-11-10');
  expect(start).toEqual({ from: '2026-11-10' });
  expect(wholeRange(start)).toBeUndefined();
  expect(pickDay(start, '2026-11-10')).toEqual({ from: '2026-11-10', to: '2026-11-10' });
  expect(pickDay(start, '2026-11-12')).toEqual({ from: '2026-11-10', to: '2026-11-12' });
  expect(pickDay(start, '2026-11-09')).toEqual({ from: '2026-11-09' });
  expect(pickDay({ from: '2026-11-10', to: '2026-11-12' }, '2026-11-11')).toEqual({
    from: '2026-11-11',
  });
});

test('a complete range runs forwards within the bounds after any clicks', () => {
  const bounds = { min: '2026-10-05', max: '2026-12-20', maxSpan: 31 };
  const near = fc.integer({ min: -60, max: 60 }).map((days) => plusDays('2026-11-21', days));
  fc.assert(
    fc.property(fc.array(near), (clicks) => {
      const picked = clicks.reduce(
        (before, day) => (mayPick(day, before, bounds) ? pickDay(before, day) : before),
        {},
      );
      const range = wholeRange(picked);
      expect(range === undefined || (range.from <= range.to && fits(range, bounds))).toBe(true);
    }),
  );
});

test.each([
  ['31/2/2026', true, 'Tanggal 31/2/2026 tidak ada.'],
  ['31 feb', true, 'Tanggal 31 feb tidak ada.'],
  ['besok lusa', true, 'Tulis tanggal seperti 21/11/2026 atau 21 nov.'],
  ['1/2/2026 - 30/2/2026', false, 'Tanggal 30/2/2026 tidak ada.'],
  ['1 - 2 - 3', false, 'Tulis rentang seperti 1/11/2026 - 21/11/2026.'],
  ['21 nov', true, undefined],
  ['1 - 21 nov', false, undefined],
  ['', false, undefined],
])('what is no date is told why: "%s"', (typed, single, why) => {
  expect(whyNoDate(typed, '2026-11-21', { single })).toBe(why);
});
