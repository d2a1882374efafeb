import type { PageOf } from '#contract/base/act.ts';
import { idFloor } from '#contract/base/ids.ts';
import type { Direction, MessageRow, MessageStatus, MessageType } from '#contract/messages.ts';
import { civilDate } from '#contract/base/time.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { timeOfId } from '#server/infra/ids.ts';
import { countsByHour, countsBySpan } from './counts.ts';
import { type SortOrder, type StoredMessage, readMessages, sqlOrder } from './rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An id's time may be in a year of more than four digits. */
const LATEST_MS = Date.UTC(9000, 0);

export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export type MessageFilter = {
  /** From this civil day (WIB, `YYYY-MM-DD`) to before that one. */
  from?: string | undefined;
  until?: string | undefined;
  statuses?: readonly MessageStatus[] | undefined;
  direction?: Direction | undefined;
  tokenId?: string | undefined;
  type?: MessageType | undefined;
};

export type PageQuery = {
  accountId: string;
  filter: MessageFilter;
  order: SortOrder;
  offset: number;
  limit: number;
};

export type Page = Pick<PageOf<MessageRow>, 'total' | 'searched'> & { stored: StoredMessage[] };

/**
 * Reads as one account, preferring index scans to sequential scans, with generic plans that are made once per statement
 * and connection.
 * The condition of row-level security is opaque to the planner, which estimates that it keeps one row in two hundred:
 * it then scans all partitions (400 ms at 1,000,000 messages) to avoid an index scan of ten rows. Planning a page for
 * its values took 2 to 3 ms, more than reading it.
 */
export function readAsAccount<T>(
  sql: Sql,
  accountId: string,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return asAccount(sql, accountId, work, {
    enable_seqscan: 'off',
    max_parallel_workers_per_gather: '0',
    plan_cache_mode: 'force_generic_plan',
  });
}

export const dayStartMs = (day: string): number => Date.parse(`${day}T00:00:00+07:00`);

export const daysAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

/**
 * `and` everything but the time, for a table called `m` with the columns of messages or rollups.
 */
export function matchesFilter(sql: Sql | Tx, filter: MessageFilter): Fragment {
  const { tokenId, direction, type, statuses } = filter;
  return sql`
    ${tokenId === undefined ? sql`` : sql`and m.token_id = ${tokenId}`}
    ${direction === undefined ? sql`` : sql`and m.direction = ${direction}`}
    ${type === undefined ? sql`` : sql`and m.type = ${type}`}
    ${statuses === undefined ? sql`` : sql`and m.status = any (${statuses})`}`;
}

export const inTimeRange = (sql: Sql | Tx, { from, until }: MessageFilter): Fragment => sql`
  ${from === undefined ? sql`` : sql`and m.message_id >= ${idFloor(dayStartMs(from))}`}
  ${until === undefined ? sql`` : sql`and m.message_id < ${idFloor(dayStartMs(until))}`}`;

/** The matching ids by their own rows, in order: for filters that the rollups lack. */
export const idsWhere = (
  tx: Tx,
  { accountId, filter, order, offset, limit }: PageQuery,
  also: Fragment,
) =>
  tx`
    select m.message_id from messages m
    where m.account_id = ${accountId} ${inTimeRange(tx, filter)} ${matchesFilter(tx, filter)} ${also}
    order by m.message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}`;

type Slice = { hour: Date; messages: number; before: number };

/** The part of a page in an hour: `take` messages after the first `skip`, in this order. */
type Part = { hour: Date; skip: number; take: number; order: SortOrder };

/** Within this many ids of an end of the time, scanning is faster than looking up the counts. */
const WALK_MAX = 1_000;

/**
 * A page of the messages that match a filter, and their total number.
 * With a filter of time alone, pages near an end are scanned; all others are found by the counts.
 */
export async function pageOf(tx: Tx, query: PageQuery): Promise<Page> {
  const { accountId, filter, order, offset, limit } = query;
  if (isNarrowed(filter)) return pageByCounts(tx, query);
  const walk = (way: SortOrder, skip: number, take: number) => {
    const ids = idsWhere(tx, { accountId, filter, order: way, offset: skip, limit: take }, tx``);
    return readMessages(tx, { accountId, ids, order });
  };
  if (offset <= WALK_MAX) {
    const [total, stored] = await Promise.all([
      totalOf(tx, accountId, filter),
      walk(order, offset, limit),
    ]);
    return { stored, total };
  }
  const total = await totalOf(tx, accountId, filter);
  if (offset >= total) return { stored: [], total };
  const after = Math.max(0, total - offset - limit);
  if (after > WALK_MAX) return pageByCounts(tx, query);
  return { stored: await walk(opposite(order), after, total - offset - after), total };
}

const opposite = (order: SortOrder): SortOrder => (order === 'newest' ? 'oldest' : 'newest');

