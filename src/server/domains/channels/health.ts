import type { Notice, QueueNotice } from '#server/infra/notices.ts';
import {
  type Connection,
  type Parting,
  type Pause,
  type Restriction,
  pauses,
  partings,
  restrictions,
} from '#contract/channels.ts';
import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import {
  type TokenRef,
  type TokenSubscribers,
  setPresence,
} from '#server/domains/tokens/tokens.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import {
  NumberState,
  type ProviderAnswers,
  type RealChannel,
} from '#contract/operator/overview.ts';
import { type CodeMeaning, knownMeaning } from '#server/domains/channels/cloud/codes.ts';
import { isolated } from '#contract/base/names.ts';
import { beginIn, withEachAccount } from '#server/infra/postgres/distribution/scope.ts';
import { publicId } from '#contract/base/ids.ts';

/** A number not seen for longer starts a new span when it is next seen. */
const SPAN_GRACE_MS = 90_000;
const UPTIME_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
const KEEP_DAYS = 40;

export async function markConnected(
  tx: Sql | Tx,
  { accountId, tokenId, channel }: TokenRef & { channel: ChannelName },
  at: Date,
): Promise<void> {
  await tx`
    insert into connections (account_id, token_id, channel, since)
    values (${accountId}, ${tokenId}, ${channel}, ${at})
    on conflict (account_id, token_id) do update set
      channel = excluded.channel, disconnected_at = null, disconnect_reason = null,
      since = coalesce(connections.since, excluded.since)`;
}

/**
 * Marks a number as disconnected from its network.
 *
 * @returns false if it was disconnected already for this reason, so that no second notice is due
 */
export async function markDisconnected(
  tx: Sql | Tx,
  { accountId, tokenId, channel }: TokenRef & { channel: ChannelName },
  { reason, at }: { reason: Parting; at: Date },
): Promise<boolean> {
  const disconnected = await tx`
    insert into connections as c (account_id, token_id, channel, disconnected_at, disconnect_reason)
    values (${accountId}, ${tokenId}, ${channel}, ${at}, ${reason})
    on conflict (account_id, token_id) do update set
      channel = excluded.channel, since = null, disconnected_at = ${at}, disconnect_reason = ${reason},
      restriction = null, restricted_at = null, restricted_until = null
      where c.disconnect_reason is distinct from ${reason}
    returning 1`;
  return disconnected.length > 0;
}

/**
 * Stores that a network restricts a number, or no longer does (`kind` undefined).
 *
 * @returns whether the restriction is another than before: only then a notice is due
 */
export async function markRestricted(
  tx: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  { kind, until, at }: { kind: Restriction | undefined; until?: Date | undefined; at: Date },
): Promise<boolean> {
  const [changed] = await tx<{ differs: boolean }[]>`
    update connections c set
      restriction = ${kind ?? null}, restricted_until = ${until ?? null},
      restricted_at = case when c.restriction = ${kind ?? null} then c.restricted_at
        when ${kind ?? null}::text is not null then ${at}::timestamptz end
    from (
      select restriction, restricted_until from connections
      where account_id = ${accountId} and token_id = ${tokenId} for no key update
    ) before
    where c.account_id = ${accountId} and c.token_id = ${tokenId}
      and (before.restriction is distinct from ${kind ?? null}
        or before.restricted_until is distinct from ${until ?? null})
    returning before.restriction is distinct from ${kind ?? null} or before.restricted_until < ${at}
      as differs`;
  return changed?.differs === true;
}

/** Lifts this restriction of a number; any other stays. */
export async function liftRestriction(
  tx: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  kind: Restriction,
): Promise<void> {
  await tx`
    update connections set restriction = null, restricted_at = null, restricted_until = null
    where account_id = ${accountId} and token_id = ${tokenId} and restriction = ${kind}`;
}

/** Deletes the connection of a token that has left its channel: the next one has its own. */
export async function forgetConnection(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`delete from connections where account_id = ${accountId} and token_id = ${tokenId}`;
  await tx`delete from connection_spans where account_id = ${accountId} and token_id = ${tokenId}`;
}

