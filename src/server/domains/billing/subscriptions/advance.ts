import { rupiah } from '#contract/base/money.ts';
import {
  GRATIS,
  type PlanRevision,
  planAt,
  plansAt,
  revisionAt,
} from '#server/domains/billing/plans.ts';
import { dropPending, queueBillingNotice } from '#server/domains/billing/notices.ts';
import * as texts from '#server/domains/billing/notices.ts';
import { newId } from '#server/infra/ids.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { prorate } from './change.ts';
import {
  type Funds,
  beginPaidPeriod,
  covers,
  creditPeriod,
  issuePeriodInvoice,
  lockFunds,
  voidDue,
  writeCharge,
} from './charge.ts';
import {
  type Period,
  addDays,
  daysLeft,
  nextDaytime,
  midnight,
  periodAt,
  periodFrom,
  periodOf,
  wibDay,
} from './periods.ts';
import {
  type SubscriptionRow,
  setAllowance,
  clearAllowance,
  lockSubscription,
  runningFields,
  subscriptionStateOf,
  writeSubscription,
} from './row.ts';

export const GRACE_DAYS = 3;
export const SUSPENDED_DAYS = 30;

/**
 * Applies the next due step of a locked subscription, if any: renewal, end, suspension or a charge. Runs in the
 * caller's transaction, which sees all accounts.
 *
 * @returns false when no step was due.
 */
export async function advance(tx: Tx, row: SubscriptionRow, at: Date): Promise<boolean> {
  switch (row.status) {
    case 'active':
    case 'cancelled':
      return at >= row.period_end && renew(tx, row, at);
    case 'past_due':
      if (row.grace_until !== null && at >= row.grace_until) return suspend(tx, row, at);
      return payDue(tx, row, at);
    case 'suspended': {
      const ends = row.suspended_at && addDays(row.suspended_at, SUSPENDED_DAYS);
      return ends !== null && at >= ends && endUnpaid(tx, row, at);
    }
  }
}

/**
 * The period after that of a row. If it is over as well, a period begins today, so that missed periods are not charged.
 */
function nextPeriod(row: SubscriptionRow, at: Date): Period & { anchor: string } {
  // Missed free months cost nothing, so they are skipped and the anchor stays.
  if (row.plan_code === GRATIS) return { anchor: row.anchor, ...periodAt(row.anchor, at) };
  const next = periodOf(row.anchor, row.period_no + 1);
  return at < next.end ? { anchor: row.anchor, ...next } : periodFrom(at);
}

async function renew(tx: Tx, row: SubscriptionRow, at: Date): Promise<true> {
  const plans = await plansAt(tx, at);
  const nextCode = row.cancel_at_period_end ? GRATIS : (row.next_plan ?? row.plan_code);
  const plan = requirePlan(plans, nextCode);
  const period = nextPeriod(row, at);
  if (plan.code === GRATIS) return beginFree(tx, row, { plan, period, at });
  const funds = await lockFunds(tx, row.account_id);
  // An account that is not active cannot use the plan, so it is not charged.
  if (!funds.isActive) return beginFree(tx, row, { plan: requirePlan(plans, GRATIS), period, at });
  const beginning = { plan, period, revision: row.revision, at };
  if (!covers(funds, plan.price)) return beginUnpaid(tx, row, { plan, period, at, funds });
  await queueBillingNotice(tx, {
    accountId: row.account_id,
    subject: `charged:${period.firstDay}`,
    ...texts.charged({ plan, period, available: rupiah(funds.available - plan.price) }),
    dueAt: nextDaytime(at),
  });
  await beginPaidPeriod(tx, row, beginning);
  return true;
}

function requirePlan(plans: ReadonlyMap<string, PlanRevision>, code: string): PlanRevision {
  const plan = plans.get(code);
  if (!plan) throw new Error(`no plan ${code}`);
  return plan;
}

type FreePeriod = { plan: PlanRevision; period: Period & { anchor: string }; at: Date };

async function beginFree(
  tx: Tx,
  row: SubscriptionRow,
  { plan, period, at }: FreePeriod,
): Promise<true> {
  const accountId = row.account_id;
  const ends = row.plan_code !== GRATIS;
  if (ends) {
    const ended = await revisionAt(tx, { code: row.plan_code, revision: row.plan_revision });
    await queueBillingNotice(tx, {
      accountId,
      subject: `cancelled:${period.firstDay}:${row.revision}`,
      ...texts.cancelled({ ended, free: plan }),
      dueAt: nextDaytime(at),
    });
  }
  await writeSubscription(tx, row, {
    ...row,
    ...runningFields(plan, period),
    status: ends ? 'cancelled' : row.status,
    revision: row.revision + (ends ? 1 : 0),
  });
  await setAllowance(tx, accountId, { plan });
  return true;
}

