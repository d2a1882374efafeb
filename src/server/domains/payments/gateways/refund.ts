import type { OrderDeps } from '#server/domains/payments/deps.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { type Sql, type Tx, retrying } from '#server/infra/postgres/database.ts';
import { type GatewayStatus, PaymentAlert } from './gateway.ts';
import { findOrder, refOf } from './orders.ts';

/** Result of a refund. `open`: the gateway has not answered, and the request is retried. */
export type RefundOutcome = 'refunded' | 'open' | 'by_hand';

type RefundRow = {
  account_id: string;
  refund_id: string;
  topup_id: string;
  provider: string;
  txn_id: string;
  amount: number;
};

/**
 * Requests a refund, already booked out of saldo or suspense, from its gateway. `by_hand`: the gateway cannot, or it
 * was a bank transfer: an operator transfers it and calls `finishRefundByHand`. Failures are retried each minute.
 */
export async function sendRefund(deps: OrderDeps, refundId: string): Promise<RefundOutcome> {
  const [row] = await openRefunds(deps, refundId);
  return row ? requestRefund(deps, row) : 'by_hand';
}

const openRefunds = ({ allAccountsSql }: OrderDeps, refundId?: string) => allAccountsSql<
  RefundRow[]
>`
  select account_id, refund_id, topup_id, provider, txn_id, amount from refunds
  where status = 'open' and way = 'gateway' and (${refundId ?? null}::uuid is null or refund_id = ${refundId ?? null})
  order by created_at limit 50`;

/** Retries unanswered refunds. For the job of every minute. */
export async function retryRefunds(deps: OrderDeps): Promise<void> {
  for (const row of await openRefunds(deps)) await requestRefund(deps, row).catch(deps.report);
}

/** Sends the same refund key with every attempt, so that the gateway refunds once. */
async function requestRefund(deps: OrderDeps, row: RefundRow): Promise<RefundOutcome> {
  const order = await findOrder(deps.allAccountsSql, row.topup_id);
  const gateway = order && deps.gateways.find(order);
  if (!order || !gateway?.refund) return markManual(deps, row);
  const refundKey = publicId('adjustment', row.refund_id);
  try {
    // An attempt whose answer was lost may have succeeded.
    const status = await gateway.fetchStatus(refOf(order, row.txn_id));
    const rest = unrefundedAmount(row, status);
    if (rest === undefined) throw unclearRefund(row);
    if (rest > 0) {
      const request = { ref: refOf(order), txnId: row.txn_id, amount: rupiah(rest), refundKey };
      const result = await gateway.refund(request);
      // A refund by hand returns the whole amount, so never after a partial refund.
      if (result.outcome === 'unsupported' && rest < row.amount) throw unclearRefund(row);
      if (result.outcome === 'unsupported') return await markManual(deps, row);
    }
  } catch (error) {
    deps.report(error);
    return 'open';
  }
  const { account_id: accountId, refund_id: refundId, provider } = row;
  const paid = { cash: `cash:${provider}`, way: 'gateway', reference: refundKey, at: deps.now() };
  await retrying(() => finish(deps.allAccountsSql, { accountId, refundId }, paid));
  return 'refunded';
}

function unrefundedAmount({ amount }: RefundRow, { state, partly, returned }: GatewayStatus) {
  if (state !== 'refunded') return amount;
  if (!partly) return 0;
  return returned === undefined ? undefined : Math.max(0, amount - returned);
}

const unclearRefund = ({ topup_id }: RefundRow): PaymentAlert =>
  new PaymentAlert(`${topup_id}: its gateway gave part of it back, and not the rest`);

async function markManual({ allAccountsSql }: OrderDeps, row: RefundRow): Promise<RefundOutcome> {
  await allAccountsSql`select refund_by_hand(${row.account_id}, ${row.refund_id})`;
  return 'by_hand';
}

type Payout = { cash: string; way: string; reference: string; at: Date };

async function finish(
  sql: Sql | Tx,
  { accountId, refundId }: { accountId: string; refundId: string },
  { cash, way, reference, at }: Payout,
): Promise<boolean> {
  const [row] = await sql<{ finished: boolean }[]>`
    select finish_refund(
      ${accountId}, ${refundId}, ${cash}, ${way}, ${reference}, ${at}
    ) as finished`;
  return row?.finished ?? false;
}

/** Finishes a refund that an operator has transferred. @returns false when it was finished before. */
export const finishRefundByHand = (
  tx: Sql | Tx,
  {
    reference,
    at,
    ...refund
  }: { accountId: string; refundId: string; reference: string; at: Date },
): Promise<boolean> => finish(tx, refund, { cash: 'cash:bank', way: 'manual', reference, at });