export async function isDisconnected(
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
): Promise<boolean> {
  const [row] = await sql`
    select 1 from connections
    where account_id = ${accountId} and token_id = ${tokenId} and disconnected_at is not null`;
  return row !== undefined;
}

/** Extends or starts the spans of numbers that were just seen as connected. */
export async function extendSpans(sql: Sql, numbers: readonly TokenRef[], at: Date): Promise<void> {
  if (numbers.length === 0) return;
  await sql`
    with seen as (
      select distinct account_id, token_id from unnest(
        ${numbers.map(({ accountId }) => accountId)}::uuid[],
        ${numbers.map(({ tokenId }) => tokenId)}::uuid[]
      ) as n(account_id, token_id)
    ), grown as (
      update connection_spans s set up_until = greatest(s.up_until, ${at})
      from seen n
      where s.account_id = n.account_id and s.token_id = n.token_id
        and s.up_until >= ${new Date(at.getTime() - SPAN_GRACE_MS)}
        and s.up_from = (
          select max(l.up_from) from connection_spans l
          where l.account_id = n.account_id and l.token_id = n.token_id
        )
      returning s.account_id, s.token_id
    )
    insert into connection_spans (account_id, token_id, up_from, up_until)
    select n.account_id, n.token_id, ${at}, ${at} from seen n
    join tokens t on t.account_id = n.account_id and t.token_id = n.token_id
    where not exists (
      select from grown g where g.account_id = n.account_id and g.token_id = n.token_id
    )
    on conflict do nothing`;
}

export async function noteReceipts(
  sql: Sql,
  numbers: readonly TokenRef[],
  at: Date,
): Promise<void> {
  if (numbers.length === 0) return;
  await sql`
    update connections c set last_receipt_at = ${at}
    from (
      select distinct account_id, token_id from unnest(
        ${numbers.map(({ accountId }) => accountId)}::uuid[],
        ${numbers.map(({ tokenId }) => tokenId)}::uuid[]
      ) as n(account_id, token_id)
    ) n
    where c.account_id = n.account_id and c.token_id = n.token_id
      and (c.last_receipt_at is null or c.last_receipt_at < ${at})`;
}

export type ConnectionRow = {
  channel: ChannelName;
  since: Date | null;
  disconnected_at: Date | null;
  disconnect_reason: Parting | null;
  restriction: Restriction | null;
  restricted_at: Date | null;
  restricted_until: Date | null;
  paused_for: Pause | null;
  paused_at: Date | null;
  paused_until: Date | null;
  last_receipt_at: Date | null;
  up_s: number | null;
  first_from: Date | null;
};

/** Columns of a `ConnectionRow`, from connections `c` joined by `spanSums`. */
export const connectionColumns = (sql: Sql | Tx): Fragment => sql`
  c.channel, c.since, c.disconnected_at, c.disconnect_reason, c.restriction, c.restricted_at,
  c.restricted_until, c.paused_for, c.paused_at, c.paused_until, c.last_receipt_at, s.up_s,
  s.first_from`;

/**
 * Joins the time that each of `c` was connected in the last 30 days; a span that still grows lasts until now.
 */
export const spanSums = (sql: Sql | Tx, now: Date): Fragment => sql`
  left join lateral (
    select min(l.up_from) as first_from, extract(epoch from sum(
        least(l.up_until, ${now}) - greatest(l.up_from, ${uptimeFrom(now)})
      ) filter (where l.up_until > ${uptimeFrom(now)}))::float8 as up_s
    from (
      select up_from, case
          when c.since is not null and up_until >= ${new Date(now.getTime() - SPAN_GRACE_MS)}
          then greatest(up_until, ${now}) else up_until
        end as up_until
      from connection_spans s where s.account_id = c.account_id and s.token_id = c.token_id
    ) l
  ) s on true`;

const uptimeFrom = (now: Date): Date => new Date(now.getTime() - UPTIME_DAYS * DAY_MS);

