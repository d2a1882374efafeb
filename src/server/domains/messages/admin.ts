import type { OperatorOverview } from '#contract/operator/overview.ts';
import type { Failure } from '#contract/messages.ts';
import { countedStatuses } from '#contract/messages/counts.ts';
import { countsByHour } from './history/counts.ts';
import { readAsAccount, hoursBefore, idsBefore } from '#server/domains/messages/history/pages.ts';
import { SNAPSHOT } from '#server/infra/postgres/alone.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { perBucket } from '#server/infra/postgres/distribution/scope.ts';
import type { OperatorMessage, readCustomerMessage } from '#contract/operator/customers.ts';
import type { OutputOf } from '#contract/base/act.ts';
import { excerptOf } from '#server/domains/messages/content.ts';
import { failureOf, messageRow, readMessages } from '#server/domains/messages/history/rows.ts';
import { readWithTimeline } from '#server/domains/messages/history/timeline.ts';

const HOUR_MS = 3_600_000;

type Sums = { sent: number; failed: number };

/** Counts of an account's messages in the last 24 hours and 30 days, by whole hours. */
export function messageSums(
  sql: Sql,
  accountId: string,
  now: Date,
): Promise<{ day: Sums; month: Sums }> {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const before = new Date(hour + HOUR_MS);
  const [day, month] = [new Date(hour - 23 * HOUR_MS), new Date(hour - (30 * 24 - 1) * HOUR_MS)];
  return readAsAccount(sql, accountId, async (tx) => {
    const isSent = tx`status = any(${[...countedStatuses.sent]}::text[])`;
    const isFailed = tx`status = 'failed'`;
    const [sums] = await tx<Record<'day_s' | 'day_f' | 'month_s' | 'month_f', number>[]>`
      select coalesce(sum(messages) filter (where ${isSent} and hour >= ${day}), 0)::bigint as day_s,
        coalesce(sum(messages) filter (where ${isFailed} and hour >= ${day}), 0)::bigint as day_f,
        coalesce(sum(messages) filter (where ${isSent}), 0)::bigint as month_s,
        coalesce(sum(messages) filter (where ${isFailed}), 0)::bigint as month_f
      from ${countsByHour(tx, { accountId, from: month, before })} c where direction = 'out'`;
    return {
      day: { sent: sums?.day_s ?? 0, failed: sums?.day_f ?? 0 },
      month: { sent: sums?.month_s ?? 0, failed: sums?.month_f ?? 0 },
    };
  });
}

/**
 * Waiting messages are counted up to this limit, so that a long queue is not scanned for a figure.
 */
const WAITING_MAX = 10_000;
const MINUTES = 60;

/**
 * Traffic of all accounts at one instant, from small tables and counts, without reading messages.
 */
export const trafficFigures = (allAccountsSql: Sql, now: Date): Promise<TrafficFigures> =>
  allAccountsSql.begin((tx) => readTraffic(tx, now), SNAPSHOT);

type TrafficFigures = Pick<
  OperatorOverview,
  'accepted' | 'failures' | 'lanes' | 'minutes' | 'queue'
>;

async function readTraffic(sql: Tx, now: Date): Promise<TrafficFigures> {
  const minute = Math.floor(now.getTime() / 60_000) * 60_000;
  const first = new Date(minute - (MINUTES - 1) * 60_000);
  const dayAgo = new Date(minute - 24 * HOUR_MS);
  const [counted, [accepted], failures, [queue], [lanes]] = await Promise.all([
    sql<{ nth: number; messages: number }[]>`
      select (extract(epoch from minute - ${first}::timestamptz) / 60)::int as nth, messages
      from message_minutes where minute >= ${first}`,
    sql<{ n: number }[]>`
      select coalesce(sum(messages), 0)::bigint as n from message_minutes where minute >= ${dayAgo}`,
    sql<OperatorOverview['failures']>`
      select t.channel, f.failure, sum(f.messages)::bigint as messages
      from failure_counts f
      join tokens t on t.account_id = f.account_id and t.token_id = f.token_id
      where f.hour >= ${dayAgo} group by 1, 2 having sum(f.messages) > 0 order by 3 desc`,
    sql<{ waiting: number; age: number }[]>`
      select (select count(*) from (select 1 from dispatch limit ${WAITING_MAX + 1}) few) as waiting,
        coalesce((
          select greatest(0, extract(epoch from clock_timestamp() - min(ready_at))) from lanes
          where ready_at is not null and exists (
            select from dispatch d
            where d.account_id = lanes.account_id and d.token_id = lanes.token_id
          )
        ), 0)::float8 as age`,
    sql<{ running: number; unowned: number }[]>`
      select count(*) filter (where lease_until > clock_timestamp()) as running,
        count(*) filter (where ready_at < clock_timestamp() - interval '10 seconds'
          and (owner is null or lease_until < clock_timestamp())) as unowned
      from lanes where ready_at is not null or owner is not null`,
  ]);
  const minutes = Array.from({ length: MINUTES }, () => 0);
  for (const { nth, messages } of counted) if (nth < MINUTES) minutes[nth] = messages;
  const waiting = queue?.waiting ?? 0;
  return {
    minutes,
    accepted: accepted?.n ?? 0,
    failures: [...failures],
    queue: {
      waiting: Math.min(waiting, WAITING_MAX),
      more: waiting > WAITING_MAX,
      age_seconds: queue?.age ?? 0,
    },
    lanes: { running: lanes?.running ?? 0, unowned: lanes?.unowned ?? 0 },
  };
}

