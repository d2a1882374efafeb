import { PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { PaymentRefund } from '#contract/operator/books.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type PaidPayment = {
  account_id: string;
  provider: string;
  txn: string;
  /** The amount received, and the part credited to the saldo. */
  amount: Rupiah;
  credited: Rupiah;
  /** The amount that its gateway has not refunded by itself; null when the gateway does not report it. */
  left: Rupiah | null;
};

/** Reads the payment of a top-up, of any account. @throws Refusal `not_found`, `topup_unpaid`. */
export async function paymentOf(sql: Sql | Tx, topupId: string): Promise<PaidPayment> {
  const [found] = await sql<(Omit<PaidPayment, 'txn'> & { txn: string | null })[]>`
    select t.account_id, t.provider, p.txn_id as txn, coalesce(p.amount, 0)::bigint as amount,
      t.credited,
      case o.flag when 'partly_refunded' then p.amount - o.returned else p.amount end::bigint as left
    from topups t
    left join provider_payments p on t.status = 'paid' and p.account_id = t.account_id
      and p.topup_id = t.topup_id and p.outcome = 'paid'
    left join gateway_orders o on o.account_id = t.account_id and o.topup_id = t.topup_id
    where t.topup_id = ${topupId}`;
  if (!found) throw new Refusal('not_found', { what: 'Isi saldo' });
  const { txn, ...payment } = found;
  if (txn === null) throw new Refusal('topup_unpaid', {});
  return { ...payment, txn, amount: rupiah(payment.amount), credited: rupiah(payment.credited) };
}

export const refundStateOf = (sql: Sql | Tx) =>
  sql`case refunds.status when 'done' then 'done' else refunds.way end`;

export async function refundStates(
  sql: Sql | Tx,
  refundIds: readonly string[],
): Promise<ReadonlyMap<string, PaymentRefund>> {
  if (refundIds.length === 0) return new Map();
  const found = await sql<{ refund_id: string; state: PaymentRefund }[]>`
    select refund_id, ${refundStateOf(sql)} as state from refunds
    where refund_id = any(${[...refundIds]}::uuid[])`;
  return new Map(found.map(({ refund_id, state }) => [refund_id, state]));
}

/** SQL: a stored reference in the spelling of `bankReference`; older ones may have spaces and lower case. */
export const normalizedReference = (sql: Sql | Tx) =>
  sql`upper(regexp_replace(reference, '\\s', '', 'g'))`;

/** True if the transfer has finished a refund before. @param reference in the spelling of `bankReference`. */
export async function isRefundReference(tx: Tx, reference: string): Promise<boolean> {
  const found = await tx`
    select from refunds
    where way = 'manual' and reference <> '' and ${normalizedReference(tx)} = ${reference}`;
  return found.length > 0;
}

export type OpenRefundRow = {
  refund_id: string;
  account_id: string;
  topup_id: string;
  amount: Rupiah;
  way: 'gateway' | 'manual';
  operator_id: string;
  since: Date;
};

type Paged = { page?: number | undefined; sort_type?: 'asc' | 'desc' | undefined };

export async function openRefundsPage(
  sql: Sql,
  { page = 0, sort_type }: Paged,
): Promise<PageOf<OpenRefundRow>> {
  const order = sort_type === 'desc' ? sql`desc` : sql`asc`;
  const [found, [counted]] = await Promise.all([
    sql<OpenRefundRow[]>`
      select refund_id, account_id, topup_id, amount, way, operator_id, created_at as since
      from refunds where status = 'open'
      order by created_at ${order}, refund_id ${order} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    sql<{ total: number }[]>`select count(*) as total from refunds where status = 'open'`,
  ]);
  return { rows: found, total: counted?.total ?? 0 };
}

/** The account of a refund by hand. @throws Refusal `not_found`, `refund_finished`, `refund_at_gateway`. */
export async function accountOfManualRefund(tx: Sql | Tx, refundId: string): Promise<string> {
  const [found] = await tx<{ account_id: string; status: string; way: string }[]>`
    select account_id, status, way from refunds where refund_id = ${refundId}`;
  if (!found) throw new Refusal('not_found', { what: 'Pengembalian dana' });
  if (found.status === 'done') throw new Refusal('refund_finished', {});
  if (found.way === 'gateway') throw new Refusal('refund_at_gateway', {});
  return found.account_id;
}