/** State of a number; undefined if it was never connected to a real network. */
export async function readConnection(
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  now: Date,
): Promise<Connection | undefined> {
  const [row] = await sql<ConnectionRow[]>`
    select ${connectionColumns(sql)}
    from connections c ${spanSums(sql, now)}
    where c.account_id = ${accountId} and c.token_id = ${tokenId}`;
  return row && connectionFrom(row, now);
}

export function connectionFrom(row: ConnectionRow, now: Date): Connection {
  const { disconnected_at, disconnect_reason, restriction, restricted_at, restricted_until } = row;
  const { paused_for, paused_at, paused_until } = row;
  const isRestricted =
    restriction && restricted_at && (restricted_until === null || restricted_until > now);
  return {
    channel: row.channel,
    since: row.since,
    parted: disconnected_at &&
      disconnect_reason && { at: disconnected_at, reason: disconnect_reason },
    restriction: isRestricted
      ? { kind: restriction, at: restricted_at, until: restricted_until }
      : null,
    paused:
      paused_for && paused_at && paused_until
        ? { reason: paused_for, at: paused_at, until: paused_until }
        : null,
    last_receipt_at: row.last_receipt_at,
    uptime: uptimeOf(row, { from: uptimeFrom(now), now }),
  };
}

/** Part of the time since its first connection, 30 days at most, in which it was connected. */
function uptimeOf(
  { up_s: upSeconds, first_from: first }: Pick<ConnectionRow, 'up_s' | 'first_from'>,
  { from, now }: { from: Date; now: Date },
): number | null {
  if (first === null) return null;
  const wholeMs = now.getTime() - Math.max(first.getTime(), from.getTime());
  if (wholeMs <= 0) return 10_000;
  // In whole milliseconds: a product of fractions may lie just under the 10,000 of a number that was never away.
  const upMs = Math.round((upSeconds ?? 0) * 1_000);
  return Math.min(10_000, Math.max(0, Math.floor((upMs * 10_000) / wholeMs)));
}

/** WhatsApp Web: all inbound messages (no failure), and those not decrypted at first. */
export const RECEIVED = 'received';
export const UNDECRYPTABLE = 'undecryptable';

export type ProviderAnswer = TokenRef & { channel: ChannelName; code: string };

export async function countAnswers(
  sql: Sql,
  answers: readonly ProviderAnswer[],
  at: Date,
): Promise<void> {
  if (answers.length === 0) return;
  await sql`
    insert into provider_answers as p (account_id, token_id, hour, channel, code, answers, last_at)
    select account_id, token_id, date_trunc('hour', ${at}::timestamptz), channel, code, count(*), ${at}
    from unnest(
      ${answers.map(({ accountId }) => accountId)}::uuid[],
      ${answers.map(({ tokenId }) => tokenId)}::uuid[],
      ${answers.map(({ channel }) => channel)}::text[],
      ${answers.map(({ code }) => code)}::text[]
    ) as a(account_id, token_id, channel, code)
    group by 1, 2, 4, 5 order by 1, 2, 4, 5
    on conflict (account_id, token_id, hour, channel, code) do update
      set answers = p.answers + excluded.answers, last_at = greatest(p.last_at, excluded.last_at)`;
}

/** Deletes spans and answers that are no longer shown; for the clean-up job. */
export async function pruneHealth(allAccountsSql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEEP_DAYS * DAY_MS);
  await allAccountsSql`delete from connection_spans where up_until < ${before}`;
  await allAccountsSql`delete from provider_answers where hour < ${before}`;
}

type OperatorNumber = TokenRef &
  Connection & {
    tokenName: string;
    isSystem: boolean;
    status: TokenStatus;
    phone: string | null;
  };

type NumbersQuery = {
  channel?: RealChannel | undefined;
  state?: NumberState | undefined;
  /** By the time they were connected; by default, numbers that need attention come first. */
  sort?: 'asc' | 'desc' | undefined;
  offset: number;
  limit: number;
  now: Date;
};

type Row = ConnectionRow & {
  account_id: string;
  token_id: string;
  token_name: string;
  is_system: boolean;
  status: TokenStatus;
  phone: string | null;
  total: number;
};

