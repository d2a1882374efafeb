import type { SubscriptionStatus } from '#contract/billing.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { setPlanAllowances, walletOf } from '#server/domains/ledger/ledger.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { GRATIS, type PlanRevision, planAt, revisionAt } from '#server/domains/billing/plans.ts';
import type { SubscriptionState } from './change.ts';
import { type Period, periodFrom, periodOf } from './periods.ts';

export type SubscriptionRow = {
  account_id: string;
  plan_code: string;
  plan_revision: number;
  status: SubscriptionStatus;
  anchor: string;
  period_no: number;
  period_start: Date;
  period_end: Date;
  next_plan: string | null;
  cancel_at_period_end: boolean;
  grace_until: Date | null;
  suspended_at: Date | null;
  due_charge: string | null;
  due_invoice: string | null;
  revision: number;
};

const columns = (sql: Sql | Tx): Fragment => sql`
  account_id, plan_code, plan_revision, status, anchor, period_no, period_start, period_end,
  next_plan, cancel_at_period_end, grace_until, suspended_at, due_charge, due_invoice, revision`;

export async function readSubscription(
  sql: Sql | Tx,
  accountId: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await sql<SubscriptionRow[]>`
    select ${columns(sql)} from subscriptions where account_id = ${accountId}`;
  return row;
}

export async function lockSubscription(
  tx: Tx,
  accountId: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await tx<SubscriptionRow[]>`
    select ${columns(tx)} from subscriptions where account_id = ${accountId} for update`;
  return row;
}

export async function tryLockSubscription(
  tx: Tx,
  accountId: string,
): Promise<SubscriptionRow | undefined> {
  const [row] = await tx<SubscriptionRow[]>`
    select ${columns(tx)} from subscriptions where account_id = ${accountId}
    for update skip locked`;
  return row;
}

/** Opens the free plan for an account; repeating it changes nothing. */
export async function openSubscription(tx: Tx, accountId: string, at: Date): Promise<void> {
  const plan = await planAt(tx, GRATIS, at);
  const period = periodFrom(at);
  const [made] = await tx`
    insert into subscriptions (
      account_id, plan_code, plan_revision, anchor, period_no, period_start, period_end
    ) values (
      ${accountId}, ${plan.code}, ${plan.revision}, ${period.anchor}, 0, ${period.start},
      ${period.end}
    ) on conflict do nothing returning 1`;
  if (made) await setAllowance(tx, accountId, { plan });
}

export async function subscriptionStateOf(
  tx: Sql | Tx,
  row: SubscriptionRow,
): Promise<SubscriptionState & { plan: PlanRevision }> {
  const { planQuota } = await walletOf(tx, row.account_id);
  return {
    accountId: row.account_id,
    status: row.status,
    plan: await revisionAt(tx, { code: row.plan_code, revision: row.plan_revision }),
    period: periodOf(row.anchor, row.period_no),
    anchor: row.anchor,
    quota: planQuota,
    revision: row.revision,
  };
}

export const runningFields = (
  plan: PlanRevision,
  period: Period & { anchor: string },
): Omit<SubscriptionRow, 'account_id' | 'status' | 'revision'> => ({
  plan_code: plan.code,
  plan_revision: plan.revision,
  anchor: period.anchor,
  period_no: period.n,
  period_start: period.start,
  period_end: period.end,
  next_plan: null,
  cancel_at_period_end: false,
  grace_until: null,
  suspended_at: null,
  due_charge: null,
  due_invoice: null,
});

/** Writes a locked subscription, and notifies open tabs. @throws Error when the row changed since it was read. */
export async function writeSubscription(
  tx: Tx,
  before: SubscriptionRow,
  after: SubscriptionRow,
): Promise<void> {
  const { count } = await tx`
    update subscriptions set
      plan_code = ${after.plan_code}, plan_revision = ${after.plan_revision},
      status = ${after.status}, anchor = ${after.anchor}, period_no = ${after.period_no},
      period_start = ${after.period_start}, period_end = ${after.period_end},
      next_plan = ${after.next_plan}, cancel_at_period_end = ${after.cancel_at_period_end},
      grace_until = ${after.grace_until}, suspended_at = ${after.suspended_at},
      due_charge = ${after.due_charge}, due_invoice = ${after.due_invoice},
      revision = ${after.revision}
    where account_id = ${before.account_id} and status = ${before.status}
      and revision = ${before.revision} and period_start = ${before.period_start}`;
  if (count !== 1) throw new Error('the subscription changed under its lock');
  await appendEvent(tx, {
    accountId: before.account_id,
    kind: 'subscription.changed',
    data: { plan: after.plan_code, status: after.status },
  });
}

/** Applies a plan's allowance. @param within the quota of a continuing period, whose usage continues. */
export const setAllowance = (
  tx: Tx,
  accountId: string,
  { plan, within }: { plan: PlanRevision; within?: number },
): Promise<void> =>
  setPlanAllowances(tx, [
    {
      accountId,
      quota: within ?? plan.quota,
      price: plan.overage,
      keepUsed: within !== undefined,
    },
  ]);

/** Removes the allowance: messages cost the list price. */
export const clearAllowance = (tx: Tx, accountId: string): Promise<void> =>
  setPlanAllowances(tx, [{ accountId, quota: 0, price: null, keepUsed: false }]);

/**
 * Number of tokens that the plan allows; undefined without a subscription. A suspended plan allows as many as the free
 * one.
 */
export async function tokenLimitOf(
  tx: Tx,
  accountId: string,
  at: Date,
): Promise<number | undefined> {
  const row = await readSubscription(tx, accountId);
  if (!row) return undefined;
  const plan =
    row.status === 'suspended'
      ? await planAt(tx, GRATIS, at)
      : await revisionAt(tx, { code: row.plan_code, revision: row.plan_revision });
  return plan.tokens;
}

/** SQL condition: account `a` has this plan now. */
export const isOnPlan = (sql: Sql | Tx, plan: string): Fragment => sql`
  a.account_id in (select s.account_id from subscriptions s where s.plan_code = ${plan})`;
