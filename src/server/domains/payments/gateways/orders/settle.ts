import { rupiah } from '#contract/base/money.ts';
import { type Tx, retrying } from '#server/infra/postgres/database.ts';
import { type PaidOutcome, applyPaid, lateNote } from '#server/domains/payments/topups/pay.ts';
import { type GatewayStatus, PaymentAlert } from '#server/domains/payments/gateways/gateway.ts';
import { type OrderDeps, type OrderRow, lockOrder, moveOrder, openOrder } from './orders.ts';

/** What an order's status at its gateway has changed here. */
export type Settled =
  | PaidOutcome
  | 'pending'
  | 'expired'
  | 'cancelled'
  | 'review'
  | 'flagged'
  | 'unchanged';

const waiting = ['creating', 'pending'] as const;
const unpaid = ['creating', 'pending', 'expired', 'cancelled'] as const;
const REVIEW_NOTE = 'Pembayaran ini sedang diperiksa.';

/**
 * Brings an order to what its gateway has just said, in one transaction. The state it ends in depends on
 * that alone, whatever was said before, however often and in which order.
 */
export async function settleOrder(
  deps: OrderDeps,
  order: OrderRow,
  status: GatewayStatus,
): Promise<Settled> {
  const settled = await retrying(() =>
    deps.allAccountsSql.begin(async (tx) => {
      const locked = await lockOrder(tx, order);
      return apply(tx, locked, { status, at: deps.now() });
    }),
  );
  deps.onOutcome?.({ provider: order.provider, outcome: settled });
  const alert = alerts[settled];
  if (alert !== undefined) deps.report(new PaymentAlert(`${order.topup_id}: ${alert}`));
  return settled;
}

/** What an operator should hear of. */
const alerts: Partial<Record<Settled, string>> = {
  second_payment: 'a second payment rests in suspense',
  amount_mismatch: 'another amount was paid',
  txn_used: 'its payment has paid another top-up',
  flagged: 'its gateway gave money back, or it is disputed',
};

type Seen = { status: GatewayStatus; at: Date };

async function apply(tx: Tx, order: OrderRow, seen: Seen): Promise<Settled> {
  const { status, at } = seen;
  switch (status.state) {
    case 'paid':
      return pay(tx, order, seen);
    case 'review':
      return review(tx, order);
    case 'refunded':
      return flag(tx, order, at);
    case 'expired':
    case 'failed':
      return close(tx, order, 'expired');
    case 'cancelled':
      return close(tx, order, 'cancelled');
    case 'pending':
      if (order.status === 'creating' && status.details) {
        await openOrder(tx, order, status.details);
        return 'pending';
      }
      break;
    case 'not_found':
  }
  // Nothing paid it until now, and its time is over.
  return at >= order.expires_at ? close(tx, order, 'expired') : 'unchanged';
}

async function pay(tx: Tx, order: OrderRow, { status, at }: Seen): Promise<Settled> {
  const { txnId, amount } = status;
  if (txnId === undefined || amount === undefined) return review(tx, order);
  const expected = rupiah(order.base + order.ppn);
  const note = amount === expected ? lateNote(order.status) : REVIEW_NOTE;
  return applyPaid(tx, {
    accountId: order.account_id,
    topupId: order.topup_id,
    txnId,
    amount,
    at,
    actor: `gateway:${order.provider}`,
    ...(note !== undefined && { note }),
  });
}

async function review(tx: Tx, order: OrderRow): Promise<Settled> {
  const moved = await moveOrder(tx, order, { from: unpaid, to: 'review', note: REVIEW_NOTE });
  return moved ? 'review' : 'unchanged';
}

async function close(tx: Tx, order: OrderRow, to: 'expired' | 'cancelled'): Promise<Settled> {
  return (await moveOrder(tx, order, { from: waiting, to })) ? to : 'unchanged';
}

/** Money that went back is never taken from the saldo by itself: an operator decides. */
async function flag(tx: Tx, order: OrderRow, at: Date): Promise<Settled> {
  await moveOrder(tx, order, { from: unpaid, to: 'review', note: REVIEW_NOTE });
  // What an operator gave back comes back as a notice, too.
  const flagged = await tx`
    update gateway_orders o set flag = 'refunded', flagged_at = ${at}
    where account_id = ${order.account_id} and topup_id = ${order.topup_id} and flag is null
      and not exists (
        select from refunds r where r.account_id = o.account_id and r.topup_id = o.topup_id
      )`;
  return flagged.count > 0 ? 'flagged' : 'unchanged';
}