/**
 * Counts the numbers that are, or were, connected, by channel and state. Channels that are on count 0 as well: growth
 * shows only against the value before.
 */
export async function countNumbers(
  allAccountsSql: Sql,
  channelsOn: readonly RealChannel[],
  now: Date,
): Promise<{ labels: { channel: string; state: string }; value: number }[]> {
  const found = await allAccountsSql<{ channel: RealChannel; state: NumberState; value: number }[]>`
    select c.channel, case
        when c.restriction is not null and (c.restricted_until is null or c.restricted_until > ${now})
          then 'restricted'
        when t.status = 'linked' and c.paused_for is not null then 'paused'
        when t.status = 'linked' then 'connected'
        else 'parted' end as state,
      count(*)::int as value
    from connections c
    join tokens t on t.account_id = c.account_id and t.token_id = c.token_id
      and t.channel = c.channel and t.deleted_at is null
    group by 1, 2`;
  const channels = new Set([...channelsOn, ...found.map(({ channel }) => channel)]);
  return [...channels].toSorted().flatMap((channel) =>
    NumberState().options.map((state) => ({
      labels: { channel, state },
      value: found.find((one) => one.channel === channel && one.state === state)?.value ?? 0,
    })),
  );
}

/** Counts the numbers of WhatsApp Web that the network disconnected within the hour, by close code. */
export const countClosings = (
  allAccountsSql: Sql,
  now: Date,
): Promise<{ labels: { code: string }; value: number }[]> =>
  allAccountsSql<{ code: string; value: number }[]>`
    select substr(code, 7) as code, count(distinct token_id)::int as value from provider_answers
    where hour >= date_trunc('hour', ${now}::timestamptz - interval '1 hour')
      and last_at > ${now}::timestamptz - interval '1 hour' and starts_with(code, 'close_')
    group by 1 order by 1`.then((found) =>
    found.map(({ code, value }) => ({ labels: { code }, value })),
  );

const UNREADABLE_MIN = 5;
const UNREADABLE_SHARE = 0.05;

/** Counts the numbers of WhatsApp Web that failed to decrypt an unusual share of recent messages (one to two hours). */
export const countUnreadable = (allAccountsSql: Sql, now: Date): Promise<{ value: number }[]> =>
  allAccountsSql<{ value: number }[]>`
    select count(*)::int as value from (
      select sum(answers) filter (where code = ${UNDECRYPTABLE}) as unread, sum(answers) as came
      from provider_answers
      where hour >= date_trunc('hour', ${now}::timestamptz - interval '1 hour')
        and code in (${RECEIVED}, ${UNDECRYPTABLE})
      group by account_id, token_id
    ) n where unread >= ${UNREADABLE_MIN} and unread > ${UNREADABLE_SHARE} * came`;

/** The numbers of all accounts that are, or were, connected to a real network. */
export async function connectedNumbers(
  sql: Sql,
  { channel, state, sort, offset, limit, now }: NumbersQuery,
): Promise<{ numbers: OperatorNumber[]; total: number }> {
  const isRestricted = sql`(
    c.restriction is not null and (c.restricted_until is null or c.restricted_until > ${now}))`;
  const states = {
    connected: sql`and t.status = 'linked'`,
    parted: sql`and t.status <> 'linked'`,
    restricted: sql`and ${isRestricted}`,
    paused: sql`and t.status = 'linked' and c.paused_for is not null`,
  };
  const order =
    sort === undefined
      ? sql`t.status <> 'disconnected', not ${isRestricted}, c.paused_for is null, t.status <> 'linked', c.since desc nulls last`
      : sort === 'asc'
        ? sql`c.since nulls last`
        : sql`c.since desc nulls last`;
  const where = sql`
    from connections c
    join tokens t on t.account_id = c.account_id and t.token_id = c.token_id
      and t.channel = c.channel and t.deleted_at is null
    where true ${channel ? sql`and c.channel = ${channel}` : sql``} ${state ? states[state] : sql``}`;
  const rows = await sql<Row[]>`
    with page as (
      select c.account_id, c.token_id, count(*) over () as total,
        row_number() over (order by ${order}, c.token_id) as place
      ${where} order by place offset ${offset} limit ${limit}
    )
    select c.account_id, c.token_id, t.name as token_name, t.is_system, t.status, t.phone, p.total,
      ${connectionColumns(sql)}
    from page p
    join connections c using (account_id, token_id)
    join tokens t using (account_id, token_id)
    ${spanSums(sql, now)}
    order by p.place`;
  const [count] =
    rows.length > 0 || offset === 0
      ? [{ total: rows[0]?.total ?? 0 }]
      : await sql<{ total: number }[]>`select count(*) as total ${where}`;
  return { numbers: rows.map((row) => numberFrom(row, now)), total: count?.total ?? 0 };
}

