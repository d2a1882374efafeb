import type { OrderDeps } from '#server/domains/payments/deps.ts';
import { uuidOf } from '#contract/base/ids.ts';
import { newId } from '#server/infra/ids.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { type NoticeHeaders, PaymentAlert } from './gateway.ts';
import { flagged } from './flags.ts';
import { findOrder, refOf, retryAt } from './orders.ts';

/** Result of receiving a notice; `unserved`: this installation does not have the gateway. */
export type Received = 'stored' | 'known' | 'forged' | 'malformed' | 'unserved';

const AT_ONCE = 8;
const LEASE_MS = 120_000;
/** A notice that fails for this long is left to the operator. */
const DEAD_MS = 86_400_000;
/** After these results a repeated notice asks the gateway again: its unsigned status may have come too early. */
const RETRIGGERING = ['unchanged', 'pending', 'expired', 'cancelled', 'review', 'flagged', 'dead'];
/** Notices are kept for inquiries, and may contain names of payers. */
const RETENTION_DAYS = 90;
const HEADER_LENGTH_MAX = 200;

/** Stores a verified notice once. Its content is not trusted: it only triggers a request to the gateway. */
export async function receiveNotice(
  deps: OrderDeps,
  provider: string,
  notice: { headers: NoticeHeaders; raw: Buffer },
): Promise<Received> {
  const gateway = deps.gateways.named(provider);
  if (!gateway) return 'unserved';
  const verified = gateway.verify(notice.headers, notice.raw);
  if (typeof verified === 'string') {
    deps.onOutcome?.({ provider, outcome: verified });
    return verified;
  }
  const at = deps.now();
  const headers = Object.fromEntries(
    gateway.keptHeaders.map((name) => [
      name,
      String(notice.headers[name] ?? '').slice(0, HEADER_LENGTH_MAX),
    ]),
  );
  const stored = await deps.allAccountsSql`
    insert into payment_inbox (
      inbox_id, provider, dedupe, headers, raw, order_ref, txn_id, verified, received_at, next_try_at
    ) values (
      ${newId()}, ${provider}, ${verified.dedupe}, ${json(headers)}, ${notice.raw},
      ${verified.orderId}, ${verified.txnId ?? null}, true, ${at}, ${at}
    ) on conflict on constraint inbox_dedupe do update
      set processed_at = null, result = null, attempts = 0, received_at = excluded.received_at,
        next_try_at = excluded.next_try_at
      where payment_inbox.result = any (${RETRIGGERING}::text[])`;
  return stored.count > 0 ? 'stored' : 'known';
}

type InboxRow = {
  inbox_id: string;
  provider: string;
  order_ref: string;
  txn_id: string | null;
  attempts: number;
  received_at: Date;
};

/** Applies due notices. Any number of nodes may; one of them claims each notice. @returns how many were due. */
export async function workInbox(deps: OrderDeps): Promise<number> {
  const at = deps.now();
  const due = await deps.allAccountsSql<InboxRow[]>`
    update payment_inbox i
    set attempts = i.attempts + 1, next_try_at = ${new Date(at.getTime() + LEASE_MS)}
    from (
      select inbox_id from payment_inbox where processed_at is null and next_try_at <= ${at}
      order by next_try_at limit ${AT_ONCE} for update skip locked
    ) due
    where i.inbox_id = due.inbox_id
    returning i.inbox_id, i.provider, i.order_ref, i.txn_id, i.attempts, i.received_at`;
  await Promise.all(due.map((row) => workOne(deps, row).catch(deps.report)));
  return due.length;
}

async function workOne(deps: OrderDeps, row: InboxRow): Promise<void> {
  try {
    await finish(deps, row, await applyNotice(deps, row));
  } catch (error) {
    deps.report(error);
    const now = deps.now();
    if (now.getTime() - row.received_at.getTime() >= DEAD_MS) {
      deps.onOutcome?.({ provider: row.provider, outcome: 'dead' });
      deps.report(
        new PaymentAlert(`a notice about ${row.order_ref} could not be applied for a day`),
      );
      await finish(deps, row, 'dead');
    } else {
      await deps.allAccountsSql`
        update payment_inbox set next_try_at = ${retryAt(now, row.attempts)}
        where inbox_id = ${row.inbox_id} and processed_at is null`;
    }
  }
}

async function applyNotice(deps: OrderDeps, row: InboxRow): Promise<string> {
  const topupId = uuidOf('topup', row.order_ref);
  const order = topupId === undefined ? undefined : await findOrder(deps.allAccountsSql, topupId);
  const gateway = order && deps.gateways.find(order);
  if (!order || !gateway || order.provider !== row.provider) return 'unknown_order';
  const status = await gateway.fetchStatus(refOf(order, row.txn_id ?? undefined));
  return deps.settle(order, status);
}

const finish = (deps: OrderDeps, { inbox_id }: InboxRow, result: string) =>
  deps.allAccountsSql`
    update payment_inbox set processed_at = ${deps.now()}, result = ${result}
    where inbox_id = ${inbox_id} and processed_at is null`;

/** Deletes old applied notices. For the daily job. */
export async function pruneInbox({
  allAccountsSql,
  now,
}: Pick<OrderDeps, 'allAccountsSql' | 'now'>): Promise<void> {
  const before = new Date(now().getTime() - RETENTION_DAYS * 86_400_000);
  await allAccountsSql`delete from payment_inbox where processed_at < ${before}`;
}

/** Figures for operators: waiting and failed notices, and the orders of `flaggedPage`. */
export async function countGatewayWork({
  allAccountsSql,
}: Pick<OrderDeps, 'allAccountsSql'>): Promise<{ labels: { state: string }; value: number }[]> {
  const [notices] = await allAccountsSql<{ waiting: number; dead: number }[]>`
    select count(*) filter (where processed_at is null) as waiting,
      count(*) filter (where result = 'dead') as dead
    from payment_inbox where processed_at is null or result = 'dead'`;
  const [orders] = await allAccountsSql<{ flagged: number }[]>`
    select count(*) as flagged from ${flagged(allAccountsSql)}`;
  return Object.entries({ ...notices, ...orders }).map(([state, value]) => ({
    labels: { state },
    value,
  }));
}
