import type { BillingDeps } from '#server/domains/billing/deps.ts';
import {
  deliverNotices,
  queueBillingNotice,
  stillDue,
  upcoming,
} from '#server/domains/billing/notices.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { SUSPENDED_DAYS, advance, GRACE_DAYS } from './advance.ts';
import { addDays, periodAt, nextDaytime, wibDay } from './periods.ts';
import { tryLockSubscription, lockSubscription } from './row.ts';
import { setPlanAllowances } from '#server/domains/ledger/ledger.ts';
import {
  GRATIS,
  type PlanRevision,
  planAt,
  plansAt,
  revisionAt,
} from '#server/domains/billing/plans.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';

const PAGE = 200;

/**
 * Runs all due subscription work: free plans in bulk; every other in its own transaction, so that a failure does not
 * block others; then reminders and notices.
 * A job calls it each minute; any number of nodes may.
 */
export async function runBilling(deps: BillingDeps): Promise<void> {
  const at = deps.now();
  await renewFreePlans(deps.allAccountsSql, at);
  await advanceDue(deps, at);
  await remind(deps.allAccountsSql, at);
  await deliverNotices(deps, at);
}

/** Applies one due step to each subscription that has one. @returns how many it advanced. */
export async function advanceDue(
  deps: Pick<BillingDeps, 'allAccountsSql' | 'now' | 'report'>,
  at: Date,
): Promise<number> {
  let done = 0;
  let last = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const due = await dueAfter(deps.allAccountsSql, { last, at });
    for (const accountId of due) {
      if (await advanceOne(deps, accountId, at)) done += 1;
    }
    if (due.length < PAGE) return done;
    last = due.at(-1) ?? last;
  }
}

async function advanceOne(
  deps: Pick<BillingDeps, 'allAccountsSql' | 'now' | 'report'>,
  accountId: string,
  at: Date,
): Promise<boolean> {
  try {
    return await deps.allAccountsSql.begin(async (tx) => {
      const row = await tryLockSubscription(tx, accountId);
      return row !== undefined && advance(tx, row, at);
    });
  } catch (error) {
    deps.report(error);
    return false;
  }
}

/**
 * Applies due steps of one subscription, waiting for its lock: before it is shown or changed, and when money arrives.
 */
export async function advanceAccount(
  { allAccountsSql, now }: Pick<BillingDeps, 'allAccountsSql' | 'now'>,
  accountId: string,
): Promise<void> {
  const at = now();
  const step = () =>
    allAccountsSql.begin(async (tx) => {
      const row = await lockSubscription(tx, accountId);
      return row !== undefined && advance(tx, row, at);
    });
  while (await step());
}

/** Accounts on paid plans with a due step: a renewal, the end of grace or suspension, or a charge the saldo covers. */
async function dueAfter(
  allAccountsSql: Sql,
  { last, at }: { last: string; at: Date },
): Promise<string[]> {
  const found = await allAccountsSql<{ account_id: string }[]>`
    select account_id from (
      select account_id from subscriptions
      where status = 'active' and plan_code <> 'gratis' and period_end <= ${at}
      union all
      select s.account_id from subscriptions s
      join plan_revisions r on (r.code, r.revision) = (s.plan_code, s.plan_revision)
      join wallets w using (account_id) join accounts a using (account_id)
      where s.status in ('past_due', 'suspended') and (
        s.grace_until <= ${at} or s.suspended_at <= ${addDays(at, -SUSPENDED_DAYS)}
        or (s.status = 'past_due' and w.available >= r.price and w.status = 'active' and not w.bonus_only
          and a.status = 'active')
      )
    ) due
    where account_id > ${last} order by account_id limit ${PAGE}`;
  return found.map(({ account_id }) => account_id);
}

export async function pastDueAccounts(allAccountsSql: Sql): Promise<string[]> {
  const found = await allAccountsSql<{ account_id: string }[]>`
    select account_id from subscriptions where status = 'past_due'`;
  return found.map(({ account_id }) => account_id);
}

const BATCH = 500;

/**
 * Renews free plans in bulk, because most accounts have one. Skips missed periods.
 *
 * @returns how many periods began.
 */
async function renewFreePlans(allAccountsSql: Sql, at: Date): Promise<number> {
  let begun = 0;
  for (let some = BATCH; some === BATCH; begun += some) {
    some = await retrying(() => allAccountsSql.begin((tx) => renewSome(tx, at)));
  }
  return begun;
}

type Due = { account_id: string; anchor: string };

async function renewSome(tx: Tx, at: Date): Promise<number> {
  const due = await tx<Due[]>`
    select account_id, anchor from subscriptions
    where plan_code = 'gratis' and period_end <= ${at}
    order by period_end limit ${BATCH} for update skip locked`;
  if (due.length === 0) return 0;
  const plan = await planAt(tx, GRATIS, at);
  await write(tx, plan, due, at);
  return due.length;
}