const numberFrom = (row: Row, now: Date): OperatorNumber => ({
  ...connectionFrom(row, now),
  accountId: row.account_id,
  tokenId: row.token_id,
  tokenName: row.token_name,
  isSystem: row.is_system,
  status: row.status,
  phone: row.phone,
});

type Answer = ProviderAnswers['answers'][number];

/** Network answers other than success since then, by code, most frequent first. */
export async function answersByCode(sql: Sql, since: Date): Promise<Answer[]> {
  const rows = await sql<Omit<Answer, 'does' | 'failure'>[]>`
    select channel, code, sum(answers)::bigint as count, count(distinct token_id) as numbers,
      max(last_at) as last_at
    from provider_answers
    where hour >= date_trunc('hour', ${since}::timestamptz) and code <> ${RECEIVED}
    group by channel, code order by sum(answers) desc, channel, code limit 100`;
  return rows.map((row) => {
    const meaning = meaningAt(row);
    return { ...row, does: meaning?.does ?? null, failure: meaning?.failure ?? null };
  });
}

/** Meaning of a known code for a message. Meta's own words for events of a number have none. */
const meaningAt = ({ channel, code }: Pick<Answer, 'channel' | 'code'>): CodeMeaning | undefined =>
  channel === 'cloud' && /^[0-9]{1,9}$/.test(code)
    ? knownMeaning({ code: Number(code) })
    : undefined;

const MINUTE_MS = 60_000;
/** Pauses in a row for each reason; the last one repeats. */
const steps: Record<Pause, readonly number[]> = {
  silent: [15_000, MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS],
  refused: [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS],
  restricted: [15 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS],
  billing: [15 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS],
};

type Paused = { forMs: number; isFirst: boolean };

/**
 * Pauses a number. Each pause in a row is longer than the one before; during a pause, another for the same reason
 * changes nothing. The owner is notified of the first, unless the network is silent.
 *
 * @returns undefined if the token has left the channel
 */
export async function pauseNumber(
  tx: Tx,
  { subscribers, queueNotice, now }: PresenceDeps,
  ref: ChannelRef,
  reason: Pause,
): Promise<Paused | undefined> {
  if (!(await isOfChannel(tx, ref))) return undefined;
  const { accountId, tokenId } = ref;
  const at = now();
  const lengths = [...steps[reason]];
  const [begun] = await tx<{ until: Date; pauses: number }[]>`
    update connections c set
      paused_for = ${reason}, pauses = n.pauses,
      paused_at = case when c.paused_for = ${reason} then c.paused_at else ${at}::timestamptz end,
      paused_until = ${at}::timestamptz + interval '1 millisecond'
        * (${lengths}::int[])[least(n.pauses, ${lengths.length}::int)]
    from (
      select case when paused_for = ${reason} then pauses + 1 else 1 end as pauses
      from connections where account_id = ${accountId} and token_id = ${tokenId}
      for no key update
    ) n
    where c.account_id = ${accountId} and c.token_id = ${tokenId}
      and (c.paused_for is distinct from ${reason} or c.paused_until <= ${at})
    returning c.paused_until as until, c.pauses`;
  if (!begun) return { forMs: (await readPause(tx, ref, at)) ?? 0, isFirst: false };
  await subscribers.tokenChanged(tx, ref);
  const isFirst = begun.pauses === 1;
  if (isFirst && reason !== 'silent') {
    const [token] = await tx<{ name: string; status: string }[]>`
      select name, status from tokens where account_id = ${accountId} and token_id = ${tokenId}`;
    if (token?.status === 'linked') {
      const title = `Nomor "${isolated(token.name)}" dijeda`;
      await queueNotice(tx, noticeOf(ref, title, pauses[reason]));
    }
  }
  return { forMs: begun.until.getTime() - at.getTime(), isFirst };
}

