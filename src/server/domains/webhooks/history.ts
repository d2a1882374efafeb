import {
  type EventType,
  type WebhookEvent,
  type DeliveryState,
  type AttemptError,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetail,
  REPLAY_MAX,
  LATEST,
} from '#contract/webhooks.ts';
import { publicId } from '#contract/base/ids.ts';
import { shownNamesOf } from '#server/domains/messages/messages.ts';
import { readToken } from '#server/domains/tokens/tokens.ts';
import { type TokenRef, type DeliveryFilter, type WebhookRow, requireWebhook } from './manage.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { type StoredEvent, eventColumns, readEvents } from '#server/domains/webhooks/events.ts';
import { type Tx, asAccount, type Fragment } from '#server/infra/postgres/database.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { formats } from './formats.ts';
import { maskOf } from '#server/domains/webhooks/signature.ts';

/** Stored events scanned per call: most of an account may belong to other tokens. */
const SCANNED_MAX = 2_000;

type Query = {
  after: number | typeof LATEST;
  limit: number;
  types?: readonly EventType[] | undefined;
};
export type FeedPage = { events: WebhookEvent[]; next: number; hasMore: boolean };

/**
 * Events of a token, and of its whole account, after a position, for 30 days. `next` is the position to continue
 * from, also on an empty page; `hasMore` tells whether more existed at the time of the read. After `latest` there
 * are no events yet: `next` follows the newest.
 *
 * @throws Refusal `not_found` for a token of another account; Error where the first event is broken: skipping it
 * would hide that it is missing.
 */
export const readFeed = (
  deps: WebhookDeps,
  { accountId, tokenId }: TokenRef,
  { after, limit, types }: Query,
): Promise<FeedPage> =>
  asAccount(deps.sql, accountId, async (tx) => {
    await readToken(tx, accountId, tokenId);
    if (after === LATEST) {
      const next = await newestPosition(tx, accountId);
      return { events: [], next, hasMore: false };
    }
    const scanned = await tx<(StoredEvent & { is_own: boolean })[]>`
      select ${eventColumns(tx)},
        coalesce(e.token_id, ${tokenId}) = ${tokenId}
          and coalesce(e.data ->> 'token_id', ${publicId('token', tokenId)}) = ${publicId('token', tokenId)}
          as is_own
      from (
        select * from events where account_id = ${accountId} and position > ${after}
        order by position limit ${SCANNED_MAX}
      ) e
      order by e.position`;
    const matches = ({ type, is_own }: (typeof scanned)[number]) =>
      type !== null && is_own && (types === undefined || types.includes(type));
    const matching = scanned.filter(matches);
    const shown = matching.slice(0, limit);
    const read = await readEvents(deps, tx, shown);
    const brokenAt = read.indexOf('broken');
    if (brokenAt === 0) throw new Error(`the event ${shown[0]?.type} cannot be read`);
    const readable = brokenAt === -1 ? shown : shown.slice(0, brokenAt);
    const isCut = readable.length < matching.length;
    const last = isCut ? readable.at(-1) : scanned.at(-1);
    return {
      events: read
        .slice(0, readable.length)
        .flatMap((one) => (one && one !== 'broken' ? one.event : [])),
      next: last?.position ?? after,
      hasMore: isCut || scanned.length === SCANNED_MAX,
    };
  });

async function newestPosition(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx<{ newest: number | null }[]>`
    select max(position) as newest from events where account_id = ${accountId}`;
  return row?.newest ?? 0;
}

export type WebhookRef = { accountId: string; webhookId: string };

/** Event times never step back further than this, when clocks are set back. */
const CLOCK_STEP_MS = 300_000;

/** Inlined as text, so that the planner uses the partial index of the state. */
const whereState = (tx: Tx, state: DeliveryState): Fragment =>
  ({
    waiting: tx`d.state = 'waiting'`,
    delivered: tx`d.state = 'delivered'`,
    parked: tx`d.state = 'parked'`,
    skipped: tx`d.state = 'skipped'`,
  })[state];

/** A filter's deliveries `d` of a webhook; a time span is first turned into positions. */
export function deliveriesWhere(
  tx: Tx,
  { accountId, webhookId }: WebhookRef,
  { state, type, from, to }: DeliveryFilter,
): Fragment {
  const positionAt = (at: Date, stepMs: number) =>
    tx`(select delivery_position_at(${accountId}, ${webhookId}, ${new Date(at.getTime() + stepMs)}))`;
  return tx`
    d.account_id = ${accountId} and d.webhook_id = ${webhookId}
      ${state === undefined ? tx`` : tx`and ${whereState(tx, state)}`}
      ${type === undefined ? tx`` : tx`and d.type = ${type}`}
      ${
        from === undefined
          ? tx``
          : tx`and d.position >= ${positionAt(from, -CLOCK_STEP_MS)} and d.at >= ${from}`
      }
      ${
        to === undefined
          ? tx``
          : tx`and d.position < ${positionAt(to, CLOCK_STEP_MS)} and d.at < ${to}`
      }`;
}

