import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { queueBillingNotice } from '#server/domains/billing/notices/outbox.ts';
import { stillDue, upcoming } from '#server/domains/billing/notices/texts.ts';
import { GRATIS, plansAt, revisionAt } from '#server/domains/billing/plans/plans.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { GRACE_DAYS } from './advance.ts';
import { addDays, decentTime, wibDay } from './periods.ts';

/** Reminders written in one go; what is left comes a minute later. */
const AT_ONCE = 500;

/** Days before a renewal that people hear of it. */
const FIRST_DAYS = 3;
const LAST_DAYS = 1;

/** Writes the reminders that are due: three days and one day before a renewal, and a day after it failed. */
export async function remind(allAccountsSql: Sql, at: Date): Promise<void> {
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
        dueAt: decentTime(at),
      }),
    );
  }
}

/** The last but one day of grace. */
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
        dueAt: decentTime(at),
      }),
    );
  }
}

const planKey = (row: Row) => ({ code: row.plan_code, revision: row.plan_revision });
const saldoOf = ({ available }: Row): Rupiah => rupiah(available);