/** Remaining pause of a number; 0 if it is due for a try; undefined if it is not paused. */
export async function readPause(
  sql: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  now: Date,
): Promise<number | undefined> {
  const [row] = await sql<{ until: Date }[]>`
    select paused_until as until from connections
    where account_id = ${accountId} and token_id = ${tokenId} and paused_for is not null`;
  return row && Math.max(0, row.until.getTime() - now.getTime());
}

export async function endPause(
  tx: Tx,
  { subscribers }: Pick<PresenceDeps, 'subscribers'>,
  ref: TokenRef,
): Promise<void> {
  const { accountId, tokenId } = ref;
  const ended = await tx`
    update connections set paused_for = null, paused_at = null, paused_until = null, pauses = 0
    where account_id = ${accountId} and token_id = ${tokenId} and paused_for is not null
    returning 1`;
  if (ended.length > 0) await subscribers.tokenChanged(tx, ref);
}

/** No message waits for a number whose pause ended this long ago without a try. */
const IDLE_MS = 2 * MINUTE_MS;

/** Ends the pauses of numbers for which nothing waits: the next message finds out their state. */
export async function endIdlePauses(
  sql: Sql,
  { subscribers, now }: Pick<PresenceDeps, 'subscribers' | 'now'>,
  numbers: readonly TokenRef[],
): Promise<void> {
  const before = new Date(now().getTime() - IDLE_MS);
  const idle = await sql<TokenRef[]>`
    select account_id as "accountId", token_id as "tokenId"
    from connections join unnest(
      ${numbers.map(({ accountId }) => accountId)}::uuid[],
      ${numbers.map(({ tokenId }) => tokenId)}::uuid[]
    ) as n (account_id, token_id) using (account_id, token_id)
    where paused_for is not null and paused_until <= ${before}`;
  for (const ref of idle) {
    await beginIn(sql, ref.accountId, (tx) => endPause(tx, { subscribers }, ref));
  }
}

export const countPauses = async (
  allAccountsSql: Sql,
): Promise<{ reason: Pause; numbers: number }[]> => [
  ...(await allAccountsSql<{ reason: Pause; numbers: number }[]>`
    select c.paused_for as reason, count(*)::int as numbers
    from connections c
    join tokens t on t.account_id = c.account_id and t.token_id = c.token_id
      and t.channel = c.channel and t.deleted_at is null
    where c.paused_for is not null group by 1 order by 2 desc, 1`),
];

export type PresenceDeps = {
  subscribers: TokenSubscribers;
  queueNotice: QueueNotice;
  now: () => Date;
};

type ChannelRef = TokenRef & { channel: ChannelName };

/** Whether a token still uses this channel, locked until COMMIT: else its events are dropped. */
async function isOfChannel(tx: Tx, { accountId, tokenId, channel }: ChannelRef): Promise<boolean> {
  const [token] = await tx`
    select 1 from tokens
    where account_id = ${accountId} and token_id = ${tokenId} and channel = ${channel}
      and deleted_at is null
    for no key update`;
  return token !== undefined;
}

/** Connects a number, and releases its waiting messages. Idempotent. */
export async function connectNumber(
  tx: Tx,
  { subscribers, now }: PresenceDeps,
  ref: ChannelRef,
): Promise<void> {
  if (!(await isOfChannel(tx, ref))) return;
  await markConnected(tx, ref, now());
  await setPresence(tx, subscribers, { ...ref, to: 'linked' });
}

