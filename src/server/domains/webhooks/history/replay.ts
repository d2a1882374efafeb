import { Refusal } from '#contract/base/refusals.ts';
import { type Delivery, REPLAY_MAX } from '#contract/webhooks/deliveries.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { requireWebhook } from '#server/domains/webhooks/manage/row.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { readDelivery } from './list.ts';

/** Begun anew in one transaction. */
const BATCH = 1_000;

type Lanes = { accountId: string; webhookId: string; lanes: readonly string[]; now: Date };

/** @throws Refusal `webhook_off`, `not_found`. */
async function lockOn(tx: Tx, token: TokenRef): Promise<string> {
  const { webhook_id: webhookId, state } = await requireWebhook(tx, token, { lock: true });
  if (state === 'off') throw new Refusal('webhook_off', {});
  return webhookId;
}

/** What waits in these lanes is due now; the webhook is locked. */
async function makeDue(tx: Tx, { accountId, webhookId, lanes, now }: Lanes): Promise<void> {
  await tx`
    insert into webhook_lanes (account_id, webhook_id, lane, due_at)
    select ${accountId}, ${webhookId}, lane, ${now}
    from unnest(${[...new Set(lanes)]}::text[]) as u(lane)
    on conflict (account_id, webhook_id, lane) do update set due_at = excluded.due_at`;
  await tx`select schedule_webhooks(${[webhookId]}::uuid[], ${now})`;
}

/** Begins a delivery anew. A try of it that is under way is then one of before: it is sent again after it. */
const anew = (tx: Tx) =>
  tx`state = 'waiting', tries = 0, due_at = null, ended_at = null, replays = replays + 1`;

/**
 * Sends a delivery anew under its id, whatever became of it, or at once, when it waits for its next try; once
 * more, when a try is under way. What waits before it in its conversation goes first.
 *
 * @throws Refusal `webhook_off`, `not_found`.
 */
export const replayDelivery = (
  { sql, now }: WebhookDeps,
  token: TokenRef,
  deliveryId: string,
): Promise<Delivery> =>
  asAccount(sql, token.accountId, async (tx) => {
    const webhookId = await lockOn(tx, token);
    const { accountId } = token;
    const found = await tx<{ lane: string }[]>`
      update webhook_deliveries set ${anew(tx)}
      where account_id = ${accountId} and delivery_id = ${deliveryId} and webhook_id = ${webhookId}
      returning lane`;
    const lanes = found.map(({ lane }) => lane);
    await makeDue(tx, { accountId, webhookId, lanes, now: now() });
    return readDelivery(tx, accountId, { webhookId, deliveryId });
  });

type Period = { from: Date; to: Date; which: 'parked' | 'all' };

/**
 * Sends anew what ended of a period, the oldest first, in batches: what was parked, or all of it. What still
 * waits is left as it is.
 *
 * @param period by when the events happened; `to` is not part of it.
 * @throws Refusal `webhook_off`, `not_found`.
 */
export async function replayPeriod(
  { sql, now }: WebhookDeps,
  token: TokenRef,
  { from, to, which }: Period,
): Promise<{ replayed: number; more: boolean }> {
  const { accountId } = token;
  let after = -1;
  let replayed = 0;
  while (replayed < REPLAY_MAX) {
    const batch = await asAccount(sql, accountId, async (tx) => {
      const webhookId = await lockOn(tx, token);
      const rows = await tx<{ lane: string; position: number }[]>`
        update webhook_deliveries set ${anew(tx)}
        where account_id = ${accountId} and webhook_id = ${webhookId} and position = any(array(
          select position from webhook_deliveries
          where account_id = ${accountId} and webhook_id = ${webhookId} and position > ${after}
            and at >= ${from} and at < ${to}
            and ${which === 'parked' ? tx`state = 'parked'` : tx`state <> 'waiting'`}
          order by position limit ${BATCH}))
        returning lane, position`;
      const lanes = rows.map(({ lane }) => lane);
      if (lanes.length > 0) await makeDue(tx, { accountId, webhookId, lanes, now: now() });
      return rows.map(({ position }) => position);
    });
    replayed += batch.length;
    after = Math.max(after, ...batch);
    if (batch.length < BATCH) return { replayed, more: false };
  }
  return { replayed, more: true };
}
