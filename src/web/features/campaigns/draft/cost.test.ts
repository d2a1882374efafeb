import { expect, test } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { costByPlan } from '#web/features/campaigns/draft/cost.ts';

test('messages beyond the quota cost the extra price, even while some quota is left', () => {
  const plan = { quota_left: 16, price_beyond_quota: rupiah(150) };
  expect(costByPlan(60, plan)).toEqual({ quota: 16, cost: 6_600 });
  expect(costByPlan(16, plan)).toEqual({ quota: 16, cost: 0 });
  expect(costByPlan(60, { ...plan, quota_left: 0 })).toEqual({ quota: 0, cost: 9_000 });
});
