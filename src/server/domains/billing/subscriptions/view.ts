import { type Rupiah, rupiah } from '#contract/base/money.ts';
import type { Subscription } from '#contract/billing/plans.ts';
import { countTokens } from '#server/domains/tokens/tokens.ts';
import { walletOf } from '#server/domains/ledger/ledger.ts';
import { GRATIS, type PlanRevision, planOf, plansAt } from '#server/domains/billing/plans/plans.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { wibDay } from './periods.ts';
import { type SubscriptionRow, readSubscription, standingOf } from './row.ts';

/** An account's subscription as its owner sees it. */
export async function viewSubscription(tx: Tx, accountId: string, at: Date): Promise<Subscription> {
  const row = await readSubscription(tx, accountId);
  if (!row) throw new Error('an account without a subscription');
  const [{ plan }, plans, { available }, usage, tokens] = await Promise.all([
    standingOf(tx, row),
    plansAt(tx, at),
    walletOf(tx, accountId),
    usageOf(tx, row, at),
    countTokens(tx, accountId),
  ]);
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

type Used = { used: number; quota: number; price: number | null };

async function usageOf(tx: Tx, row: SubscriptionRow, at: Date): Promise<Subscription['usage']> {
  const { account_id: accountId, period_start: start, period_end: end } = row;
  const [wallet] = await tx<Used[]>`
    select plan_used as used, plan_quota as quota, plan_price as price
    from wallets where account_id = ${accountId}`;
  // From the counts by hour: midnights in WIB are whole hours.
  const [sent] = await tx<{ messages: number; cost: number }[]>`
    select coalesce(sum(messages) filter (
        where status not in ('failed', 'expired', 'cancelled')
      ), 0)::bigint as messages, coalesce(sum(cost), 0)::bigint as cost
    from message_counts
    where account_id = ${accountId} and hour >= ${start} and hour < ${end} and direction = 'out'`;
  const { used, quota, price } = wallet ?? { used: 0, quota: 0, price: null };
  const cost = sent?.cost ?? 0;
  const beyond = beyondOf({ cost, price, others: Math.max(0, (sent?.messages ?? 0) - used) });
  return {
    used,
    quota,
    beyond,
    beyond_amount: rupiah(cost),
    forecast: forecastOf({ start, end, at, messages: used + beyond }),
  };
}

/** Messages beyond the quota: by their price, where all had the same. */
function beyondOf({ cost, price, others }: { cost: number; price: number | null; others: number }) {
  if (cost === 0) return 0;
  return price !== null && price > 0 && cost % price === 0 ? cost / price : others;
}

type Pace = { start: Date; end: Date; at: Date; messages: number };

/** At the pace so far; unknown on the first day. */
export function forecastOf({ start, end, at, messages }: Pace): number | null {
  if (at < start || wibDay(at).equals(wibDay(start))) return null;
  const passed = Math.min(at.getTime(), end.getTime()) - start.getTime();
  return Math.round((messages * (end.getTime() - start.getTime())) / passed);
}