async function beginUnpaid(
  tx: Tx,
  row: SubscriptionRow,
  { plan, period, at, funds }: FreePeriod & { funds: Funds },
): Promise<true> {
  const accountId = row.account_id;
  // If the renewal itself is late, grace counts from today, when the customer is notified.
  const today = midnight(wibDay(at));
  const graceUntil = addDays(today > period.start ? today : period.start, GRACE_DAYS);
  const due = await issuePeriodInvoice(tx, accountId, { plan, period, at, dueAt: graceUntil });
  await writeSubscription(tx, row, {
    ...row,
    ...runningFields(plan, period),
    status: 'past_due',
    grace_until: graceUntil,
    due_charge: due.chargeId,
    due_invoice: due.invoiceId,
  });
  await queueBillingNotice(tx, {
    accountId,
    subject: `past_due:${period.firstDay}`,
    ...texts.pastDue({ plan, graceUntil, available: funds.available }),
    dueAt: nextDaytime(at),
  });
  return true;
}

/** Charges the amount due, and keeps the period's start. @returns false when the saldo does not cover it. */
export async function payDue(tx: Tx, row: SubscriptionRow, at: Date): Promise<boolean> {
  const { account_id: accountId, due_charge: chargeId, due_invoice: invoiceId } = row;
  if (row.status !== 'past_due' || chargeId === null || invoiceId === null) return false;
  const { plan, period, anchor } = await subscriptionStateOf(tx, row);
  const funds = await lockFunds(tx, accountId);
  if (!covers(funds, plan.price)) return false;
  await dropPending(tx, accountId);
  await queueBillingNotice(tx, {
    accountId,
    subject: `recovered:${period.firstDay}`,
    ...texts.recovered({ plan, period, available: rupiah(funds.available - plan.price) }),
    dueAt: at,
  });
  // The invoice is void if its payment was returned. The period then gets a new one.
  const [open] = await tx`
    select from invoices
    where account_id = ${accountId} and invoice_id = ${invoiceId} and status = 'open'`;
  const due = open && { chargeId, invoiceId };
  const whole = { ...period, anchor };
  await beginPaidPeriod(tx, row, { plan, period: whole, revision: row.revision, at, due });
  return true;
}

/** Ends the grace period: the allowance is removed, and the debt is cancelled. */
async function suspend(tx: Tx, row: SubscriptionRow, at: Date): Promise<true> {
  const accountId = row.account_id;
  const { plan, period } = await subscriptionStateOf(tx, row);
  await voidDue(tx, row, { at, note: 'Paket ditangguhkan; periode ini tidak ditagih.' });
  await writeSubscription(tx, row, {
    ...row,
    status: 'suspended',
    grace_until: null,
    suspended_at: at,
    due_charge: null,
    due_invoice: null,
  });
  await clearAllowance(tx, accountId);
  await dropPending(tx, accountId);
  await queueBillingNotice(tx, {
    accountId,
    subject: `suspended:${period.firstDay}`,
    ...texts.suspended({ plan, endsAt: addDays(at, SUSPENDED_DAYS) }),
    dueAt: nextDaytime(at),
  });
  return true;
}

export async function endUnpaid(tx: Tx, row: SubscriptionRow, at: Date): Promise<true> {
  await voidDue(tx, row, { at, note: 'Paket berhenti; periode ini tidak ditagih.' });
  await dropPending(tx, row.account_id);
  return beginFree(tx, row, { plan: await planAt(tx, GRATIS, at), period: periodFrom(at), at });
}

/**
 * Ends a plan now, for an operator: the free plan begins today.
 *
 * @param refund returns the share of the remaining days, of a paid period only.
 * @returns the amount returned; undefined, without a change, if the account has only the free plan.
 */
export async function endSubscriptionNow(
  tx: Tx,
  { accountId, at, refund }: { accountId: string; at: Date; refund: boolean },
): Promise<number | undefined> {
  const row = await lockSubscription(tx, accountId);
  if (!row || row.plan_code === GRATIS) return undefined;
  if (row.status !== 'active') {
    await endUnpaid(tx, row, at);
    return 0;
  }
  const { plan, period } = await subscriptionStateOf(tx, row);
  const left = daysLeft(period, at);
  const credit = rupiah(refund ? prorate(plan.price, left, period.days) : 0);
  const ended = { ...row, revision: row.revision + 1 };
  const reason = `Paket ${plan.name} dihentikan`;
  await writeCharge(tx, {
    accountId,
    chargeId: newId(),
    invoiceId: null,
    kind: 'end',
    plan,
    period,
    revision: ended.revision,
    credit,
    charge: rupiah(0),
    at,
    memo: reason,
  });
  if (credit > 0) await creditPeriod(tx, row, { amount: credit, reason, at });
  await dropPending(tx, accountId);
  await beginFree(tx, row, { plan: await planAt(tx, GRATIS, at), period: periodFrom(at), at });
  return credit;
}

/** Ends the subscription of a closed account; only its charges stay. */
export async function closeSubscription(tx: Tx, accountId: string, at: Date): Promise<void> {
  const row = await lockSubscription(tx, accountId);
  if (!row) return;
  await voidDue(tx, row, { at, note: 'Akun ditutup.' });
  await tx`delete from subscriptions where account_id = ${accountId}`;
}
