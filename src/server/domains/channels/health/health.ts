import type { Connection, Parting, Pause, Restriction } from '#contract/tokens/connection.ts';
import type { ChannelName } from '#contract/tokens.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** A span that was not seen for longer has ended: what comes next begins another one. */
const SPAN_GRACE_MS = 90_000;
const UPTIME_DAYS = 30;
const DAY_MS = 24 * 3_600_000;
/** Spans and answers are kept somewhat longer than they are shown. */
const KEEP_DAYS = 40;

/** A number has been connected: what parted it before is over. */
export async function markConnected(
  tx: Sql | Tx,
  { accountId, tokenId, channel }: TokenRef & { channel: ChannelName },
  at: Date,
): Promise<void> {
  await tx`
    insert into connections (account_id, token_id, channel, since)
    values (${accountId}, ${tokenId}, ${channel}, ${at})
    on conflict (account_id, token_id) do update set
      channel = excluded.channel, parted_at = null, parted_reason = null,
      since = coalesce(connections.since, excluded.since)`;
}

/**
 * A number is parted from its network.
 *
 * @returns false when it was parted already: whoever is to be told was.
 */
export async function markParted(
  tx: Sql | Tx,
  { accountId, tokenId, channel }: TokenRef & { channel: ChannelName },
  { reason, at }: { reason: Parting; at: Date },
): Promise<boolean> {
  const parted = await tx`
    insert into connections as c (account_id, token_id, channel, parted_at, parted_reason)
    values (${accountId}, ${tokenId}, ${channel}, ${at}, ${reason})
    on conflict (account_id, token_id) do update set
      channel = excluded.channel, since = null, parted_at = ${at}, parted_reason = ${reason},
      restriction = null, restricted_at = null, restricted_until = null
      where c.parted_reason is distinct from ${reason}
    returning 1`;
  return parted.length > 0;
}

/**
 * A network restricts a number, or no longer does (`kind` undefined).
 *
 * @returns whether another restriction holds than before: only then somebody is to be told.
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

/** A network no longer restricts a number in this way; what else it restricts stays. */
export async function liftRestriction(
  tx: Sql | Tx,
  { accountId, tokenId }: TokenRef,
  kind: Restriction,
): Promise<void> {
  await tx`
    update connections set restriction = null, restricted_at = null, restricted_until = null
    where account_id = ${accountId} and token_id = ${tokenId} and restriction = ${kind}`;
}

/** A token has left its channel: how its number stood there says nothing of the next one. */
export async function forgetConnection(tx: Tx, { accountId, tokenId }: TokenRef): Promise<void> {
  await tx`delete from connections where account_id = ${accountId} and token_id = ${tokenId}`;
  await tx`delete from connection_spans where account_id = ${accountId} and token_id = ${tokenId}`;
}

/** Whether a number is parted from its network. */
export async function isParted(sql: Sql | Tx, { accountId, tokenId }: TokenRef): Promise<boolean> {
  const [row] = await sql`
    select 1 from connections
    where account_id = ${accountId} and token_id = ${tokenId} and parted_at is not null`;
  return row !== undefined;
}

/** These numbers are connected, as was seen just now: their spans grow, or begin. */
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

/** Receipts came for messages of these numbers. */
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

/** A connection as it is stored, with the time of its spans. */
export type ConnectionRow = {
  channel: ChannelName;
  since: Date | null;
  parted_at: Date | null;
  parted_reason: Parting | null;
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

/** The columns of a `ConnectionRow`, of connections `c` with `spanSums`. */
export const connectionColumns = (sql: Sql | Tx): Fragment => sql`
  c.channel, c.since, c.parted_at, c.parted_reason, c.restriction, c.restricted_at,
  c.restricted_until, c.paused_for, c.paused_at, c.paused_until, c.last_receipt_at, s.up_s,
  s.first_from`;

/**
 * Joins how long each of connections `c` was connected in the last 30 days. The span of a number that is connected
 * lasts until now: it grows only when it is next seen.
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

/** How a number stands; undefined when it was never connected to a real network. */
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

/** A connection as it is answered. */
export function connectionFrom(row: ConnectionRow, now: Date): Connection {
  const { parted_at, parted_reason, restriction, restricted_at, restricted_until } = row;
  const { paused_for, paused_at, paused_until } = row;
  const isRestricted =
    restriction && restricted_at && (restricted_until === null || restricted_until > now);
  return {
    channel: row.channel,
    since: row.since,
    parted: parted_at && parted_reason && { at: parted_at, reason: parted_reason },
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

/** The part of the time since its first connection, 30 days at most, in which it was connected. */
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

/** What a network answered to a try, or told of a message, where it was no success. */
/** Of WhatsApp Web: all messages that came in, which is no trouble, and those that could not be decrypted at first. */
export const RECEIVED = 'received';
export const UNDECRYPTABLE = 'undecryptable';

export type ProviderAnswer = TokenRef & { channel: ChannelName; code: string };

/** Counts such answers, by hour and code. */
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

/** Forgets spans and answers that are shown no more; for the clean-up job. */
export async function pruneHealth(allAccountsSql: Sql, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEEP_DAYS * DAY_MS);
  await allAccountsSql`delete from connection_spans where up_until < ${before}`;
  await allAccountsSql`delete from provider_answers where hour < ${before}`;
}
