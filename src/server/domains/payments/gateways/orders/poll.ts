import {
  type GatewayStatus,
  PaymentAlert,
  type PaymentGateway,
} from '#server/domains/payments/gateways/gateway.ts';
import {
  type OrderDeps,
  type OrderRow,
  type Settled,
  cancelAtGateway,
  findOrder,
  moveOrder,
  refOf,
} from './orders.ts';
import { createAtGateway } from './place.ts';
import { nextPollAt, retryAt } from './schedule.ts';

/** Orders asked about at the same time. */
const AT_ONCE = 8;
/** Whoever took an order and died has it no longer than this: longer than three questions may take. */
const LEASE_MS = 240_000;
/** So long it is tried to make an order that nobody could pay yet. */
const CREATING_MS_MAX = 15 * 60_000;
/** An order whose gateway has not answered for so long after its time is given up. */
const SILENCE_MS_MAX = 7 * 86_400_000;
const CREATING_NOTE = 'Layanan pembayaran tidak menjawab. Buat isi saldo yang baru.';

/**
 * Asks gateways what became of the orders that are due. Any number of nodes may; each order is asked
 * about by one.
 *
 * @returns how many there were.
 */
export async function pollOrders(deps: OrderDeps): Promise<number> {
  const due = await claimDue(deps);
  await Promise.all(
    due.map(async ({ topup_id, polls }) => {
      const order = await findOrder(deps.allAccountsSql, topup_id);
      if (order) await pollAndSchedule(deps, order, polls).catch(deps.report);
    }),
  );
  return due.length;
}

function claimDue({ allAccountsSql, now }: OrderDeps) {
  const at = now();
  return allAccountsSql<{ topup_id: string; polls: number }[]>`
    update gateway_orders o
    set polls = o.polls + 1, next_poll_at = ${new Date(at.getTime() + LEASE_MS)}
    from (
      select account_id, topup_id from gateway_orders where next_poll_at <= ${at}
      order by next_poll_at limit ${AT_ONCE} for update skip locked
    ) due
    where o.account_id = due.account_id and o.topup_id = due.topup_id
    returning o.topup_id, o.polls`;
}

async function pollAndSchedule(deps: OrderDeps, order: OrderRow, polls: number): Promise<void> {
  const times = { createdAt: order.created_at, expiresAt: order.expires_at };
  let next: Date | undefined;
  try {
    const isSettled = (await pollOrder(deps, order)) !== 'creating';
    next = isSettled ? nextPollAt(times, deps.now()) : retryAt(deps.now(), polls);
  } catch (error) {
    deps.report(error);
    next = await afterTrouble(deps, order, polls);
  }
  await deps.allAccountsSql`
    update gateway_orders o set next_poll_at = ${next ?? null} from topups t
    where t.account_id = o.account_id and t.topup_id = o.topup_id
      and o.topup_id = ${order.topup_id} and o.account_id = ${order.account_id}
      and t.status not in ('paid', 'rejected')`;
}

async function afterTrouble(
  deps: OrderDeps,
  order: OrderRow,
  polls: number,
): Promise<Date | undefined> {
  const now = deps.now();
  if (now.getTime() < order.expires_at.getTime() + SILENCE_MS_MAX) return retryAt(now, polls);
  deps.report(new PaymentAlert(`the gateway never said what became of ${order.topup_id}`));
  await moveOrder(deps.allAccountsSql, order, { from: ['creating', 'pending'], to: 'expired' });
  return undefined;
}

/**
 * Asks a gateway about one order, and brings the order to what it says. An order that may not stand at
 * the gateway is made there, under the same id.
 *
 * @returns `creating` while that has not succeeded.
 * @throws GatewayTrouble
 */
export async function pollOrder(deps: OrderDeps, order: OrderRow): Promise<Settled | 'creating'> {
  const gateway = deps.gateways.find(order);
  // Nobody is left who could be asked: a gateway that was taken out of the settings.
  if (!gateway) return deps.settle(order, { state: 'not_found' });
  const status = await gateway.fetchStatus(refOf(order));
  if (order.status === 'creating' && !isOver(deps, order)) {
    const cannotBePaid = status.state === 'pending' && status.details === undefined;
    if (status.state === 'not_found' || cannotBePaid) return makeAgain(deps, gateway, order);
  }
  return settleAndStop(deps, order, status);
}

const isOver = ({ now }: OrderDeps, { created_at, expires_at }: OrderRow): boolean =>
  now() >= expires_at || now().getTime() - created_at.getTime() >= CREATING_MS_MAX;

async function makeAgain(
  deps: OrderDeps,
  gateway: PaymentGateway,
  order: OrderRow,
): Promise<Settled | 'creating'> {
  const made = await createAtGateway(deps, gateway, order);
  if (made === 'unknown') return 'creating';
  if (made === 'open') return 'pending';
  if (made === 'refused') return 'cancelled';
  // It stands there, and nobody has seen how it is paid.
  await giveUp(deps, order);
  return 'cancelled';
}

async function giveUp(deps: OrderDeps, order: OrderRow): Promise<void> {
  const move = { from: ['creating'], to: 'cancelled', note: CREATING_NOTE } as const;
  await moveOrder(deps.allAccountsSql, order, move);
  await cancelAtGateway(deps, order);
}

async function settleAndStop(
  deps: OrderDeps,
  order: OrderRow,
  status: GatewayStatus,
): Promise<Settled> {
  const settled = await deps.settle(order, status);
  const isCreatedTooLate = order.status === 'creating' && isOver(deps, order);
  if (isCreatedTooLate && settled === 'unchanged') {
    await giveUp(deps, order);
    return 'cancelled';
  }
  const isClosed = ['expired', 'cancelled'].includes(order.status) || settled === 'expired';
  if (isClosed && status.state === 'pending') await cancelAtGateway(deps, order);
  return settled;
}