type DeliveryRow = {
  delivery_id: string;
  position: number;
  type: EventType;
  at: Date;
  state: DeliveryState;
  attempts: number;
  due_at: Date | null;
  last_status: number | null;
  last_error: AttemptError | null;
  ended_at: Date | null;
  token_id: string | null;
  peer: string | null;
  message_id: string | null;
};

const columns = (tx: Tx): Fragment => tx`
  d.delivery_id, d.position, d.type, d.at, d.state, d.attempts, d.due_at, d.last_status, d.last_error,
  d.ended_at, e.token_id, coalesce(e.peer, e.data ->> 'peer') as peer, e.message_id`;

const deliveries = (tx: Tx): Fragment => tx`
  webhook_deliveries d left join events e on e.account_id = d.account_id and e.position = d.position`;

/** With the names that the account's pages show, by one query. */
async function deliveriesFrom(
  tx: Tx,
  accountId: string,
  rows: readonly DeliveryRow[],
): Promise<Delivery[]> {
  const peers = rows.map(({ token_id: tokenId, peer }) => ({ tokenId, peer }));
  const names = await shownNamesOf(tx, accountId, peers);
  return rows.map((row, at) => deliveryFrom(row, names[at] ?? null));
}

const deliveryFrom = (row: DeliveryRow, name: string | null): Delivery => ({
  id: publicId('delivery', row.delivery_id),
  seq: row.position,
  type: row.type,
  created_at: row.at,
  state: row.state,
  tries: row.attempts,
  next_at: row.due_at,
  last_status: row.last_status,
  last_error: row.last_error,
  ended_at: row.ended_at,
  peer: row.peer && shownPeer(row.peer),
  name,
  message_id: row.message_id === null ? null : publicId('message', row.message_id),
});

type ListQuery = DeliveryFilter & {
  before?: number | undefined;
  offset?: number | undefined;
  limit: number;
};

/** Newest first. @throws Refusal `not_found` where the token has no webhook. */
export const listDeliveries = (
  { sql }: WebhookDeps,
  token: TokenRef,
  { peer, before, offset = 0, limit, ...filter }: ListQuery,
): Promise<{ rows: Delivery[]; next: number | null }> =>
  asAccount(sql, token.accountId, async (tx) => {
    const { webhook_id: webhookId } = await requireWebhook(tx, token);
    const rows = await tx<DeliveryRow[]>`
      select ${columns(tx)} from ${deliveries(tx)}
      where ${deliveriesWhere(tx, { accountId: token.accountId, webhookId }, filter)}
        ${peer === undefined ? tx`` : tx`and d.lane = ${peer} and e.position is not null`}
        ${before === undefined ? tx`` : tx`and d.position < ${before}`}
      order by d.position desc limit ${limit + 1} offset ${offset}`;
    const shown = await deliveriesFrom(tx, token.accountId, rows.slice(0, limit));
    return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null };
  });

