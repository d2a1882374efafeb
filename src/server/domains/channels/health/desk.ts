import {
  NumberState,
  type ProviderAnswers,
  type RealChannel,
} from '#contract/operator/channels.ts';
import type { Connection } from '#contract/tokens/connection.ts';
import type { TokenStatus } from '#contract/tokens.ts';
import { type CodeMeaning, knownMeaning } from '#server/domains/channels/cloud/codes.ts';
import type { TokenRef } from '#server/domains/tokens/tokens.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import {
  RECEIVED,
  UNDECRYPTABLE,
  type ConnectionRow,
  connectionColumns,
  connectionFrom,
  spanSums,
} from './health.ts';

/** A number in its network, of any account. */
export type DeskNumber = TokenRef &
  Connection & {
    tokenName: string;
    isSystem: boolean;
    status: TokenStatus;
    phone: string | null;
  };

export type NumbersQuery = {
  channel?: RealChannel | undefined;
  state?: NumberState | undefined;
  /** By when they were connected; left out: what needs somebody first. */
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
 * How many numbers are, or were, connected to a real network, by channel and by how they stand. Of the channels
 * that are on, none is told as well: what grows is only seen beside what it grew from.
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

/** Fewer than these do not make a number stand out, and this is the share from which it does. */
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

/** The numbers that are, or were, connected to a real network, of all accounts. */
export async function connectedNumbers(
  sql: Sql,
  { channel, state, sort, offset, limit, now }: NumbersQuery,
): Promise<{ numbers: DeskNumber[]; total: number }> {
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

const numberFrom = (row: Row, now: Date): DeskNumber => ({
  ...connectionFrom(row, now),
  accountId: row.account_id,
  tokenId: row.token_id,
  tokenName: row.token_name,
  isSystem: row.is_system,
  status: row.status,
  phone: row.phone,
});

type Answer = ProviderAnswers['answers'][number];

/** What networks answered since then where it was no success, by code; the most first. */
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

/** What a code that is known means to a message. Of Meta's own words for what happens to a number it is none. */
const meaningAt = ({ channel, code }: Pick<Answer, 'channel' | 'code'>): CodeMeaning | undefined =>
  channel === 'cloud' && /^[0-9]{1,9}$/.test(code)
    ? knownMeaning({ code: Number(code) })
    : undefined;
