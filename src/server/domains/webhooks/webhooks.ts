import type { ActHandler } from '#server/infra/acts.ts';
import {
  type WebhookCalls,
  webhookActs,
  webhookEndpoints,
  readWebhook,
  removeWebhook,
  rotateSecret,
  saveWebhook,
  setWebhookOn,
  testWebhook,
} from './manage.ts';
import { type WebhookWorker, startWebhookWorker } from './delivery.ts';
import type { WebhookDeps } from './deps.ts';
import { readFeed, getDelivery, listDeliveries, replayDelivery, replayPeriod } from './history.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { WEBHOOK_LIMITS } from '#contract/webhooks.ts';
import {
  untilNone,
  type AccountData,
  type AccountDataDeps,
  type Row,
  atOnce,
  eraseRows,
  inPages,
} from '#server/infra/account-data.ts';
import { publicId } from '#contract/base/ids.ts';

/** Webhooks without their secrets, and deliveries. A closed account sends nothing more. */
export const webhooksAccountData = ({ sql, allAccountsSql }: AccountDataDeps): AccountData => ({
  subjects: (accountId) => [
    { name: 'webhook', rows: () => atOnce(() => webhooksOf(sql, accountId)) },
    { name: 'pengiriman-webhook', rows: () => deliveriesOf(sql, accountId) },
    { name: 'percobaan-webhook', rows: () => attemptsOf(sql, accountId) },
  ],
  close: async (accountId) => {
    await allAccountsSql`
      update webhooks set state = 'off', off_reason = coalesce(off_reason, 'owner'), due_at = null
      where account_id = ${accountId}`;
  },
  erase: async ({ accountId }) => {
    for (const table of [
      'webhook_attempts',
      'webhook_deliveries',
      'webhook_lanes',
      'webhooks',
    ] as const) {
      await eraseRows(allAccountsSql, table, accountId);
    }
  },
});

const webhooksOf = (sql: Sql, accountId: string): Promise<Row[]> =>
  asAccount(sql, accountId, async (tx) => {
    const found = await tx<(Row & { token_id: string })[]>`
      select token_id, url, format, kinds, state, off_reason, failing_since, created_at, changed_at
      from webhooks where account_id = ${accountId} order by token_id`;
    return found.map(({ token_id, ...facts }) => ({
      token: publicId('token', token_id),
      ...facts,
    }));
  });

type Delivery = Row & { webhook_id: string; position: number; delivery_id: string };

async function* deliveriesOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const found = inPages<Delivery>(
    { sql, accountId },
    (tx, last, limit) => tx<Delivery[]>`
      select webhook_id, position, delivery_id, type, at, state, attempts, last_status, last_error, ended_at
      from webhook_deliveries where account_id = ${accountId}
        ${last ? tx`and (webhook_id, position) > (${last.webhook_id}, ${last.position})` : tx``}
      order by webhook_id, position limit ${limit}`,
  );
  for await (const { webhook_id: _, delivery_id, position: seq, ...facts } of found) {
    yield { id: publicId('delivery', delivery_id), seq, ...facts };
  }
}

type Attempt = Row & { delivery_id: string; n: number };

async function* attemptsOf(sql: Sql, accountId: string): AsyncGenerator<Row> {
  const found = inPages<Attempt>(
    { sql, accountId },
    (tx, last, limit) => tx<Attempt[]>`
      select delivery_id, n, at, ms, status, error, answer from webhook_attempts
      where account_id = ${accountId}
        ${last ? tx`and (delivery_id, n) > (${last.delivery_id}, ${last.n})` : tx``}
      order by delivery_id, n limit ${limit}`,
  );
  for await (const { delivery_id, ...facts } of found) {
    yield { delivery: publicId('delivery', delivery_id), ...facts };
  }
}

type Prunable = { accountId: string; webhookId: string; isGone: boolean };

/**
 * Deletes deliveries after 30 days with their tries, and the rest of removed webhooks, a few thousand rows at a
 * time. Waiting deliveries are deleted too: their events are erased by then.
 */
export async function pruneDeliveries(allAccountsSql: Sql): Promise<void> {
  for (const prunable of await findPrunable(allAccountsSql)) {
    await untilNone((limit) => deleteOldest(allAccountsSql, prunable, limit));
  }
  // A lane in which nothing waits is deleted when it is claimed.
  await allAccountsSql`
    delete from webhook_lanes l
    where not exists (
      select from webhooks w where w.account_id = l.account_id and w.webhook_id = l.webhook_id)`;
}

