import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { Pace, UsageDay } from '#contract/saldo.ts';
import { barsOf, lastsFor, sumsOf } from '#web/features/saldo/usage/usage.ts';

const pace = (perDay: number): Pace => ({ state: 'known', per_day: rupiah(perDay), days: 7 });

const day = (date: string, captured: number, held = 0, plan = 0): UsageDay => ({
  date,
  captured: rupiah(captured),
  held: rupiah(held),
  plan: rupiah(plan),
});

test('a saldo lasts whole days, with labels for less than one and more than a year', () => {
  expect(lastsFor(10_000, pace(3_000))).toBe(3);
  expect(lastsFor(3_000, pace(3_000))).toBe(1);
  expect(lastsFor(2_999, pace(3_000))).toBe('less');
  expect(lastsFor(0, pace(3_000))).toBe('less');
  expect(lastsFor(365_000, pace(1_000))).toBe(365);
  expect(lastsFor(366_000, pace(1_000))).toBe('year');
});

test('without a pace there is no estimate', () => {
  expect(lastsFor(10_000, { state: 'little' })).toBeUndefined();
  expect(lastsFor(10_000, { state: 'none' })).toBeUndefined();
  expect(lastsFor(10_000, undefined)).toBeUndefined();
});

test('a bar for each day, labelled without its year', () => {
  expect(barsOf([day('2026-11-21', 450, 150, 99_000)])).toEqual([
    { label: '21 Nov', values: { captured: 450, held: 150, plan: 99_000 } },
  ]);
  expect(sumsOf([day('2026-11-20', 100, 50, 7), day('2026-11-21', 1)])).toEqual({
    messages: 151,
    plan: 7,
  });
});
