import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { TopupMethod } from '#contract/saldo.ts';
import {
  firstChoice,
  grouped,
  type Method,
  unfitFor,
  waitsFor,
} from '#web/features/saldo/topups/methods.ts';

const method = (name: TopupMethod, minimum = 10_000, maximum = 10_000_000): Method => ({
  method: name,
  simulated: false,
  minimum: rupiah(minimum),
  maximum: rupiah(maximum),
  minutes: 15,
});

test('methods are grouped by kind in a fixed order', () => {
  const some = [method('bank'), method('va_bni'), method('qris'), method('va_bca')];
  expect(
    grouped(some).map(({ title, methods }) => [title, ...methods.map((one) => one.method)]),
  ).toEqual([
    ['Transfer bank', 'bank'],
    ['QRIS', 'qris'],
    ['Virtual account', 'va_bca', 'va_bni'],
  ]);
  expect(firstChoice(some)).toBe('bank');
  expect(firstChoice([method('qris')])).toBe('qris');
  expect(firstChoice([])).toBeUndefined();
});

test('an amount outside a method’s limits shows the reason', () => {
  const qris = method('qris', 10_000, 10_000_000);
  expect(unfitFor(qris, undefined)).toBeUndefined();
  expect(unfitFor(qris, 10_000)).toBeUndefined();
  expect(unfitFor(qris, 9_999)).toBe('Mulai Rp\u00A010.000');
  expect(unfitFor(qris, 10_000_001)).toBe('Sampai Rp\u00A010.000.000');
});

test('the waiting time is in hours if it is a whole number of them', () => {
  expect(waitsFor(15)).toBe('15 menit');
  expect(waitsFor(90)).toBe('90 menit');
  expect(waitsFor(1_440)).toBe('24 jam');
});
