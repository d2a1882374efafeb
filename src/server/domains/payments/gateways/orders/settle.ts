import { rupiah } from '#contract/base/money.ts';
import { type Tx, retrying } from '#server/infra/postgres/database.ts';
import { withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import { type Payment, applyPayments, lateNote } from '#server/domains/payments/topups/pay.ts';
import { type GatewayStatus, PaymentAlert } from '#server/domains/payments/gateways/gateway.ts';
import type { PaymentFlagKind } from '#contract/operator/money/refunds.ts';
import {
  type OrderDeps,
  type OrderRow,
  type Settled,
  lockOrders,
  moveOrder,
  openOrder,
} from './orders.ts';

const waiting = ['creating', 'pending'] as const;
const unpaid = ['creating', 'pending', 'expired', 'cancelled'] as const;
const REVIEW_NOTE = 'Pembayaran ini sedang diperiksa.';

/** Orders brought to their states in one transaction. */
const TOGETHER_MAX = 100;
/** Transactions at once: one that waits for a lock delays no other's orders. */
const RUNS_MAX = 4;

type GatewayReport = { order: OrderRow; status: GatewayStatus };

type SettleDeps = Pick<OrderDeps, 'allAccountsSql' | 'now' | 'report' | 'onOutcome'>;

/**
 * Brings orders to what their gateways have just said; what was said at the same moment, in one transaction.
 * The state an order ends in depends on that alone, whatever was said before, however often and in which
 * order.
 */
export function openSettle(deps: SettleDeps): OrderDeps['settle'] {
  const settle = gather<GatewayReport, Settled>((asked) => settleAll(deps, asked), {
    waitMs: 0,
    sizeMax: TOGETHER_MAX,
    runsMax: RUNS_MAX,
  });
  return async (order, status) => {
    const settled = await settle({ order, status });
    deps.onOutcome?.({ provider: order.provider, outcome: settled });
    const alert = alerts[settled];
    if (alert !== undefined) deps.report(new PaymentAlert(`${order.topup_id}: ${alert}`));
    return settled;
  };
}

/** What an operator should hear of. */
const alerts: Partial<Record<Settled, string>> = {
  second_payment: 'a second payment rests in suspense',
  amount_mismatch: 'another amount was paid',
  txn_used: 'its payment has paid another top-up',
  flagged: 'its gateway gave money back, or it is disputed',
};

async function settleAll(
  { allAccountsSql, now }: SettleDeps,
  asked: readonly GatewayReport[],
): Promise<Settled[]> {
  const placed = asked.map((report, place) => ({
    accountId: report.order.account_id,
    report,
    place,
  }));
  const settled = await withEachAccount(placed, async (some) => {
    const reports = some.map(({ report }) => report);
    const outcomes = await retrying(() =>
      allAccountsSql.begin((tx) => settleIn(tx, reports, now())),
    );
    return some.map(({ place }, n) => ({ place, outcome: outcomes[n] }));
  });
  return settled.toSorted((a, b) => a.place - b.place).flatMap(({ outcome }) => outcome ?? []);
}

async function settleIn(tx: Tx, asked: readonly GatewayReport[], at: Date): Promise<Settled[]> {
  const orders = await lockOrders(
    tx,
    asked.map(({ order }) => order),
  );
  const seen = asked.map(({ order, status }) => {
    const locked = orders.get(order.topup_id);
    if (!locked) throw new Error('an order vanished');
    return { order: locked, status };
  });
  const payments = seen.map((one) => paymentOf(one, at));
  const outcomes = await applyPayments(
    tx,
    payments.filter((payment) => payment !== undefined),
  );
  const paid = outcomes.values();
  const settled: Settled[] = [];
  for (const [place, one] of seen.entries()) {
    const outcome = payments[place] && paid.next().value;
    settled.push(outcome ?? (await apply(tx, one, at)));
  }
  return settled;
}

/** The payment that a gateway speaks of; undefined where it says none, or not which. */
function paymentOf({ order, status }: GatewayReport, at: Date): Payment | undefined {
  const { state, txnId, amount } = status;
  if (state !== 'paid' || txnId === undefined || amount === undefined) return undefined;
  const expected = rupiah(order.base + order.ppn);
  const note = amount === expected ? lateNote(order.status) : REVIEW_NOTE;
  return {
    accountId: order.account_id,
    topupId: order.topup_id,
    txnId,
    amount,
    at,
    actor: `gateway:${order.provider}`,
    ...(note !== undefined && { note }),
  };
}

async function apply(tx: Tx, { order, status }: GatewayReport, at: Date): Promise<Settled> {
  switch (status.state) {
    case 'paid':
    case 'review':
      return review(tx, order);
    case 'refunded':
      return flag(tx, { order, status }, at);
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

async function review(tx: Tx, order: OrderRow): Promise<Settled> {
  const moved = await moveOrder(tx, order, { from: unpaid, to: 'review', note: REVIEW_NOTE });
  return moved ? 'review' : 'unchanged';
}

async function close(tx: Tx, order: OrderRow, to: 'expired' | 'cancelled'): Promise<Settled> {
  return (await moveOrder(tx, order, { from: waiting, to })) ? to : 'unchanged';
}

/**
 * Money that went back is never taken from the saldo by itself: an operator decides. More that goes back after
 * they have is for them to look at anew.
 */
async function flag(tx: Tx, { order, status }: GatewayReport, at: Date): Promise<Settled> {
  await moveOrder(tx, order, { from: unpaid, to: 'review', note: REVIEW_NOTE });
  const kind: PaymentFlagKind = status.partly ? 'partly_refunded' : 'refunded';
  const returned = status.returned ?? null;
  // What an operator gave back comes back as a notice, too.
  const isGivenBack = tx`
    select from refunds where account_id = ${order.account_id} and topup_id = ${order.topup_id}`;
  if ((await isGivenBack).length > 0) return 'unchanged';
  const flagged = await tx`
    update gateway_orders
    set flag = ${kind}, returned = ${returned}, flagged_at = ${at}, settled_at = null, settled_by = null,
      settled_reason = null
    where account_id = ${order.account_id} and topup_id = ${order.topup_id}
      and (flag, returned) is distinct from (${kind}::text, ${returned}::bigint)`;
  return flagged.count > 0 ? 'flagged' : 'unchanged';
}
