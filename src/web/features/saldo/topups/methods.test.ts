import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { TopupMethod, TopupStatus } from '#contract/saldo.ts';
import {
  arranged,
  lastMethodOf,
  type Method,
  type MethodGroup,
  selectedOf,
  unfitFor,
  unfitForAll,
  waitsFor,
} from '#web/features/saldo/topups/methods.ts';

const method = (name: TopupMethod, minimum = 10_000, maximum = 10_000_000): Method => ({
  method: name,
  simulated: false,
  minimum: rupiah(minimum),
  maximum: rupiah(maximum),
  minutes: 15,
});

const names = (groups: readonly MethodGroup[]) =>
  groups.map(({ title, methods }) => [title, ...methods.map((one) => one.method)]);

const offered = [
  method('xendit'),
  method('bank', 10_000, 100_000_000),
  method('va_bni'),
  method('qris'),
  method('va_bca'),
  method('snap'),
];

test('QRIS, virtual accounts and transfer are shown, the rest is folded', () => {
  const { shown, folded } = arranged(offered, undefined);
  expect(names(shown)).toEqual([
    ['QRIS', 'qris'],
    ['Virtual account', 'va_bca', 'va_bni'],
    ['Transfer bank', 'bank'],
  ]);
  expect(names(folded)).toEqual([
    ['Midtrans', 'snap'],
    ['Xendit', 'xendit'],
  ]);
});

test('the kind of the last used method comes first, also one that is folded otherwise', () => {
  expect(names(arranged(offered, 'va_bni').shown)[0]).toEqual([
    'Virtual account',
    'va_bca',
    'va_bni',
  ]);
  const { shown, folded } = arranged(offered, 'snap');
  expect(names(shown).map(([title]) => title)).toEqual([
    'Midtrans',
    'QRIS',
    'Virtual account',
    'Transfer bank',
  ]);
  expect(names(folded)).toEqual([['Xendit', 'xendit']]);
});

test('the last method is that of the newest top-up that was paid or may be', () => {
  const topup = (day: number, way: TopupMethod, status: TopupStatus) => ({
    method: way,
    status,
    created_at: new Date(Date.UTC(2026, 10, day)),
  });
  const topups = [
    topup(20, 'va_bni', 'pending'),
    topup(23, 'qris', 'cancelled'),
    topup(22, 'bank', 'paid'),
    topup(21, 'snap', 'paid'),
  ];
  expect(lastMethodOf(topups)).toBe('bank');
  expect(lastMethodOf(topups.slice(1, 2))).toBeUndefined();
});

test('the picked method is selected, else the last, else the first that accepts the amount', () => {
  const choice = { amount: 50_000, picked: undefined, last: undefined };
  expect(selectedOf(offered, choice)).toBe('qris');
  expect(selectedOf(offered, { ...choice, last: 'va_bni' })).toBe('va_bni');
  expect(selectedOf(offered, { ...choice, last: 'va_bni', picked: 'snap' })).toBe('snap');
  const much = { amount: 20_000_000, picked: 'qris', last: 'va_bni' } as const;
  expect(selectedOf(offered, much)).toBe('bank');
  expect(selectedOf([], choice)).toBeUndefined();
});

test('an amount that no method accepts shows the nearest limit', () => {
  expect(unfitForAll(offered, 9_999)).toBe('Isi saldo minimal Rp\u00A010.000.');
  expect(unfitForAll(offered, 100_000_001)).toBe('Isi saldo paling banyak Rp\u00A0100.000.000.');
  expect(unfitForAll(offered, 20_000_000)).toBeUndefined();
  expect(unfitForAll([], 1)).toBeUndefined();
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
