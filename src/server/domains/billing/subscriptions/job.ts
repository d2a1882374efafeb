import { type DeliverDeps, deliverNotices } from '#server/domains/billing/notices/deliver.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { SUSPENDED_DAYS, advance } from './advance.ts';
import { addDays } from './periods.ts';
import { remind } from './reminders.ts';
import { renewFreePlans } from './free.ts';
import { lockIfFree, lockSubscription } from './row.ts';

export type BillingWorkDeps = DeliverDeps & { now: () => Date };

type StepDeps = Pick<BillingWorkDeps, 'allAccountsSql' | 'now' | 'report'>;

/** Subscriptions looked at in one query. */
const PAGE = 200;

/**
 * Everything of subscriptions that is due now: free plans in sets, every other in a transaction of its
 * own, so that one that fails holds up no other; then reminders, and what people are told.
 *
 * A job calls it each minute; any number of nodes may.
 */
export async function runBilling(deps: BillingWorkDeps): Promise<void> {
  const at = deps.now();
  await renewFreePlans(deps.allAccountsSql, at);
  await advanceDue(deps, at);
  await remind(deps.allAccountsSql, at);
  await deliverNotices(deps, at);
}

/** Does the step that is due of every subscription that has one. @returns how many did one. */
export async function advanceDue(deps: StepDeps, at: Date): Promise<number> {
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

/** One subscription by itself; its trouble is reported and stays its own. */
async function advanceOne(deps: StepDeps, accountId: string, at: Date): Promise<boolean> {
  try {
    return await deps.allAccountsSql.begin(async (tx) => {
      const row = await lockIfFree(tx, accountId);
      return row !== undefined && advance(tx, row, at);
    });
  } catch (error) {
    deps.report(error);
    return false;
  }
}

/**
 * Does what is due of one subscription, waiting for whoever is at it: before somebody looks at it or
 * changes it, and when money has come in.
 */
export async function advanceAccount(
  { allAccountsSql, now }: Pick<BillingWorkDeps, 'allAccountsSql' | 'now'>,
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

/** Accounts whose subscription has a step to do; of those that owe, only where the saldo reaches. */
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

/** The accounts whose renewal waits for saldo. */
export async function pastDueAccounts(allAccountsSql: Sql): Promise<string[]> {
  const found = await allAccountsSql<{ account_id: string }[]>`
    select account_id from subscriptions where status = 'past_due'`;
  return found.map(({ account_id }) => account_id);
}
