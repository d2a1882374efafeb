import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';

type Plan = Pick<SaldoSummary, 'quota_left' | 'price_beyond_quota'>;

/** The number of messages covered by the plan's quota, and the cost of the others. */
export function costByPlan(messages: number, { quota_left, price_beyond_quota: price }: Plan) {
  const quota = Math.min(quota_left, messages);
  return { quota, cost: rupiah((messages - quota) * price) };
}

/** The cost of a number of messages; undefined where it is not known yet. */
export type CostFigures = {
  messages: number;
  quota: number;
  cost: Rupiah | undefined;
  available: Rupiah | undefined;
  /** The saldo is a welcome bonus, which does not pay for these. */
  isBonus: boolean;
  duration: string;
};

/** The amount missing for all messages; 0 while unknown. */
export const missingOf = ({ cost, available, isBonus }: CostFigures): Rupiah =>
  cost === undefined || available === undefined
    ? rupiah(0)
    : rupiah(Math.max(0, cost - (isBonus ? 0 : available)));

/** Whether the saldo pays not even for the next message. */
export const paysNone = ({ messages, quota, cost, available, isBonus }: CostFigures): boolean =>
  cost !== undefined &&
  available !== undefined &&
  cost > 0 &&
  quota === 0 &&
  (isBonus || available * messages < cost);