/**
 * Disconnects the token of a number that cannot send for now, and notifies its owner once of the reason and the remedy;
 * not after a mere retry (`isRetry`).
 *
 * @param tx the transaction of the cause
 */
export async function disconnectNumber(
  tx: Tx,
  { subscribers, queueNotice, now }: PresenceDeps,
  { isRetry = false, ...ref }: ChannelRef & { isRetry?: boolean },
  reason: Parting,
): Promise<void> {
  if (!(await isOfChannel(tx, ref))) return;
  const isNew = await markDisconnected(tx, ref, { reason, at: now() });
  const name = await setPresence(tx, subscribers, { ...ref, to: 'disconnected' });
  if (!isNew || isRetry || name === undefined) return;
  await queueNotice(tx, noticeOf(ref, `Nomor "${isolated(name)}" terputus`, partings[reason]));
}

/** Stores a restriction, or its end. The owner is notified once; the page shows both. */
export async function restrictNumber(
  tx: Tx,
  { subscribers, queueNotice, now }: PresenceDeps,
  ref: ChannelRef,
  { kind, until }: { kind: Restriction | undefined; until?: Date },
): Promise<void> {
  if (!(await isOfChannel(tx, ref))) return;
  if (!(await markRestricted(tx, ref, { kind, until, at: now() }))) return;
  await subscribers.tokenChanged(tx, ref);
  if (kind === undefined) return;
  const [token] = await tx<{ name: string }[]>`
    select name from tokens where account_id = ${ref.accountId} and token_id = ${ref.tokenId}`;
  if (!token) return;
  await queueNotice(
    tx,
    noticeOf(ref, `Nomor "${isolated(token.name)}" dibatasi`, restrictions[kind]),
  );
}

export const noticeOf = (
  { accountId, tokenId }: TokenRef,
  title: string,
  body: string,
): Notice => ({
  accountId,
  title,
  body,
  url: `/token?open=${publicId('token', tokenId)}`,
  tag: `connection:${publicId('token', tokenId)}`,
});

/** Write interval; a process that dies loses this much of a figure. */
const WRITE_MS = 2_000;

const HOUR_MS = 3_600_000;
/** Distinct codes counted per number and hour: a signed callback may name any code. */
const CODES_MAX = 100;
const OTHER = 'other';

export type HealthRecorder = {
  answered(answer: ProviderAnswer): void;
  receipt(number: TokenRef): void;
  close(): Promise<void>;
};

/** Records in memory, and writes every 2 s. */
export function openHealthRecorder({
  allAccountsSql,
  now,
  report,
}: {
  allAccountsSql: Sql;
  now: () => Date;
  report: (error: unknown) => void;
}): HealthRecorder {
  let answers: ProviderAnswer[] = [];
  let receipts = new Map<string, TokenRef>();
  const countedAs = openCodes(now);
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    timer = undefined;
    const [some, numbers] = [answers, [...receipts.values()]];
    answers = [];
    receipts = new Map();
    writing = writing
      .then(async () => {
        await withEachAccount(some, (own) => countAnswers(allAccountsSql, own, now()));
        await withEachAccount(numbers, (own) => noteReceipts(allAccountsSql, own, now()));
      })
      .catch(report);
  };
  const soon = () => (timer ??= setTimeout(write, WRITE_MS).unref());
  return {
    answered(answer) {
      answers.push({ ...answer, code: countedAs(answer) });
      soon();
    },
    receipt({ accountId, tokenId }) {
      receipts.set(tokenId, { accountId, tokenId });
      soon();
    },
    async close() {
      clearTimeout(timer);
      write();
      await writing;
    },
  };
}

function openCodes(now: () => Date): (answer: ProviderAnswer) => string {
  let hour = 0;
  let known = new Map<string, Set<string>>();
  return ({ tokenId, code }) => {
    const current = Math.floor(now().getTime() / HOUR_MS);
    if (current !== hour) known = new Map();
    hour = current;
    const codes = known.get(tokenId) ?? new Set();
    known.set(tokenId, codes);
    if (codes.size >= CODES_MAX && !codes.has(code)) return OTHER;
    codes.add(code);
    return code;
  };
}
