import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { costByPlan, missingOf, paysNone } from '#web/features/campaigns/draft/cost.ts';

test('messages beyond the quota cost the extra price, even while some quota is left', () => {
  const plan = { quota_left: 16, price_beyond_quota: rupiah(150) };
  expect(costByPlan(60, plan)).toEqual({ quota: 16, cost: 6_600 });
  expect(costByPlan(16, plan)).toEqual({ quota: 16, cost: 0 });
  expect(costByPlan(60, { ...plan, quota_left: 0 })).toEqual({ quota: 0, cost: 9_000 });
});

test('a top-up proposes what the saldo lacks; below one message nothing can be resumed', () => {
  const figures = { messages: 37, quota: 0, cost: rupiah(5_550), isBonus: false, duration: '' };
  const having = (available: number, more: object = {}) => ({
    ...figures,
    available: rupiah(available),
    ...more,
  });
  expect(missingOf(having(100))).toBe(5_450);
  expect(missingOf(having(5_550))).toBe(0);
  expect(missingOf(having(9_000, { isBonus: true }))).toBe(5_550);
  expect(missingOf({ ...figures, available: undefined })).toBe(0);
  expect(paysNone(having(149))).toBe(true);
  expect(paysNone(having(150))).toBe(false);
  expect(paysNone(having(0, { quota: 1 }))).toBe(false);
  expect(paysNone(having(0, { cost: undefined }))).toBe(false);
});
