import { rupiah } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';

type Plan = Pick<SaldoSummary, 'quota_left' | 'price_beyond_quota'>;

/** The number of messages covered by the plan's quota, and the cost of the others. */
export function costByPlan(messages: number, { quota_left, price_beyond_quota: price }: Plan) {
  const quota = Math.min(quota_left, messages);
  return { quota, cost: rupiah((messages - quota) * price) };
}
