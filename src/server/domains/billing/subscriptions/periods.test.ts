import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { modelDay } from '#tests/support/money/calendar.ts';
import { prorate } from './change.ts';
import { addDays, nextDaytime, periodAt, periodOf, wibDay } from './periods.ts';

const anchors = fc
  .record({
    year: fc.integer({ min: 2023, max: 2030 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 31 }),
  })
  .map(({ year, month, day }) => modelDay(`${year}-${String(month).padStart(2, '0')}-${day}`, 0));

describe('the periods of a subscription', () => {
  test('count from the anchor: the 31st becomes the 28th, then the 31st', () => {
    const days = [0, 1, 2, 3, 13].map((n) => periodOf('2027-01-31', n).firstDay);
    expect(days).toEqual(['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2028-02-29']);
  });

  test('begin and end at midnight in WIB, without gaps', () => {
    fc.assert(
      fc.property(anchors, fc.integer({ min: 0, max: 60 }), (anchor, n) => {
        const period = periodOf(anchor, n);
        expect(period.firstDay).toBe(modelDay(anchor, n));
        expect(period.start).toEqual(new Date(`${modelDay(anchor, n)}T00:00:00+07:00`));
        expect(period.end).toEqual(new Date(`${modelDay(anchor, n + 1)}T00:00:00+07:00`));
        expect(period.end).toEqual(periodOf(anchor, n + 1).start);
        expect(addDays(period.start, period.days)).toEqual(period.end);
      }),
    );
  });

  test('include their first instant and exclude their end', () => {
    fc.assert(
      fc.property(anchors, fc.integer({ min: 0, max: 60 }), fc.nat(), (anchor, n, some) => {
        const { start, end } = periodOf(anchor, n);
        const inside = new Date(start.getTime() + (some % (end.getTime() - start.getTime())));
        expect(periodAt(anchor, inside).n).toBe(n);
        expect(periodAt(anchor, start).n).toBe(n);
        expect(periodAt(anchor, end).n).toBe(n + 1);
      }),
    );
  });

  test('a day in WIB begins at 17.00 UTC', () => {
    expect(wibDay(new Date('2026-11-20T16:59:59Z')).toString()).toBe('2026-11-20');
    expect(wibDay(new Date('2026-11-20T17:00:00Z')).toString()).toBe('2026-11-21');
  });
});

test('sends no bill at night', () => {
  const at = (time: string) => nextDaytime(new Date(`2026-11-21T${time}:00+07:00`));
  expect(at('00:00')).toEqual(new Date('2026-11-21T08:00:00+07:00'));
  expect(at('09:30')).toEqual(new Date('2026-11-21T09:30:00+07:00'));
  expect(at('20:00')).toEqual(new Date('2026-11-22T08:00:00+07:00'));
});

test('prorates a price to within half a rupiah, rounding half up', () => {
  expect(prorate(rupiah(99_000), 15, 30)).toBe(49_500);
  expect(prorate(rupiah(1), 1, 2)).toBe(1);
  expect(prorate(rupiah(99_000), 0, 31)).toBe(0);
  expect(prorate(rupiah(99_000), 31, 31)).toBe(99_000);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9_000_000_000_000 }),
      fc.integer({ min: 28, max: 31 }),
      fc.nat({ max: 28 }),
      (price, days, left) => {
        const off =
          BigInt(prorate(rupiah(price), left, days)) * BigInt(days) - BigInt(price) * BigInt(left);
        expect(2n * off > -BigInt(days) && 2n * off <= BigInt(days)).toBe(true);
      },
    ),
  );
});
