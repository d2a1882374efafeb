import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { Subscription } from '#contract/billing/plans.ts';
import { countTokens } from '#server/domains/tokens/tokens.ts';
import { type Wallet, chargedMessages, walletOf } from '#server/domains/ledger/ledger.ts';
import {
  GRATIS,
  type PlanRevision,
  planOf,
  plansAt,
  revisionAt,
} from '#server/domains/billing/plans/plans.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { wibDay } from './periods.ts';
import { type SubscriptionRow, readSubscription } from './row.ts';

/** An account's subscription as its owner sees it. */
export async function viewSubscription(tx: Tx, accountId: string, at: Date): Promise<Subscription> {
  const row = await readSubscription(tx, accountId);
  if (!row) throw new Error('an account without a subscription');
  const [plan, plans, wallet, charged, tokens] = await Promise.all([
    revisionAt(tx, { code: row.plan_code, revision: row.plan_revision }),
    plansAt(tx, at),
    walletOf(tx, accountId),
    chargedMessages(tx, accountId, { from: row.period_start, before: row.period_end }),
    countTokens(tx, accountId),
  ]);
  const { available } = wallet;
  const usage = usageOf(row, { wallet, charged, at });
  const due = dueOf(row, plan, plans);
  const next = nextOf(row, plan, plans);
  return {
    plan: planOf(plan),
    status: row.status,
    period_start: row.period_start,
    period_end: row.period_end,
    next_charge: nextCharge(row, { plan, next, due }),
    next_plan: next && next.code !== plan.code ? planOf(next) : null,
    cancel_at_period_end: row.cancel_at_period_end,
    grace_until: row.grace_until,
    shortage: due !== null && due > available ? rupiah(due - available) : null,
    usage,
    tokens_used: tokens,
  };
}

type Plans = ReadonlyMap<string, PlanRevision>;

/** What is due now, or would be charged to resume. */
function dueOf(row: SubscriptionRow, plan: PlanRevision, plans: Plans): Rupiah | null {
  if (row.status === 'past_due') return plan.price;
  return row.status === 'suspended' ? (plans.get(plan.code) ?? plan).price : null;
}

/** The plan of the next period, in the revision of now; none while the plan rests. */
function nextOf(row: SubscriptionRow, plan: PlanRevision, plans: Plans): PlanRevision | null {
  if (row.status === 'suspended') return null;
  const code = row.cancel_at_period_end ? GRATIS : (row.next_plan ?? plan.code);
  return plans.get(code) ?? null;
}

function nextCharge(
  row: SubscriptionRow,
  { plan, next, due }: { plan: PlanRevision; next: PlanRevision | null; due: Rupiah | null },
): Subscription['next_charge'] {
  if (row.status === 'past_due' && due !== null) return { at: row.period_start, amount: due };
  if (!next || next.price === 0 || plan.price === 0) return null;
  return { at: row.period_end, amount: next.price };
}

type Used = {
  wallet: Pick<Wallet, 'planUsed' | 'planQuota'>;
  /** Beyond the quota: counted, not divided by the price, which may have changed within the period. */
  charged: { count: number; amount: Rupiah };
  at: Date;
};

function usageOf(
  { period_start: start, period_end: end }: SubscriptionRow,
  { wallet: { planUsed: used, planQuota: quota }, charged: { count, amount }, at }: Used,
): Subscription['usage'] {
  return {
    used,
    quota,
    beyond: count,
    beyond_amount: amount,
    forecast: forecastOf({ start, end, at, messages: used + count }),
  };
}

type Pace = { start: Date; end: Date; at: Date; messages: number };

/** At the pace so far; unknown on the first day. */
export function forecastOf({ start, end, at, messages }: Pace): number | null {
  if (at < start || wibDay(at).equals(wibDay(start))) return null;
  const passed = Math.min(at.getTime(), end.getTime()) - start.getTime();
  return Math.round((messages * (end.getTime() - start.getTime())) / passed);
}
