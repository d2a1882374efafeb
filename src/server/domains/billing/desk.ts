import { publicId, uuidOf } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type { Invoice, SubscriptionStatus } from '#contract/billing.ts';
import type { DeskCustomerDetail } from '#contract/operator/customers.ts';
import { GRATIS, revisionAt } from './plans.ts';
import { readSubscription } from '#server/domains/billing/subscriptions/row.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { findInvoice, invoiceOf } from './invoices/row.ts';

/** What plans accounts have, by their ids; for lists. */
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

/** An account's plan as operators see it; null where it has none. */
export async function subscriptionForDesk(
  sql: Sql | Tx,
  accountId: string,
): Promise<DeskCustomerDetail['subscription']> {
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

/** An account's newest invoices. */
export async function recentInvoices(
  sql: Sql,
  accountId: string,
): Promise<DeskCustomerDetail['invoices']> {
  type Row = Omit<DeskCustomerDetail['invoices'][number], 'id'> & { invoice_id: string };
  const found = await sql<Row[]>`
    select invoice_id, number, title, status, total, created_at as at from invoices
    where account_id = ${accountId} order by created_at desc, invoice_id desc limit ${INVOICES_MAX}`;
  return found.map(({ invoice_id, total, ...row }) => ({
    id: publicId('invoice', invoice_id),
    total: rupiah(total),
    ...row,
  }));
}

/** The invoice of a number, or of an id, and whose it is. */
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

/** One invoice of an account. @throws Refusal `not_found`. */
export const invoiceOfAccount = (
  sql: Sql,
  ref: { accountId: string; invoiceId: string },
): Promise<Invoice> =>
  asAccount(sql, ref.accountId, async (tx) => invoiceOf(await findInvoice(tx, ref)));
