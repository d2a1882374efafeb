import { Refusal } from '#contract/base/refusals.ts';
import { type Delivery, REPLAY_MAX } from '#contract/webhooks/deliveries.ts';
import type { TokenRef } from '#server/domains/webhooks/api.ts';
import type { WebhookDeps } from '#server/domains/webhooks/deps.ts';
import { requireWebhook } from '#server/domains/webhooks/manage/row.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { deliveriesWhere } from './filter.ts';
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
    on conflict (account_id, webhook_id, lane) 
      do update set due_at = excluded.due_at, early_from = null, early_tries = 0`;
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

const isEnded = (tx: Tx, which: Period['which']) =>
  which === 'parked' ? tx`d.state = 'parked'` : tx`d.state <> 'waiting'`;

/** The next positions of what has ended. @throws Refusal `not_found`. */
async function endedOf(
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
 * Sends anew what ended of a period, the oldest first, in batches: what was parked, or all of it. What still
 * waits is left as it is.
 *
 * @param period by when the events happened; `to` is not part of it.
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
    // Looked up before the webhook is locked, for which its sender would wait.
    const positions = await asAccount(sql, accountId, (tx) =>
      endedOf(tx, token, { ...period, after }),
    );
    replayed += await asAccount(sql, accountId, async (tx) => {
      const webhookId = await lockOn(tx, token);
      const rows = await tx<{ lane: string }[]>`
        update webhook_deliveries d set ${anew(tx)}
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