export async function waitingOf(
  sql: Sql,
  { accountId, tokenId }: { accountId: string; tokenId: string },
): Promise<number> {
  const [found] = await sql<{ n: number }[]>`
    select count(*) as n from (
      select from dispatch where account_id = ${accountId} and token_id = ${tokenId}
      limit ${WAITING_MAX}
    ) few`;
  return found?.n ?? 0;
}

type MessageRef = { accountId: string; messageId: string };

/**
 * A message of an account for operators, without its content. `peer` is the whole number; the caller masks it.
 *
 * @throws Refusal `not_found` when the account has no such message.
 */
export function messageForAdmin(sql: Sql, ref: MessageRef): Promise<OperatorMessage> {
  return readAsAccount(sql, ref.accountId, async (tx) => {
    const { stored, timeline } = await readWithTimeline(tx, ref, 'id');
    const { excerpt: _text, peer_name: _name, ...row } = messageRow(stored);
    return {
      ...row,
      by_quota: stored.plan_round !== null && stored.charge_state !== 'released',
      ref: stored.ref,
      timeline,
    };
  });
}

/** The full text of a message, in the format of lists. @throws Refusal `not_found`. */
export function messageTextForAdmin(
  sql: Sql,
  ref: MessageRef,
): Promise<OutputOf<typeof readCustomerMessage>> {
  return readAsAccount(sql, ref.accountId, async (tx) => {
    const { stored } = await readWithTimeline(tx, ref, 'id');
    const { text, caption } = stored.body as { text?: unknown; caption?: unknown };
    const words = [text, caption].find((one) => typeof one === 'string' && one !== '');
    const shown = typeof words === 'string' ? words : excerptOf(stored.type, stored.body);
    return { type: stored.type, text: shown === '' ? null : shown };
  });
}

type FailedMessage = {
  messageId: string;
  token: string;
  peer: string;
  failure: Failure;
  at: Date;
};

const FAILED_MAX = 5;

export function lastFailures(sql: Sql, accountId: string): Promise<FailedMessage[]> {
  const filter = { direction: 'out', statuses: ['failed'] } as const;
  return readAsAccount(sql, accountId, async (tx) => {
    const query = { accountId, filter, limit: FAILED_MAX, cursor: undefined };
    const ids = idsBefore(tx, query, await hoursBefore(tx, query));
    const found = await readMessages(tx, { accountId, ids, order: 'newest' });
    return found.map((stored) => ({
      messageId: stored.message_id,
      token: stored.token_name,
      peer: stored.peer,
      failure: failureOf(stored) ?? 'rejected',
      at: stored.created_at,
    }));
  });
}

/**
 * The account of a message, by id. An index over all accounts would slow down every insert, so each account is queried
 * on its own: some 10 ms for 5,000 accounts.
 */
export async function accountOfMessage(sql: Sql, messageId: string): Promise<string | undefined> {
  const [found] = await sql<{ id: string }[]>`
    select a.account_id as id from accounts a cross join lateral (
      select 1 from messages m where m.account_id = a.account_id and m.message_id = ${messageId}
      ${perBucket(sql)}
    ) found where not a.is_system limit 1`;
  return found?.id;
}

/** The message of a customer's own reference, or of a channel's id of an inbound message. */
export async function findMessageByRef(sql: Sql, ref: string): Promise<MessageRef | undefined> {
  const [found] = await sql<MessageRef[]>`
    select a.account_id as "accountId", found.message_id as "messageId"
    from accounts a cross join lateral (
      select message_id from message_refs r
      where r.account_id = a.account_id and r.ref = any(${[ref, `\u0001in:${ref}`]}::text[])
      ${perBucket(sql)}
    ) found where not a.is_system limit 1`;
  return found;
}