async function totalOf(tx: Tx, accountId: string, filter: MessageFilter): Promise<number> {
  const [sum] = await tx<{ total: number }[]>`
    select coalesce(sum(messages), 0)::bigint as total from (${topCounts(tx, accountId, filter)}) c`;
  return sum?.total ?? 0;
}

/**
 * A page found by the counts: they give its hours, and its offset in the first of them, so that at most half an hour is
 * scanned.
 */
async function pageByCounts(tx: Tx, query: PageQuery): Promise<Page> {
  const { total, slices } = await slicesOf(tx, query);
  if (slices.length === 0) return { stored: [], total };
  const { accountId, order } = query;
  const parts = slices.map((slice) => partOf(slice, query));
  const ids = unionAll(
    tx,
    (['newest', 'oldest'] as const)
      .map((way) => parts.filter((part) => part.order === way))
      .filter((some) => some.length > 0)
      .map((some) => idsOfParts(tx, query, some)),
  );
  return { stored: await readMessages(tx, { accountId, ids, order }), total };
}

function partOf(
  { hour, messages, before }: Slice,
  { order, offset, limit }: Pick<PageQuery, 'order' | 'offset' | 'limit'>,
): Part {
  const skip = Math.max(0, offset - before);
  const take = Math.min(messages - skip, offset + limit - before - skip);
  const after = messages - skip - take;
  return skip <= after
    ? { hour, skip, take, order }
    : { hour, skip: after, take, order: opposite(order) };
}

const idsOfParts = (
  tx: Tx,
  { accountId, filter }: PageQuery,
  [first, ...others]: readonly Part[],
): Fragment => {
  if (!first) return tx`select null::uuid as message_id where false`;
  const parts = [first, ...others];
  const order = sqlOrder(tx, first.order);
  const matches = matchesFilter(tx, filter);
  // Most pages of a large account lie in one hour: the month's partition is then chosen at executor start-up.
  return others.length === 0
    ? tx`(
    select m.message_id from messages m
    where m.account_id = ${accountId} and m.message_id >= ${idFloor(first.hour.getTime())}
      and m.message_id < ${idFloor(first.hour.getTime() + HOUR_MS)} ${matches}
    order by m.message_id ${order} offset ${first.skip} limit ${first.take})`
    : tx`
    select found.message_id
    from unnest(
      ${parts.map(({ hour }) => idFloor(hour.getTime()))}::uuid[],
      ${parts.map(({ hour }) => idFloor(hour.getTime() + HOUR_MS))}::uuid[],
      ${parts.map(({ skip }) => skip)}::bigint[],
      ${parts.map(({ take }) => take)}::bigint[]
    ) as s(low, high, skip, take)
    cross join lateral (
      select m.message_id from messages m
      where m.account_id = ${accountId} and m.message_id >= s.low and m.message_id < s.high
        ${matches}
      order by m.message_id ${order} offset s.skip limit s.take
    ) found`;
};

const unionAll = (tx: Tx, [first, ...others]: readonly Fragment[]): Fragment =>
  others.reduce((all, one) => tx`${all} union all ${one}`, first ?? tx``);

/**
 * The hours of a page, and the total number of messages. First whole months are read (single days where a range cuts a
 * month), then the days of the months with the page, then the hours of those days. The bounds of each step are columns
 * of the previous one: with row-level security, a condition with a calculation uses no index.
 */
async function slicesOf(
  tx: Tx,
  { accountId, filter, order, offset, limit }: PageQuery,
): Promise<{ total: number; slices: Slice[] }> {
  const matches = matchesFilter(tx, filter);
  const way = sqlOrder(tx, order);
  const holds = tx`before + n > ${offset}::bigint and before < ${offset + limit}::bigint`;
  const days = countsBySpan(tx, 'day', {
    accountId,
    from: tx`t.since`,
    before: tx`t.ends`,
  });
  const hours = countsByHour(tx, {
    accountId,
    from: tx`d.begins`,
    before: tx`d.ends`,
  });
  const found = await tx<{ total: number; hour: Date | null; messages: number; before: number }[]>`
    with top as materialized (
      select m.grain, m.since, sum(m.messages)::bigint as n
      from (${topCounts(tx, accountId, filter)}) m where true ${matches}
      group by m.grain, m.since having sum(m.messages) > 0
    ), top_held as materialized (
      select *, (since + interval '1 month')::date as ends from (
        select *, (sum(n) over (order by since ${way}))::bigint - n as before from top
      ) placed where ${holds}
    ), days_held as materialized (
      select *, since::timestamp at time zone 'Asia/Jakarta' as begins,
        (since + 1)::timestamp at time zone 'Asia/Jakarta' as ends
      from (
        select since, n, before from top_held where grain = 'day'
        union all
        select d.since, d.n,
          t.before + (sum(d.n) over (partition by t.since order by d.since ${way}))::bigint - d.n
        from top_held t
        cross join lateral (
          select m.since, sum(m.messages)::bigint as n from ${days} m where true ${matches}
          group by m.since having sum(m.messages) > 0
        ) d
        where t.grain = 'month'
      ) placed where ${holds}
    ), hours_held as (
      select * from (
        select h.hour, h.n,
          d.before + (sum(h.n) over (partition by d.since order by h.hour ${way}))::bigint - h.n as before
        from days_held d
        cross join lateral (
          select m.hour, sum(m.messages)::bigint as n from ${hours} m where true ${matches}
          group by m.hour having sum(m.messages) > 0
        ) h
      ) placed where ${holds}
    )
    select t.total, h.hour, h.n as messages, h.before
    from (select coalesce(sum(n), 0)::bigint as total from top) t
    left join hours_held h on true
    order by h.before`;
  const slices = found.flatMap(({ hour, messages, before }) =>
    hour === null ? [] : [{ hour, messages, before }],
  );
  return { total: found[0]?.total ?? 0, slices };
}

