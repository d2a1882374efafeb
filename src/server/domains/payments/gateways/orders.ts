import type { OrderDeps, OrderRow, Settled, TopupDeps } from '#server/domains/payments/deps.ts';
import { backoff } from '#server/infra/backoff.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah, type Rupiah } from '#contract/base/money.ts';
import { type TopupStatus, checkTopup, type Topup } from '#contract/saldo.ts';
import {
  type Fragment,
  type Sql,
  type Tx,
  asAccount,
  retrying,
} from '#server/infra/postgres/database.ts';
import {
  type GatewayMethod,
  type GatewayOrder,
  type GatewayRef,
  type GatewayStatus,
  type PaymentDetails,
  GatewayTrouble,
  PaymentAlert,
  type PaymentGateway,
  providerOf,
} from '#server/domains/payments/gateways/gateway.ts';
import { type Payment, applyPayments, lateNote } from '#server/domains/payments/topups/pay.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { findTopup } from '#server/domains/payments/topups/topup.ts';
import { handle, hit } from '#server/infra/acts.ts';
import {
  type TopupRequest,
  existingTopup,
  lockAccount,
  refuseTooMany,
} from '#server/domains/payments/topups/placing.ts';
import { newId } from '#server/infra/ids.ts';
import { limitsOf } from '#server/domains/payments/gateways/methods.ts';
import { withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { gather } from '#server/infra/postgres/gather.ts';
import type { PaymentFlagKind } from '#contract/operator/payments.ts';

const columns = (sql: Sql | Tx): Fragment => sql`
  topups.account_id, topups.topup_id, topups.provider, topups.method, topups.status,
  topups.simulated, topups.base, topups.ppn, topups.provider_ref, topups.created_at,
  topups.expires_at`;

/** The order of a top-up, of any account; undefined for a bank transfer or an unknown top-up. */
export async function findOrder(sql: Sql | Tx, topupId: string): Promise<OrderRow | undefined> {
  const [row] = await sql<OrderRow[]>`
    select ${columns(sql)} from topups where topup_id = ${topupId} and provider <> 'bank'`;
  return row;
}

/** Locks the rows of orders in the order of their ids, and returns them by top-up. */
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

/** Moves an order in one statement. @returns whether it was in one of the `from` states. */
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

/** Stores how an order is paid. @returns whether it was `creating`; an order cancelled meanwhile stays cancelled. */
export async function openOrder(
  sql: Sql | Tx,
  { account_id, topup_id, expires_at }: OrderRow,
  { providerRef, qr, va, pageUrl, expiresAt = expires_at }: PaymentDetails,
): Promise<boolean> {
  // If the gateway accepts payments longer than we do, these count as late money.
  const until = expiresAt < expires_at ? expiresAt : expires_at;
  const opened = await sql`
    update topups set status = 'pending', provider_ref = ${providerRef}, qr = ${qr ?? null},
      va_bank = ${va?.bank ?? null}, va_number = ${va?.number ?? null},
      page_url = ${pageUrl ?? null}, expires_at = ${until}
    where account_id = ${account_id} and topup_id = ${topup_id} and status = 'creating'`;
  return opened.count > 0;
}

/** Cancels an order at its gateway, best effort; later money still counts. */
export async function cancelAtGateway(deps: OrderDeps, row: OrderRow): Promise<void> {
  try {
    await deps.gateways.find(row)?.cancel(refOf(row));
  } catch (error) {
    deps.report(error);
  }
}

const PER_MINUTE = 6;

export const checkTopupHandler = (deps: TopupDeps) =>
  handle(checkTopup, async ({ caller: { accountId } }, { topup_id: topupId }) => {
    const now = deps.now();
    const read = () =>
      asAccount(deps.sql, accountId, (tx) => findTopup(tx, { accountId, topupId, now }));
    const topup = await read();
    // An order being created has an owner: a concurrent attempt could create it twice.
    const isFinalOrCreating = ['paid', 'rejected', 'creating'].includes(topup.status);
    if (topup.method === 'bank' || isFinalOrCreating) return topup;
    await checkOrder(deps, topupId);
    return read();
  });

/**
 * Checks a top-up at its gateway, and settles it by the answer. Does nothing for a bank transfer or an order being
 * created.
 *
 * @throws Refusal `too_many_requests`, `gateway_down`.
 */
export async function checkOrder(deps: OrderDeps, topupId: string): Promise<void> {
  const order = await findOrder(deps.allAccountsSql, topupId);
  // The stored status: a late `creating` is shown as expired.
  if (!order || order.status === 'creating') return;
  await refuseTooOften(deps, topupId);
  try {
    await pollOrder(deps, order);
  } catch (error) {
    if (!(error instanceof GatewayTrouble)) throw error;
    deps.report(error);
    throw new Refusal('gateway_down', {});
  }
}

async function refuseTooOften({ allAccountsSql }: OrderDeps, topupId: string): Promise<void> {
  const limit = { scope: 'topup_check', subject: topupId, max: PER_MINUTE, windowSeconds: 60 };
  const full = await allAccountsSql.begin((tx) => hit(tx, [limit]));
  if (full) throw new Refusal('too_many_requests', { seconds: full.seconds });
}

const AT_ONCE = 8;
/** A claim on an order ends after this, which is longer than three requests can take. */
const LEASE_MS = 240_000;
/** Attempts to create an order that could not be paid yet end after this. */
const CREATING_MS_MAX = 15 * 60_000;
/** An order whose gateway does not answer for this long after expiry is given up. */
const SILENCE_MS_MAX = 7 * 86_400_000;
const CREATING_NOTE = 'Layanan pembayaran tidak menjawab. Buat isi saldo yang baru.';

/** Polls due orders. Any number of nodes may; one of them claims each order. @returns how many were due. */
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
 * Polls one order, and settles it by the answer. An order that may be missing at the gateway is created there under the
 * same id.
 *
 * @returns `creating` while that has not succeeded.
 * @throws GatewayTrouble
 */
async function pollOrder(deps: OrderDeps, order: OrderRow): Promise<Settled | 'creating'> {
  const gateway = deps.gateways.find(order);
  if (!gateway) return deps.settle(order, { state: 'not_found' });
  const status = await gateway.fetchStatus(refOf(order));
  if (order.status === 'creating' && !isOver(deps, order)) {
    const cannotBePaid = status.state === 'pending' && status.details === undefined;
    if (status.state === 'not_found' || cannotBePaid) return recreate(deps, gateway, order);
  }
  return settleAndStop(deps, order, status);
}

const isOver = ({ now }: OrderDeps, { created_at, expires_at }: OrderRow): boolean =>
  now() >= expires_at || now().getTime() - created_at.getTime() >= CREATING_MS_MAX;

async function recreate(
  deps: OrderDeps,
  gateway: PaymentGateway,
  order: OrderRow,
): Promise<Settled | 'creating'> {
  const made = await createAtGateway(deps, gateway, order);
  if (made === 'unknown') return 'creating';
  if (made === 'open') return 'pending';
  if (made === 'refused') return 'cancelled';
  // The order exists, but its payment details were never shown.
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

type GatewayRequest = TopupRequest & { method: GatewayMethod };

const MINUTE_MS = 60_000;
/** First poll of an order whose creator may have crashed: later than any answer can arrive. */
const FIRST_POLL_MS = 75_000;

/**
 * Creates a top-up paid through a gateway. The order is stored as `creating` before the request to the gateway, so that
 * the worker can settle it after any failure. Safe to repeat with the same key.
 *
 * @throws Refusal `gateway_down`, `topup_amount_unfit`, `topup_too_many`, `topup_too_often`, `wallet_frozen`,
 *   `account_suspended`, `idempotency_conflict`.
 */
export async function placeGatewayTopup(deps: TopupDeps, request: GatewayRequest): Promise<Topup> {
  const gateway = deps.gateways.forMethod(request.method);
  if (!gateway) throw new Refusal('gateway_down', {});
  refuseUnfit(deps, request);
  const { topupId, isNew } = await insertOrder(deps, gateway, request);
  const row = isNew ? await findOrder(deps.allAccountsSql, topupId) : undefined;
  if (row && (await createAtGateway(deps, gateway, row)) === 'refused') {
    throw new Refusal('gateway_down', {});
  }
  const { accountId } = request;
  return asAccount(deps.sql, accountId, (tx) =>
    findTopup(tx, { accountId, topupId, now: deps.now() }),
  );
}

function refuseUnfit(deps: TopupDeps, { method, base }: GatewayRequest): void {
  const { minimum, maximum } = limitsOf(deps, method);
  if (base < minimum || base > maximum) {
    throw new Refusal('topup_amount_unfit', { minimum, maximum });
  }
}

function insertOrder(
  deps: TopupDeps,
  { simulated }: PaymentGateway,
  request: GatewayRequest,
): Promise<{ topupId: string; isNew: boolean }> {
  const { accountId, base, key, method } = request;
  const now = deps.now();
  return asAccount(deps.sql, accountId, async (tx) => {
    await lockAccount(tx, accountId);
    const existing = await existingTopup(tx, request);
    if (existing !== undefined) return { topupId: existing, isNew: false };
    await refuseTooMany(tx, accountId, now);
    const topupId = newId();
    const ppn: Rupiah = deps.prices.ppnOf(base, now);
    const total = rupiah(base + ppn);
    const expiresAt = new Date(now.getTime() + limitsOf(deps, method).minutes * MINUTE_MS);
    const provider = providerOf(method);
    await tx`
      insert into topups (
        account_id, topup_id, request_key, status, method, provider, simulated, base, ppn,
        unique_code, total, credited, income, created_at, expires_at, invoice_id
      ) values (
        ${accountId}, ${topupId}, ${key}, 'creating', ${method}, ${provider}, ${simulated}, ${base},
        ${ppn}, 0, ${total}, ${base}, 0, ${now}, ${expiresAt}, ${request.invoiceId ?? null}
      )`;
    await tx`
      insert into gateway_orders (account_id, topup_id, provider, next_poll_at)
      values (${accountId}, ${topupId}, ${provider}, ${new Date(now.getTime() + FIRST_POLL_MS)})`;
    return { topupId, isNew: true };
  });
}

/**
 * Creates a `creating` order at its gateway. `unknown`: it may exist, and the worker will check; `taken`: it exists,
 * and its payment details cannot be fetched; `refused`: it does not exist, and is cancelled.
 */
async function createAtGateway(
  deps: OrderDeps,
  gateway: PaymentGateway,
  row: OrderRow,
): Promise<'open' | 'taken' | 'unknown' | 'refused'> {
  try {
    const result = await gateway.create(orderOf(row));
    if (result.outcome === 'taken') return 'taken';
    if (result.outcome === 'created') {
      const isOpen = await openOrder(deps.allAccountsSql, row, result.details);
      if (!isOpen) {
        await cancelAtGateway(deps, { ...row, provider_ref: result.details.providerRef });
      } else await schedulePoll(deps, row);
      return 'open';
    }
    deps.report(new PaymentAlert(result.why));
  } catch (error) {
    if (!(error instanceof GatewayTrouble)) throw error;
    deps.report(error);
    if (error.kind === 'unknown') return 'unknown';
  }
  await moveOrder(deps.allAccountsSql, row, {
    from: ['creating'],
    to: 'cancelled',
    note: 'Layanan pembayaran tidak menerima permintaan ini.',
  });
  return 'refused';
}

async function schedulePoll({ allAccountsSql }: OrderDeps, row: OrderRow): Promise<void> {
  await allAccountsSql`
    update gateway_orders set next_poll_at = ${new Date(row.created_at.getTime() + MINUTE_MS)}
    where account_id = ${row.account_id} and topup_id = ${row.topup_id}
      and next_poll_at > ${row.created_at}`;
}

const FIRST_MINUTES = [1, 3, 10, 30];
const REGULAR_MINUTES = 30;
/** Minutes after expiry: for last-moment payments, and for late settlements. */
const EXPIRED_MINUTES = [0, 10, 1_440];

type Times = { createdAt: Date; expiresAt: Date };

/**
 * The next poll of an order: 1, 3, 10 and 30 minutes after creation, then every 30; at expiry, ten minutes later, and
 * once more after a day.
 *
 * @returns undefined after the last one.
 */
export function nextPollAt({ createdAt, expiresAt }: Times, now: Date): Date | undefined {
  const age = (now.getTime() - createdAt.getTime()) / MINUTE_MS;
  const next =
    FIRST_MINUTES.find((minutes) => minutes > age) ??
    (Math.floor(age / REGULAR_MINUTES) + 1) * REGULAR_MINUTES;
  const regular = after(createdAt, next);
  if (regular < expiresAt) return regular;
  return EXPIRED_MINUTES.map((minutes) => after(expiresAt, minutes)).find((at) => at > now);
}

const after = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * MINUTE_MS);

/** The next attempt: 5 s after the first of the `tries` (1 or more), doubled with each one, up to ten minutes. */
export const retryAt = (now: Date, tries: number): Date =>
  new Date(now.getTime() + backoff(tries, { first: 5_000, max: 10 * MINUTE_MS }));

const waiting = ['creating', 'pending'] as const;
const unpaid = ['creating', 'pending', 'expired', 'cancelled'] as const;
const REVIEW_NOTE = 'Pembayaran ini sedang diperiksa.';

const BATCH_MAX = 100;
/** Concurrent transactions, so that one that waits for a lock does not delay the others. */
const RUNS_MAX = 4;

type GatewayReport = { order: OrderRow; status: GatewayStatus };

type SettleDeps = Pick<OrderDeps, 'allAccountsSql' | 'now' | 'report' | 'onOutcome'>;

/**
 * Settles orders by the status at their gateway; concurrent calls share a transaction. The final state depends only on
 * that status, not on the number and order of earlier ones.
 */
export function openSettle(deps: SettleDeps): OrderDeps['settle'] {
  const settle = gather<GatewayReport, Settled>((asked) => settleAll(deps, asked), {
    waitMs: 0,
    sizeMax: BATCH_MAX,
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
    if (!locked) throw new Error('a locked order was not found');
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
  return at >= order.expires_at ? close(tx, order, 'expired') : 'unchanged';
}

async function review(tx: Tx, order: OrderRow): Promise<Settled> {
  const moved = await moveOrder(tx, order, { from: unpaid, to: 'review', note: REVIEW_NOTE });
  return moved ? 'review' : 'unchanged';
}

async function close(tx: Tx, order: OrderRow, to: 'expired' | 'cancelled'): Promise<Settled> {
  return (await moveOrder(tx, order, { from: waiting, to })) ? to : 'unchanged';
}

/** A refund by the gateway never debits the saldo by itself: an operator decides, and again after a further one. */
async function flag(tx: Tx, { order, status }: GatewayReport, at: Date): Promise<Settled> {
  await moveOrder(tx, order, { from: unpaid, to: 'review', note: REVIEW_NOTE });
  const kind: PaymentFlagKind = status.partly ? 'partly_refunded' : 'refunded';
  const returned = status.returned ?? null;
  // Our own refunds also come back as notices.
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
