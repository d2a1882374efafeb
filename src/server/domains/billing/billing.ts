import { type Sql, asAccount, type Tx } from '#server/infra/postgres/database.ts';
import { closeSubscription } from './subscriptions/advance.ts';
import {
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type { Invoice, SubscriptionStatus } from '#contract/billing.ts';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import { GRATIS, revisionAt } from './plans.ts';
import { readSubscription } from '#server/domains/billing/subscriptions/row.ts';
import { findInvoice, invoiceOf } from './invoices/row.ts';

export async function plansOfAccounts(
  sql: Sql,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, { name: string; status: SubscriptionStatus }>> {
  const found = await sql<{ id: string; name: string; status: SubscriptionStatus }[]>`
    select s.account_id as id, r.name, s.status from subscriptions s
    join plan_revisions r on r.code = s.plan_code and r.revision = s.plan_revision
    where s.account_id = any(${[...accountIds]}::uuid[])`;
  return new Map(found.map(({ id, name, status }) => [id, { name, status }]));
}

type UnpaidPlan = { name: string; status: 'past_due' | 'suspended'; grace_until: Date | null };

/** The plan of an account that waits for its payment, or is suspended without it. */
export async function unpaidPlan(tx: Tx, accountId: string): Promise<UnpaidPlan | null> {
  const [row] = await tx<UnpaidPlan[]>`
    select r.name, s.status, s.grace_until from subscriptions s
    join plan_revisions r on r.code = s.plan_code and r.revision = s.plan_revision
    where s.account_id = ${accountId} and s.status in ('past_due', 'suspended')`;
  return row ?? null;
}

/** An account's plan as operators see it; null if it has none. */
export async function subscriptionForOperator(
  sql: Sql | Tx,
  accountId: string,
): Promise<OperatorCustomerDetail['subscription']> {
  const row = await readSubscription(sql, accountId);
  if (!row) return null;
  const plan = await revisionAt(sql, { code: row.plan_code, revision: row.plan_revision });
  return {
    name: plan.name,
    status: row.status,
    price: plan.price,
    is_free: plan.code === GRATIS,
    period_end: row.period_end,
    ends_then: row.cancel_at_period_end,
  };
}

const INVOICES_MAX = 10;

export async function recentInvoices(
  sql: Sql,
  accountId: string,
): Promise<OperatorCustomerDetail['invoices']> {
  type Row = Omit<OperatorCustomerDetail['invoices'][number], 'id'> & { invoice_id: string };
  const found = await sql<Row[]>`
    select invoice_id, number, title, status, total, created_at as at from invoices
    where account_id = ${accountId} order by created_at desc, invoice_id desc limit ${INVOICES_MAX}`;
  return found.map(({ invoice_id, total, ...row }) => ({
    id: publicId('invoice', invoice_id),
    total: rupiah(total),
    ...row,
  }));
}

/** Finds an invoice by number or id, with its account. */
export async function holderOfInvoice(
  sql: Sql,
  words: string,
): Promise<{ accountId: string; invoiceId: string } | undefined> {
  const id = uuidOf('invoice', words);
  const [found] = await sql<{ accountId: string; invoiceId: string }[]>`
    select account_id as "accountId", invoice_id as "invoiceId" from invoice_refs
    where ${id === undefined ? sql`number = ${words.toUpperCase()}` : sql`invoice_id = ${id}`} limit 1`;
  return found;
}

/** @throws Refusal `not_found`. */
export const invoiceOfAccount = (
  sql: Sql,
  ref: { accountId: string; invoiceId: string },
): Promise<Invoice> =>
  asAccount(sql, ref.accountId, async (tx) => invoiceOf(await findInvoice(tx, ref)));

/** Charges are never erased: tax law requires them, and they contain no personal data. */
export const billingAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'langganan', rows: () => atOnce(() => subscriptionOf(sql, accountId)) },
    { name: 'biaya-paket', rows: () => chargesOf(sql, accountId) },
    { name: 'pemberitahuan-paket', rows: () => noticesOf(sql, accountId) },
  ],
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

export { pruneNotices } from './notices.ts';
export { GRATIS, planNameOf, plansForOperator, savePlan } from './plans.ts';
export { subscriptionActs } from './subscriptions/acts.ts';
export { endSubscriptionNow } from './subscriptions/advance.ts';
export type { BillingDeps } from './deps.ts';
export { runBilling } from './subscriptions/job.ts';
export { payPlanInvoice } from './subscriptions/pay.ts';
export { isOnPlan, openSubscription, readSubscription, tokenLimitOf } from './subscriptions/row.ts';
export { startCreditWatch } from './subscriptions/watch.ts';
export { invoicesAccountData } from './invoices/account-data.ts';
export { readInvoice } from './invoices/read.ts';
export { type Invoices, openInvoices } from './invoices/invoices.ts';
export { issueWaitingInvoices, readSellerGaps, recordSeller } from './invoices/sellers.ts';