/** @throws Refusal `not_found` for a delivery of another webhook. */
export async function readDelivery(
  tx: Tx,
  accountId: string,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<Delivery> {
  const rows = await tx<DeliveryRow[]>`
    select ${columns(tx)} from ${deliveries(tx)}
    where d.account_id = ${accountId} and d.delivery_id = ${deliveryId} and d.webhook_id = ${webhookId}`;
  const [delivery] = await deliveriesFrom(tx, accountId, rows);
  if (!delivery) throw new Refusal('not_found', { what: 'Pengiriman webhook' });
  return delivery;
}

const ATTEMPTS_MAX = 50;

/** One delivery with its latest tries and its body. @throws Refusal `not_found`. */
export const getDelivery = (
  deps: WebhookDeps,
  token: TokenRef,
  deliveryId: string,
): Promise<DeliveryDetail> =>
  asAccount(deps.sql, token.accountId, async (tx) => {
    const hook = await requireWebhook(tx, token);
    const { accountId } = token;
    const which = { webhookId: hook.webhook_id, deliveryId };
    const delivery = await readDelivery(tx, accountId, which);
    const attempts = await tx<DeliveryAttempt[]>`
      select n, at, ms, status, error, headers, answer from webhook_attempts
      where account_id = ${accountId} and delivery_id = ${deliveryId}
      order by n desc limit ${ATTEMPTS_MAX}`;
    return { ...delivery, body: await bodyOf(deps, tx, { accountId, hook, delivery }), attempts };
  });

type Shown = { accountId: string; hook: WebhookRow; delivery: Delivery };

/** The secret is masked; null once the event is gone. */
async function bodyOf(
  deps: WebhookDeps,
  tx: Tx,
  { accountId, hook, delivery }: Shown,
): Promise<string | null> {
  const stored = await tx<StoredEvent[]>`
    select ${eventColumns(tx)} from events e
    where e.account_id = ${accountId} and e.position = ${delivery.seq}`;
  const [read] = await readEvents(deps, tx, stored);
  if (!read || read === 'broken') return null;
  const { event, ...beside } = read;
  const request = formats[hook.format].build({
    id: delivery.id,
    at: deps.now(),
    event,
    context: { ...beside, phone: hook.phone },
    secrets: [maskOf(hook.secret_hint)],
  });
  return request?.body ?? null;
}

const BATCH = 1_000;

type Lanes = { accountId: string; webhookId: string; lanes: readonly string[]; now: Date };

/** @throws Refusal `webhook_off`, `not_found`. */
async function lockEnabled(tx: Tx, token: TokenRef): Promise<string> {
  const { webhook_id: webhookId, state } = await requireWebhook(tx, token, { lock: true });
  if (state === 'off') throw new Refusal('webhook_off', {});
  return webhookId;
}

/** Makes the waiting deliveries of these lanes due now; the caller holds the webhook's lock. */
async function makeDue(tx: Tx, { accountId, webhookId, lanes, now }: Lanes): Promise<void> {
  await tx`
    insert into webhook_lanes (account_id, webhook_id, lane, due_at)
    select ${accountId}, ${webhookId}, lane, ${now}
    from unnest(${[...new Set(lanes)]}::text[]) as u(lane)
    on conflict (account_id, webhook_id, lane) 
      do update set due_at = excluded.due_at, early_from = null, early_tries = 0`;
  await tx`select schedule_webhooks(${[webhookId]}::uuid[], ${now})`;
}

/** A try in progress then belongs to the previous run, so the delivery is sent again. */
const restart = (tx: Tx) =>
  tx`state = 'waiting', tries = 0, due_at = null, ended_at = null, replays = replays + 1`;

/**
 * Sends an ended delivery again under its id, a waiting one at once, and one with a try in progress once more.
 * Earlier deliveries of its conversation go first.
 *
 * @throws Refusal `webhook_off`, `not_found`.
 */
export const replayDelivery = (
  { sql, now }: WebhookDeps,
  token: TokenRef,
  deliveryId: string,
): Promise<Delivery> =>
  asAccount(sql, token.accountId, async (tx) => {
    const webhookId = await lockEnabled(tx, token);
    const { accountId } = token;
    const found = await tx<{ lane: string }[]>`
      update webhook_deliveries set ${restart(tx)}
      where account_id = ${accountId} and delivery_id = ${deliveryId} and webhook_id = ${webhookId}
      returning lane`;
    const lanes = found.map(({ lane }) => lane);
    await makeDue(tx, { accountId, webhookId, lanes, now: now() });
    return readDelivery(tx, accountId, { webhookId, deliveryId });
  });

type Period = { from: Date; to: Date; which: 'parked' | 'all' };

const isEnded = (tx: Tx, which: Period['which']) =>
  which === 'parked' ? tx`d.state = 'parked'` : tx`d.state <> 'waiting'`;

/** The next positions of ended deliveries. @throws Refusal `not_found`. */
async function endedPositions(
  tx: Tx,
  token: TokenRef,
  { from, to, which, after }: Period & { after: number },
): Promise<number[]> {
  const { webhook_id: webhookId } = await requireWebhook(tx, token);
  const { accountId } = token;
  const rows = await tx<{ position: number }[]>`
    select d.position from webhook_deliveries d
    where ${deliveriesWhere(tx, { accountId, webhookId }, { from, to })}
      and d.position > ${after} and ${isEnded(tx, which)}
    order by d.position limit ${BATCH}`;
  return rows.map(({ position }) => position);
}

/**
 * Resends the ended deliveries of a period, oldest first, in batches: the parked ones, or all. Waiting ones stay
 * unchanged.
 *
 * @param period by the time of the events; `to` is excluded.
 * @throws Refusal `webhook_off`, `not_found`.
 */
export async function replayPeriod(
  { sql, now }: WebhookDeps,
  token: TokenRef,
  period: Period,
): Promise<{ replayed: number; more: boolean }> {
  const { accountId } = token;
  let after = -1;
  let replayed = 0;
  while (replayed < REPLAY_MAX) {
    // Read before locking the webhook, because its sender would wait for the lock.
    const positions = await asAccount(sql, accountId, (tx) =>
      endedPositions(tx, token, { ...period, after }),
    );
    replayed += await asAccount(sql, accountId, async (tx) => {
      const webhookId = await lockEnabled(tx, token);
      const rows = await tx<{ lane: string }[]>`
        update webhook_deliveries d set ${restart(tx)}
        where d.account_id = ${accountId} and d.webhook_id = ${webhookId}
          and d.position = any(${positions}::bigint[]) and ${isEnded(tx, period.which)}
        returning lane`;
      const lanes = rows.map(({ lane }) => lane);
      if (lanes.length > 0) await makeDue(tx, { accountId, webhookId, lanes, now: now() });
      return rows.length;
    });
    after = positions.at(-1) ?? after;
    if (positions.length < BATCH) return { replayed, more: false };
  }
  return { replayed, more: true };
}
