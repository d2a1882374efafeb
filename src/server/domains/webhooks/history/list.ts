import { shownPeer } from '#contract/messages/peer.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  AttemptError,
  Delivery,
  DeliveryAttempt,
  DeliveryDetail,
  DeliveryState,
} from '#contract/webhooks/deliveries.ts';
import type { EventType } from '#contract/webhooks/events.ts';
import type { DeliveryFilter, TokenRef } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { type StoredEvent, eventColumns, readEvents } from '#server/domains/webhooks/events.ts';
import { formats } from '#server/domains/webhooks/formats/formats.ts';
import { type WebhookRow, requireWebhook } from '#server/domains/webhooks/manage/row.ts';
import { maskOf } from '#server/domains/webhooks/signature.ts';
import { type Fragment, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { deliveriesWhere } from './filter.ts';

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
  peer: string | null;
  message_id: string | null;
};

const columns = (tx: Tx): Fragment => tx`
  d.delivery_id, d.position, d.type, d.at, d.state, d.attempts, d.due_at, d.last_status, d.last_error,
  d.ended_at, coalesce(e.peer, e.data ->> 'peer') as peer, e.message_id`;

/** Each with its event, which is gone once what it is about was erased. */
const deliveries = (tx: Tx): Fragment => tx`
  webhook_deliveries d left join events e on e.account_id = d.account_id and e.position = d.position`;

const deliveryFrom = (row: DeliveryRow): Delivery => ({
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
  message_id: row.message_id === null ? null : publicId('message', row.message_id),
});

type Query = DeliveryFilter & {
  before?: number | undefined;
  offset?: number | undefined;
  limit: number;
};

/** A webhook's deliveries, the newest first. @throws Refusal `not_found` where the token has no webhook. */
export const listDeliveries = (
  { sql }: WebhookDeps,
  token: TokenRef,
  { peer, before, offset = 0, limit, ...filter }: Query,
): Promise<{ rows: Delivery[]; next: number | null }> =>
  asAccount(sql, token.accountId, async (tx) => {
    const { webhook_id: webhookId } = await requireWebhook(tx, token);
    const rows = await tx<DeliveryRow[]>`
      select ${columns(tx)} from ${deliveries(tx)}
      where ${deliveriesWhere(tx, { accountId: token.accountId, webhookId }, filter)}
        ${peer === undefined ? tx`` : tx`and d.lane = ${peer} and e.position is not null`}
        ${before === undefined ? tx`` : tx`and d.position < ${before}`}
      order by d.position desc limit ${limit + 1} offset ${offset}`;
    const shown = rows.slice(0, limit).map(deliveryFrom);
    return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.seq ?? null) : null };
  });

/** @throws Refusal `not_found` for one that is not the webhook's. */
export async function readDelivery(
  tx: Tx,
  accountId: string,
  { webhookId, deliveryId }: { webhookId: string; deliveryId: string },
): Promise<Delivery> {
  const [row] = await tx<DeliveryRow[]>`
    select ${columns(tx)} from ${deliveries(tx)}
    where d.account_id = ${accountId} and d.delivery_id = ${deliveryId} and d.webhook_id = ${webhookId}`;
  if (!row) throw new Refusal('not_found', { what: 'Pengiriman webhook' });
  return deliveryFrom(row);
}

const ATTEMPTS_MAX = 50;

/** One delivery with its latest tries, and what is sent. @throws Refusal `not_found`. */
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

/** What would be sent now, its secret covered where it stands in the body; null where there is nothing left. */
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
