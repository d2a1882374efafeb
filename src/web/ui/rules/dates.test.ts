import { expect, test } from 'vitest';
import { showCountdown } from '#web/ui/rules/countdown.ts';
import {
  isCivilDate,
  pickDay,
  presetNames,
  presetOf,
  presets,
  readDate,
  showDate,
  showRange,
  wholeRange,
} from '#web/ui/rules/dates.ts';

test('the presets are those of the specification, today included', () => {
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

test('presets hold across the end of a year, a leap day and short months', () => {
  expect(presets['Last 7 Days']('2027-01-03').from).toBe('2026-12-28');
  expect(presets['Last Month']('2027-01-31')).toEqual({ from: '2026-12-01', to: '2026-12-31' });
  expect(presets.Yesterday('2028-03-01').to).toBe('2028-02-29');
  expect(presets['Last Month']('2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' });
  expect(presets['This Month']('2028-02-10').to).toBe('2028-02-29');
});

test('a range that a preset gives is known by its name', () => {
  expect(presetOf({ from: '2026-11-15', to: '2026-11-21' }, '2026-11-21')).toBe('Last 7 Days');
  expect(presetOf({ from: '2026-11-15', to: '2026-11-20' }, '2026-11-21')).toBeUndefined();
});

test('only dates that exist are dates', () => {
  expect(isCivilDate('2028-02-29')).toBe(true);
  expect(isCivilDate('2026-02-29')).toBe(false);
  expect(isCivilDate('2026-2-9')).toBe(false);
  expect(isCivilDate('')).toBe(false);
});

test('dates and ranges are written in Indonesian, without saying anything twice', () => {
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
  ['2026-11-21', '2026-11-21'],
  ['kemarin', '2026-11-20'],
  ['Hari ini', '2026-11-21'],
  ['31/02/2026', undefined],
  ['besok lusa', undefined],
  ['', undefined],
])('typing "%s" means %s', (typed, date) => {
  expect(readDate(typed, '2026-11-21')).toBe(date);
});

test('clicks choose a start, then an end; a day before the start starts anew', () => {
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

test('a countdown shows minutes and seconds, and hours when there are any', () => {
  expect([299, 0.2, 0, -5, 3600, 86_399].map(showCountdown)).toEqual([
    '04.59',
    '00.01',
    '00.00',
    '00.00',
    '1.00.00',
    '23.59.59',
  ]);
});
