import { setPlanAllowances } from '#server/domains/ledger/ledger.ts';
import { GRATIS, type PlanRevision, planAt } from '#server/domains/billing/plans/plans.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { periodAt } from './periods.ts';

/** Free periods begun in one transaction. */
const BATCH = 500;

/**
 * Begins the next period of free plans, many in a transaction: most accounts have one, and nothing is
 * charged. Periods that were missed are skipped.
 *
 * @returns how many began.
 */
export async function renewFreePlans(allAccountsSql: Sql, at: Date): Promise<number> {
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
