import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { Topup, TopupStatus } from '#contract/saldo.ts';
import {
  inFours,
  messagesFor,
  recentTopups,
  splitTotal,
} from '#web/features/saldo/topups/topups.ts';

const topup = (id: string, status: TopupStatus, expiresAt = '2026-11-22T02:00:00Z'): Topup => ({
  id: `TU-${id}`,
  status,
  base: rupiah(100_000),
  ppn: rupiah(0),
  unique_code: rupiah(123),
  total: rupiah(100_123),
  credited: rupiah(100_123),
  bank: { name: 'Bank Simulasi', number: '8800123456', holder: 'PT Kabari Contoh' },
  method: 'bank',
  simulated: false,
  qr: null,
  va: null,
  page_url: null,
  proof: null,
  created_at: new Date('2026-11-21T02:00:00Z'),
  expires_at: new Date(expiresAt),
  paid_at: null,
  note: null,
});

const ids = (topups: readonly Topup[]) => topups.map(({ id }) => id);

test('a pending top-up is listed even when ten newer ones were cancelled', () => {
  const newest = Array.from({ length: 10 }, (_, index) => topup(`c${index}`, 'cancelled'));
  expect(ids(recentTopups([topup('w', 'pending')], newest))).toEqual([
    'TU-w',
    'TU-c0',
    'TU-c1',
    'TU-c2',
  ]);
});

test('a pending top-up is listed once, the one that expires first on top', () => {
  const late = topup('late', 'pending', '2026-11-22T09:00:00Z');
  const soon = topup('soon', 'pending', '2026-11-21T09:00:00Z');
  const newest = [late, topup('seen', 'review'), soon, topup('paid', 'paid')];
  expect(ids(recentTopups([late, soon], newest))).toEqual([
    'TU-soon',
    'TU-late',
    'TU-seen',
    'TU-paid',
  ]);
});

test('account numbers are shown in groups of four', () => {
  expect(inFours('8800123456')).toBe('8800 1234 56');
  expect(inFours('12345678')).toBe('1234 5678');
});

test('the three digits that must be exact are separated', () => {
  const { head, tail } = splitTotal(250_007);
  expect(tail).toBe('007');
  expect((head + tail).replace(/\s/g, ' ')).toBe('Rp 250.007');
});

test('a balance pays whole messages only, and a zero price gives no count', () => {
  expect(messagesFor(10_149, 150)).toBe(67);
  expect(messagesFor(-5, 150)).toBe(0);
  expect(messagesFor(10_000, 0)).toBeUndefined();
});
