import type { Sql } from '#server/infra/postgres/database.ts';
import { closeSubscription } from './subscriptions/advance.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import {
  type AccountData,
  type Row,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';

type Deps = {
  /** The pool that sees one account at a time. */
  sql: Sql;
  allAccountsSql: Sql;
};

/**
 * An account's plan, what was charged for it, and what was said of it. Charges are never erased: tax law
 * requires them, and they name nobody.
 */
export const billingAccountData = ({ sql, allAccountsSql }: Deps): AccountData => ({
  subjects: (accountId) => [
    { name: 'langganan', rows: () => atOnce(() => subscriptionOf(sql, accountId)) },
    { name: 'biaya-paket', rows: () => chargesOf(sql, accountId) },
    { name: 'pemberitahuan-paket', rows: () => noticesOf(sql, accountId) },
  ],
  // A closed account is charged for nothing any more.
  close: (accountId) => allAccountsSql.begin((tx) => closeSubscription(tx, accountId, new Date())),
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'billing_notices', accountId);
    await allAccountsSql`delete from subscriptions where account_id = ${accountId}`;
  },
});

const subscriptionOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(
    sql,
    accountId,
    (tx) => tx<Row[]>`
      select plan_code as plan, status, anchor, period_start, period_end, next_plan,
        cancel_at_period_end, grace_until, suspended_at
      from subscriptions where account_id = ${accountId}`,
  );

type Charge = Row & { charge_id: string };

async function* chargesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const charges = inPages<Charge>(
    { sql, accountId },
    (tx, last, limit) => tx<Charge[]>`
      select charge_id, kind, plan_code as plan, period_start, period_end, credit, charge, amount, at
      from subscription_charges
      where account_id = ${accountId} ${last ? tx`and charge_id > ${last.charge_id}` : tx``}
      order by charge_id limit ${limit}`,
  );
  for await (const { charge_id: _, ...facts } of charges) yield facts;
}

type Notice = Row & { notice_id: string };

async function* noticesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const notices = inPages<Notice>(
    { sql, accountId },
    (tx, last, limit) => tx<Notice[]>`
      select notice_id, title, body, sent_at from billing_notices
      where account_id = ${accountId} ${last ? tx`and notice_id > ${last.notice_id}` : tx``}
      order by notice_id limit ${limit}`,
  );
  for await (const { notice_id: _, ...facts } of notices) yield facts;
}