function topCounts(tx: Tx, accountId: string, { from, until }: MessageFilter): Fragment {
  const counts = (grain: 'day' | 'month', first: string, before: string) =>
    tx`select ${grain} as grain, c.* from ${countsBySpan(tx, grain, { accountId, from: first, before })} c`;
  const firstWhole = from === undefined ? '-infinity' : monthFrom(from);
  const afterWhole = until === undefined ? 'infinity' : `${until.slice(0, 7)}-01`;
  if (firstWhole >= afterWhole && from !== undefined && until !== undefined) {
    return counts('day', from, until);
  }
  return unionAll(tx, [
    counts('month', firstWhole, afterWhole),
    ...(from === undefined ? [] : [counts('day', from, firstWhole)]),
    ...(until === undefined ? [] : [counts('day', afterWhole, until)]),
  ]);
}

function monthFrom(day: string): string {
  if (day.endsWith('-01')) return day;
  const [year = 0, month = 0] = day.split('-').map(Number);
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}

/** True when a filter has more than the time: matching messages may then be rare. */
export const isNarrowed = ({ direction, type, statuses, tokenId }: MessageFilter): boolean =>
  [direction, type, statuses, tokenId].some((value) => value !== undefined);

type CursorQuery = {
  accountId: string;
  filter: MessageFilter;
  limit: number;
  cursor: string | undefined;
};

/** The hours with the next `limit` messages before a cursor. */
export async function hoursBefore(tx: Tx, query: CursorQuery): Promise<readonly Date[]> {
  const hourQuery = await fromHourOf(tx, query);
  const { accountId } = query;
  const { slices } = await slicesOf(tx, { ...hourQuery, accountId, order: 'newest' });
  return slices.map(({ hour }) => hour);
}

/** The newest ids that match before a cursor, searched in the hours that have matches. */
export const idsBefore = (
  tx: Tx,
  { accountId, filter, limit, cursor }: CursorQuery,
  hours: readonly Date[],
): Fragment => tx`
  select found.message_id
  from unnest(
    ${hours.map((hour) => idFloor(hour.getTime()))}::uuid[],
    ${hours.map((hour) => idFloor(hour.getTime() + HOUR_MS))}::uuid[]
  ) as s(low, high)
  cross join lateral (
    select m.message_id from messages m
    where m.account_id = ${accountId} and m.message_id >= s.low and m.message_id < s.high
      ${cursor === undefined ? tx`` : tx`and m.message_id < ${cursor}`} ${matchesFilter(tx, filter)}
    order by m.message_id desc limit ${limit}
  ) found
  order by found.message_id desc limit ${limit}`;

/**
 * The rollup query that begins with the cursor's hour. That hour may be used up, so it is read in addition to the page.
 */
async function fromHourOf(
  tx: Tx,
  { accountId, filter, limit, cursor }: CursorQuery,
): Promise<Pick<PageQuery, 'filter' | 'offset' | 'limit'>> {
  if (cursor === undefined) return { filter, offset: 0, limit };
  const at = new Date(Math.min(timeOfId(cursor).getTime(), LATEST_MS));
  const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  const until = daysAfter(civilDate(at), 1);
  const counts = countsByHour(tx, { accountId, from: hour, before: new Date(dayStartMs(until)) });
  const [day] = await tx<{ later: number; here: number }[]>`
    select coalesce(sum(m.messages) filter (where m.hour > ${hour}), 0)::bigint as later,
      coalesce(sum(m.messages) filter (where m.hour = ${hour}), 0)::bigint as here
    from ${counts} m where true ${matchesFilter(tx, filter)}`;
  return {
    filter: { ...filter, until },
    offset: day?.later ?? 0,
    limit: limit + (day?.here ?? 0),
  };
}
