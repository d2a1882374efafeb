import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import {
  differenceOf,
  filterOf,
  mayConfirm,
  mayReject,
  offerOf,
  takesTwo,
  wordOf,
} from '#web/features/operator/topups/topups.ts';

const topup = (more: Partial<OperatorTopup> = {}): OperatorTopup => ({
  id: 'TU-1',
  status: 'pending',
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
  expires_at: new Date('2026-11-22T02:00:00Z'),
  paid_at: null,
  note: null,
  account_name: 'Toko Sari',
  candidates: [],
  slip: null,
  needs_two: false,
  gateway: null,
  refund: null,
  proposal: null,
  ...more,
});
const line = (amount: number) => ({
  line: `line-${amount}`,
  amount,
  description: 'SARI',
  at: new Date(),
  mine: false,
});

test('an operator sees waiting top-ups first, and all on request', () => {
  expect(filterOf(undefined)).toBe('open');
  expect(filterOf('semua')).toBeUndefined();
  expect(filterOf('review')).toBe('review');
  expect(filterOf('nonsense')).toBe('open');
  for (const filter of ['open', 'paid', undefined] as const) {
    expect(filterOf(wordOf(filter))).toBe(filter);
  }
});

test('a bank entry shows its difference', () => {
  const plain = (amount: number) => differenceOf(amount, 100_123).words.replace(/\s/g, ' ');
  expect(plain(100_123)).toBe('sama persis');
  expect(plain(100_000)).toBe('kurang Rp 123');
  expect(plain(100_200)).toBe('lebih Rp 77');
});

test('an exact bank entry outweighs any number of near ones', () => {
  expect(offerOf(topup())).toBeUndefined();
  expect(offerOf(topup({ candidates: [line(100_000), line(100_120)] }))?.exact).toBe(false);
  expect(offerOf(topup({ candidates: [line(100_123), line(100_120)] }))?.exact).toBe(true);
});

test('an expired top-up can still be confirmed, a paid one neither confirmed nor rejected', () => {
  expect(mayConfirm(topup({ status: 'expired' }))).toBe(true);
  expect(mayReject(topup({ status: 'expired' }))).toBe(false);
  expect(mayConfirm(topup({ status: 'paid' }))).toBe(false);
  expect(mayReject(topup({ status: 'review' }))).toBe(true);
});

test('a large top-up takes two operators, unless a bank entry imported by another one has exactly its amount', () => {
  const large = topup({ needs_two: true, candidates: [line(100_123), line(100_000)] });
  expect(takesTwo(large, 'line-100123')).toBe(false);
  expect(takesTwo(large, 'line-100000')).toBe(true);
  expect(takesTwo(large, 'lain')).toBe(true);
  const mine = { ...line(100_123), mine: true };
  expect(takesTwo(topup({ needs_two: true, candidates: [mine] }), mine.line)).toBe(true);
  expect(takesTwo(topup(), 'lain')).toBe(false);
});