const old = (sql: Sql | Tx) =>
  sql`clock_timestamp() - make_interval(days => ${WEBHOOK_LIMITS.keptDays})`;

const findPrunable = (all: Sql): Promise<Prunable[]> =>
  all<Prunable[]>`
    with recursive known (account_id, webhook_id, at) as (
      (select account_id, webhook_id, at from webhook_deliveries
        order by account_id, webhook_id, position limit 1)
      union all
      select next.* from known k cross join lateral (
        select d.account_id, d.webhook_id, d.at from webhook_deliveries d
        where (d.account_id, d.webhook_id) > (k.account_id, k.webhook_id)
        order by d.account_id, d.webhook_id, d.position limit 1
      ) next
    )
    select k.account_id as "accountId", k.webhook_id as "webhookId", w.webhook_id is null as "isGone"
    from known k left join webhooks w on w.webhook_id = k.webhook_id
    where w.webhook_id is null or k.at < ${old(all)}`;

/**
 * Deletes the old ones among a webhook's first deliveries, or any of a removed webhook's; positions rise with event
 * times.
 */
export async function deleteOldest(
  sql: Sql | Tx,
  { accountId, webhookId, isGone }: Prunable,
  limit: number,
): Promise<number> {
  const { count } = await sql`
    with gone as (
      delete from webhook_deliveries where ctid = any(array(
        select first.ctid from (
          select d.ctid, d.at from webhook_deliveries d
          where d.account_id = ${accountId} and d.webhook_id = ${webhookId}
          order by d.position limit ${limit}
        ) first ${isGone ? sql`` : sql`where first.at < ${old(sql)}`}))
      returning account_id, delivery_id
    ), tries as (
      delete from webhook_attempts a using gone
        where a.account_id = gone.account_id and a.delivery_id = gone.delivery_id
    )
    select from gone`;
  return count;
}

type Figure = { labels?: Record<string, string>; value: number };

/** Counts webhooks by state: healthy, failing, paused, or off with the reason. */
export async function countWebhooks(allAccountsSql: Sql): Promise<Figure[]> {
  const found = await allAccountsSql<{ state: string; value: number }[]>`
    select case
        when state = 'off' then 'off: ' || off_reason
        when paused_until > clock_timestamp() then 'paused'
        when failing_since is not null then 'failing'
        else 'well' end as state,
      count(*)::int as value
    from webhooks group by 1 order by 1`;
  return found.map(({ state, value }) => ({ labels: { state }, value }));
}

/** The delay of the longest-waiting due webhook in seconds: high where a worker is missing. */
export const webhookLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(due_at))), 0)::float8 as value
    from webhooks where due_at is not null`;

export {
  type TokenRef,
  type WebhookCalls,
  deleteTokenWebhook,
  unconfirmed,
  webhookTroubles,
} from './manage.ts';
export type { WebhookWorker } from './delivery.ts';
export type { WebhookDeps } from './deps.ts';
export { sealedWebhooks } from './signature.ts';

export type Webhooks = {
  acts: readonly ActHandler[];
  endpoints: ReturnType<typeof webhookEndpoints>;
  calls: WebhookCalls;
  start: () => WebhookWorker;
  /** Calls a listener after a change that may leave something to send. */
  onWork: (listener: () => void) => void;
};

export function openWebhooks(deps: WebhookDeps): Webhooks {
  const listeners: (() => void)[] = [];
  const wakeAfter = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work;
    for (const listener of listeners) listener();
    return done;
  };
  const calls: WebhookCalls = {
    read: (token) => readWebhook(deps, token),
    save: (token, fields) => wakeAfter(saveWebhook(deps, token, fields)),
    setOn: (token, on) => wakeAfter(setWebhookOn(deps, token, on)),
    rotateSecret: (token) => rotateSecret(deps, token),
    remove: (token) => wakeAfter(removeWebhook(deps, token)),
    test: (token) => wakeAfter(testWebhook(deps, token)),
    list: (token, query) => listDeliveries(deps, token, query),
    get: (token, deliveryId) => getDelivery(deps, token, deliveryId),
    replay: (token, deliveryId) => wakeAfter(replayDelivery(deps, token, deliveryId)),
    replayPeriod: (token, period) => wakeAfter(replayPeriod(deps, token, period)),
    readFeed: (token, query) => readFeed(deps, token, query),
  };
  return {
    acts: webhookActs(calls),
    endpoints: webhookEndpoints(calls),
    calls,
    start: () => startWebhookWorker(deps),
    onWork: (listener) => void listeners.push(listener),
  };
}
