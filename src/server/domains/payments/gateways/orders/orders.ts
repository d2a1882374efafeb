import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import type { TopupStatus } from '#contract/saldo.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import type {
  GatewayMethod,
  GatewayOrder,
  GatewayRef,
  GatewayStatus,
  PaymentDetails,
} from '#server/domains/payments/gateways/gateway.ts';
import type { PaidOutcome } from '#server/domains/payments/topups/pay.ts';
import type { Gateways } from '#server/domains/payments/gateways/registry.ts';

/** What an order's status at its gateway has changed here. */
export type Settled =
  | PaidOutcome
  | 'pending'
  | 'expired'
  | 'cancelled'
  | 'review'
  | 'flagged'
  | 'unchanged';

/** What work on orders of gateways needs. */
export type OrderDeps = {
  allAccountsSql: Sql;
  gateways: Gateways;
  /** Brings an order to what its gateway has just said (`openSettle`). */
  settle: (order: OrderRow, status: GatewayStatus) => Promise<Settled>;
  now: () => Date;
  /** Takes trouble that somebody should see. */
  report: (trouble: unknown) => void;
  /** Counts what became of notices and orders. */
  onOutcome?: (outcome: { provider: string; outcome: string }) => void;
};

/** A top-up that goes through a gateway. */
export type OrderRow = {
  account_id: string;
  topup_id: string;
  provider: string;
  method: GatewayMethod;
  status: TopupStatus;
  simulated: boolean;
  base: number;
  ppn: number;
  provider_ref: string | null;
  created_at: Date;
  expires_at: Date;
};

const columns = (sql: Sql | Tx): Fragment => sql`
  topups.account_id, topups.topup_id, topups.provider, topups.method, topups.status,
  topups.simulated, topups.base, topups.ppn, topups.provider_ref, topups.created_at,
  topups.expires_at`;

/** The order of a top-up, of any account; undefined for a bank transfer, or none. */
export async function findOrder(sql: Sql | Tx, topupId: string): Promise<OrderRow | undefined> {
  const [row] = await sql<OrderRow[]>`
    select ${columns(sql)} from topups where topup_id = ${topupId} and provider <> 'bank'`;
  return row;
}

/** Locks the rows of orders, in the order of their ids, and answers them as they stand, by top-up. */
export async function lockOrders(
  tx: Tx,
  orders: readonly OrderRow[],
): Promise<ReadonlyMap<string, OrderRow>> {
  const rows = await tx<OrderRow[]>`
    select ${columns(tx)} from topups
    join unnest(
      ${orders.map(({ account_id }) => account_id)}::uuid[],
      ${orders.map(({ topup_id }) => topup_id)}::uuid[]
    ) as named (account_id, topup_id) using (account_id, topup_id)
    order by topups.account_id, topups.topup_id for no key update of topups`;
  return new Map(rows.map((row) => [row.topup_id, row]));
}

/** The order as its gateway knows it. */
export const orderOf = (row: OrderRow): GatewayOrder => ({
  orderId: publicId('topup', row.topup_id),
  method: row.method,
  base: rupiah(row.base),
  ppn: rupiah(row.ppn),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

export const refOf = (row: OrderRow, txnId?: string): GatewayRef => ({
  orderId: publicId('topup', row.topup_id),
  providerRef: row.provider_ref,
  ...(txnId !== undefined && { txnId }),
});

type Move = { from: readonly TopupStatus[]; to: TopupStatus; note?: string };

/**
 * Moves an order from one of some states to another, in one statement.
 *
 * @returns whether it was in one of them.
 */
export async function moveOrder(
  sql: Sql | Tx,
  { account_id, topup_id }: OrderRow,
  { from, to, note }: Move,
): Promise<boolean> {
  const moved = await sql`
    update topups set status = ${to}, note = coalesce(${note ?? null}, note)
    where account_id = ${account_id} and topup_id = ${topup_id} and status = any (${[...from]}::text[])`;
  return moved.count > 0;
}

/**
 * The gateway has said how an order is paid: it waits for its payment now.
 *
 * @returns whether it was `creating`; one that was cancelled meanwhile stays so.
 */
export async function openOrder(
  sql: Sql | Tx,
  { account_id, topup_id, expires_at }: OrderRow,
  { providerRef, qr, va, pageUrl, expiresAt = expires_at }: PaymentDetails,
): Promise<boolean> {
  // A gateway that takes the money longer than we said does so as late money.
  const until = expiresAt < expires_at ? expiresAt : expires_at;
  const opened = await sql`
    update topups set status = 'pending', provider_ref = ${providerRef}, qr = ${qr ?? null},
      va_bank = ${va?.bank ?? null}, va_number = ${va?.number ?? null},
      page_url = ${pageUrl ?? null}, expires_at = ${until}
    where account_id = ${account_id} and topup_id = ${topup_id} and status = 'creating'`;
  return opened.count > 0;
}

/** Cancels an order at its gateway, as far as that goes: money that comes all the same still counts. */
export async function cancelAtGateway(deps: OrderDeps, row: OrderRow): Promise<void> {
  try {
    await deps.gateways.find(row)?.cancel(refOf(row));
  } catch (error) {
    deps.report(error);
  }
}