async function write(tx: Tx, plan: PlanRevision, due: readonly Due[], at: Date): Promise<void> {
  const begun = due.map(({ account_id: accountId, anchor }) => ({
    accountId,
    ...periodAt(anchor, at),
  }));
  await tx`
    update subscriptions s set plan_revision = ${plan.revision}, period_no = b.n,
      period_start = b.begins, period_end = b.ends
    from unnest(
      ${begun.map(({ accountId }) => accountId)}::uuid[], ${begun.map(({ n }) => n)}::int[],
      ${begun.map(({ start }) => start)}::timestamptz[], ${begun.map(({ end }) => end)}::timestamptz[]
    ) as b(account_id, n, begins, ends)
    where s.account_id = b.account_id`;
  await setPlanAllowances(
    tx,
    due.map(({ account_id: accountId }) => ({
      accountId,
      quota: plan.quota,
      price: plan.overage,
      keepUsed: false,
    })),
  );
}

const AT_ONCE = 500;

const FIRST_DAYS = 3;
const LAST_DAYS = 1;

async function remind(allAccountsSql: Sql, at: Date): Promise<void> {
  await remindOfRenewals(allAccountsSql, at);
  await remindOfDebts(allAccountsSql, at);
}

type Row = {
  account_id: string;
  plan_code: string;
  plan_revision: number;
  available: number;
};
type Upcoming = Row & {
  period_end: Date;
  next_plan: string | null;
  cancel_at_period_end: boolean;
};

async function remindOfRenewals(allAccountsSql: Sql, at: Date): Promise<void> {
  const [first, last] = [addDays(at, FIRST_DAYS), addDays(at, LAST_DAYS)];
  const found = await allAccountsSql<Upcoming[]>`
    select s.account_id, s.plan_code, s.plan_revision, s.period_end, s.next_plan,
      s.cancel_at_period_end, w.available
    from subscriptions s join wallets w using (account_id) join accounts a using (account_id)
    where s.status = 'active' and s.plan_code <> 'gratis' and s.period_end <= ${first}
      and s.period_end > ${at} and a.status = 'active'
      and not exists (
        select from billing_notices n where n.account_id = s.account_id and n.subject =
          case when s.period_end <= ${last} then 'h1:' else 'h3:' end
          || (s.period_end at time zone 'Asia/Jakarta')::date
      )
    limit ${AT_ONCE}`;
  const plans = await plansAt(allAccountsSql, at);
  for (const row of found) {
    const plan = await revisionAt(allAccountsSql, planKey(row));
    const next = plans.get(row.next_plan ?? row.plan_code) ?? plan;
    const days = row.period_end <= last ? 'h1' : 'h3';
    const isEnding = row.cancel_at_period_end || next.code === GRATIS;
    const text = upcoming({ plan, next, at: row.period_end, isEnding }, saldoOf(row));
    await allAccountsSql.begin((tx) =>
      queueBillingNotice(tx, {
        accountId: row.account_id,
        subject: `${days}:${wibDay(row.period_end).toString()}`,
        ...text,
        dueAt: nextDaytime(at),
      }),
    );
  }
}

/** Queues a reminder a day after a failed renewal. */
async function remindOfDebts(allAccountsSql: Sql, at: Date): Promise<void> {
  type Debt = Row & { grace_until: Date; period_start: Date };
  const found = await allAccountsSql<Debt[]>`
    select s.account_id, s.plan_code, s.plan_revision, s.grace_until, s.period_start, w.available
    from subscriptions s join wallets w using (account_id)
    where s.status = 'past_due' and s.grace_until > ${at}
      and s.grace_until <= ${addDays(at, GRACE_DAYS - 1)}
      and not exists (
        select from billing_notices n where n.account_id = s.account_id
          and n.subject = 'still_due:' || (s.period_start at time zone 'Asia/Jakarta')::date
      )
    limit ${AT_ONCE}`;
  for (const row of found) {
    const plan = await revisionAt(allAccountsSql, planKey(row));
    const text = stillDue({ plan, graceUntil: row.grace_until, available: saldoOf(row) });
    await allAccountsSql.begin((tx) =>
      queueBillingNotice(tx, {
        accountId: row.account_id,
        subject: `still_due:${wibDay(row.period_start).toString()}`,
        ...text,
        dueAt: nextDaytime(at),
      }),
    );
  }
}

const planKey = (row: Row) => ({ code: row.plan_code, revision: row.plan_revision });
const saldoOf = ({ available }: Row): Rupiah => rupiah(available);
