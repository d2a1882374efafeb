import { idFloor } from '#contract/base/ids.ts';
import { cleanNumber, normalizePhone } from '#contract/base/written-number.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';
import {
  FIRST_ID,
  LAST_ID,
  type Page,
  type PageQuery,
  dayStartMs,
  idsWhere,
  inTimeRange,
  isNarrowed,
  matchesFilter,
} from './pages.ts';
import { type StoredMessage, readMessages, sqlOrder } from './rows.ts';
import { type WordQuery, foundWords, wordsIn } from './words.ts';

/**
 * A search by a prefix shows at most this many messages; interfaces show more as "lebih dari" (docs/wire.md#lists).
 */
export const SEARCH_MAX = 10_000;
/**
 * The status of found messages is looked up in at most about this many database pages: 50 ms if all are apart.
 */
const STATUS_READS = 2_000;
const PEERS_MAX = 100;

type Matches = {
  /** A condition on messages `m`, answered from the phones' index. */
  all: Fragment;
  /** A query of the ids at a range of the page's order; in any order. */
  at: (place: { offset: number; limit: number }) => Fragment;
};

/**
 * A page of the messages that match a search: with one whole number or a prefix of numbers; else with a prefix of a
 * conversation's name, and with all words typed.
 * Of more than 10,000 matches only the first 10,000 count, in the requested order and days; the other filters select
 * among those. For words alone, only the status does so, and among fewer if they are scattered.
 */
export async function searchMessages(tx: Tx, typed: string, query: PageQuery): Promise<Page> {
  const { accountId } = query;
  const readings = readingsOf(typed);
  if (readings.length === 0) return searchNamesAndWords(tx, typed, query);
  const [known, another] = await knownOf(tx, accountId, readings);
  if (known !== undefined && another === undefined) return searchOne(tx, known, query);
  if (known !== undefined) return searchPeers(tx, withPeers(tx, readings, query), query);
  return searchPeers(tx, beginning(tx, readings, query), query);
}

async function searchNamesAndWords(tx: Tx, typed: string, query: PageQuery): Promise<Page> {
  const words = wordsIn(typed);
  const peers = await peersNamed(tx, query.accountId, typed);
  if (words.length === 0 && peers.length === 0) return { stored: [], total: 0 };
  if (words.length === 0) return searchPeers(tx, withPeers(tx, peers, query), query);
  const wordQuery = { ...query, words, max: SEARCH_MAX };
  const { from, until, statuses } = query.filter;
  if (peers.length === 0 && statuses === undefined) return pageOfWords(tx, wordQuery);
  const first = { ...wordQuery, offset: 0, limit: SEARCH_MAX };
  if (peers.length === 0) {
    const { found } = await foundWords(tx, { ...first, reads: STATUS_READS });
    return pageAmong(tx, tx`select o_ids as ids, o_all as is_all from ${found}`, query);
  }
  const named = withPeers(tx, peers, query).at({ offset: 0, limit: SEARCH_MAX });
  const narrowed = isNarrowed(query.filter) && { reads: STATUS_READS };
  const { found } = await foundWords(tx, { ...first, ...narrowed, filter: { from, until } });
  // If the word search was cut off, name matches are cut off at the same id.
  const isBefore = query.order === 'newest' ? tx`>=` : tx`<=`;
  const both = tx`
    select o_all, array(
      select message_id from (
        select n.message_id from (${named}) n
        union
        select unnest(o_ids)
      ) b where o_all or message_id ${isBefore} o_ids[cardinality(o_ids)]
      order by message_id ${sqlOrder(tx, query.order)} limit ${SEARCH_MAX}
    ) as ids from ${found}`;
  return pageAmong(
    tx,
    tx`select ids, o_all and cardinality(ids) < ${SEARCH_MAX} as is_all from (${both}) b`,
    query,
  );
}

async function pageOfWords(tx: Tx, query: WordQuery): Promise<Page> {
  const { found } = await foundWords(tx, query);
  const [page] = await tx<{ total: number; ids: string[] | null }[]>`
    select o_total as total, o_ids as ids from ${found}`;
  return { total: page?.total ?? 0, stored: await readIds(tx, page?.ids ?? [], query) };
}

/**
 * The page among some messages that match the filter.
 *
 * @param first a query of one row: `ids`, and `is_all`, whether these are all.
 */
async function pageAmong(tx: Tx, first: Fragment, query: PageQuery): Promise<Page> {
  const { filter, order, offset, limit, accountId } = query;
  const fits = isNarrowed(filter)
    ? tx`
      select m.message_id from messages m
      where m.account_id = ${accountId} ${amongFirst(tx)} ${matchesFilter(tx, filter)}`
    : tx`select u.message_id from f, unnest(f.ids) as u(message_id)`;
  const [found] = await tx<{ total: number; ids: string[]; searched: number | null }[]>`
    with f as materialized (${first}), fits as materialized (${fits})
    select (select count(*) from fits) as total, array(
      select message_id from fits
      order by message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}
    ) as ids, (select cardinality(ids) from f where not is_all) as searched`;
  return {
    stored: await readIds(tx, found?.ids ?? [], query),
    total: found?.total ?? 0,
    searched: isNarrowed(filter) ? (found?.searched ?? undefined) : undefined,
  };
}

const readIds = (
  tx: Tx,
  ids: readonly string[],
  { accountId, order }: Pick<PageQuery, 'accountId' | 'order'>,
): Promise<StoredMessage[]> =>
  readMessages(tx, {
    accountId,
    order,
    ids: tx`select message_id from unnest(${ids}::uuid[]) as f(message_id)`,
  });

/**
 * Prefixes of stored numbers that match the typed text; none when it is not a number. `8529` may begin `62852…` as well
 * as a number in Hong Kong, so it has two readings.
 */
export function readingsOf(typed: string): string[] {
  const [byRule, exact] = [normalizePhone(typed), cleanNumber(typed)];
  const readings = exact.startsWith(byRule) ? [byRule] : [byRule, exact];
  return readings.filter((digits) => /^[1-9][0-9]{0,14}$/.test(digits));
}

export async function knownOf(
  tx: Tx,
  accountId: string,
  numbers: readonly string[],
): Promise<string[]> {
  const found = await tx<{ peer: string }[]>`
    select n.peer from unnest(${numbers}::text[]) as n(peer)
    where exists (select from messages m where m.account_id = ${accountId} and m.peer = n.peer)`;
  return found.map(({ peer }) => peer);
}

export function beginsWith(tx: Tx, peer: Fragment, beginnings: readonly string[]): Fragment {
  const [first = tx`false`, ...others] = beginnings.map(
    (digits) => tx`${peer} ~>=~ ${digits} and ${peer} ~<~ ${`${digits}:`}`,
  );
  return others.reduce((all, one) => tx`${all} or ${one}`, first);
}

const beginning = (
  tx: Tx,
  beginnings: readonly string[],
  { accountId, filter: { from, until }, order }: PageQuery,
): Matches => ({
  all: tx`and (${beginsWith(tx, tx`m.peer`, beginnings)})`,
  at: ({ offset, limit }) => {
    const idsOf = (digits: string, place: { offset: number; limit: number }) => tx`
      select message_id from search_by_phone_prefix(
        ${accountId}, ${digits}, ${from === undefined ? FIRST_ID : idFloor(dayStartMs(from))},
        ${until === undefined ? LAST_ID : idFloor(dayStartMs(until))}, ${order === 'newest'},
        ${place.offset}, ${place.limit}
      ) as f(message_id)`;
    const [first = '', ...others] = beginnings;
    if (others.length === 0) return idsOf(first, { offset, limit });
    // No phone begins with both.
    const enough = { offset: 0, limit: offset + limit };
    const all = others.reduce(
      (union, digits) => tx`${union} union all ${idsOf(digits, enough)}`,
      idsOf(first, enough),
    );
    return tx`
      select a.message_id from (${all}) a
      order by a.message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}`;
  },
});

const withPeers = (
  tx: Tx,
  peers: readonly string[],
  { accountId, filter, order }: PageQuery,
): Matches => ({
  all: tx`and m.peer = any (${peers})`,
  at: ({ offset, limit }) => tx`
    select f.message_id from unnest(${peers}::text[]) as p(peer)
    cross join lateral (
      select m.message_id from messages m
      where m.account_id = ${accountId} and m.peer = p.peer ${inTimeRange(tx, filter)}
      order by m.message_id ${sqlOrder(tx, order)} limit ${offset + limit}
    ) f
    order by f.message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}`,
});

export async function peersNamed(
  tx: Tx,
  accountId: string,
  name: string,
  max = PEERS_MAX,
): Promise<string[]> {
  const found = await tx<{ peer: string }[]>`
    select peer from search_peers_by_name(${accountId}, ${name.toLowerCase()}, ${max}) as p(peer)`;
  return found.map(({ peer }) => peer);
}

async function searchOne(tx: Tx, peer: string, query: PageQuery): Promise<Page> {
  const also = tx`and m.peer = ${peer}`;
  const ids = idsWhere(tx, query, also);
  const { accountId, filter, order } = query;
  const [[count], stored] = await Promise.all([
    tx<{ total: number }[]>`
      select count(*) as total from messages m
      where m.account_id = ${accountId} ${inTimeRange(tx, filter)}
        ${matchesFilter(tx, filter)} ${also}`,
    readMessages(tx, { accountId, ids, order }),
  ]);
  return { stored, total: count?.total ?? 0 };
}

/**
 * The page among the first 10,000 messages that match; their ids are found before wide rows are read.
 */
async function searchPeers(tx: Tx, matches: Matches, query: PageQuery): Promise<Page> {
  const { accountId, filter, order, offset, limit } = query;
  const width = await widthOf(tx, matches, query);
  const isWide = width.messages > SEARCH_MAX;
  if (isWide && !isNarrowed(filter)) {
    return {
      stored: await readWide(tx, matches, { ...query, near: width.near }),
      total: SEARCH_MAX,
    };
  }
  if (isWide) return pageAmong(tx, firstIds(tx, matches), query);
  const [found] = await tx<{ total: number; ids: string[] }[]>`
    with fits as materialized (
      select m.message_id from messages m
      where m.account_id = ${accountId} ${inTimeRange(tx, filter)} ${matches.all}
        ${matchesFilter(tx, filter)}
    )
    select (select count(*) from fits) as total, array(
      select message_id from fits
      order by message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}
    ) as ids`;
  return { stored: await readIds(tx, found?.ids ?? [], query), total: found?.total ?? 0 };
}

/**
 * Number of matches, counted to one more than are shown; and number among the first 200 of all messages.
 */
type Width = { messages: number; near: number };

const SAMPLE = 200;

async function widthOf(tx: Tx, { all }: Matches, query: PageQuery): Promise<Width> {
  const [width] = await tx<Width[]>`
    select
      (
        select count(*) from (
          select from messages m
          where m.account_id = ${query.accountId} ${inTimeRange(tx, query.filter)} ${all}
          limit ${SEARCH_MAX + 1}
        ) counted
      ) as messages,
      (select count(*) from (${firstOfAll(tx, query, SAMPLE)}) m where true ${all}) as near`;
  return width ?? { messages: 0, near: 0 };
}

const firstOfAll = (tx: Tx, { accountId, filter, order }: PageQuery, limit: number): Fragment => tx`
  select m.message_id, m.peer from messages m
  where m.account_id = ${accountId} ${inTimeRange(tx, filter)}
  order by m.message_id ${sqlOrder(tx, order)} limit ${limit}`;

/** Up to this many messages, scanning is faster than counting the phones' other index. */
const WALK_MAX = 16_000;

/**
 * A page of matches that are too many to sort. If so many of all messages match that the page should fill soon,
 * messages are scanned; otherwise, or when it did not fill, its ids are found without the others.
 */
async function readWide(
  tx: Tx,
  matches: Matches,
  { near, ...query }: PageQuery & { near: number },
): Promise<StoredMessage[]> {
  const { accountId, order, offset } = query;
  const limit = Math.min(query.limit, SEARCH_MAX - offset);
  if (limit <= 0) return [];
  // Half as many again as the sample predicts, and some for chance.
  const steps = Math.ceil((1.5 * SAMPLE * (offset + limit)) / near) + SAMPLE;
  if (steps <= WALK_MAX) {
    const ids = tx`
      select m.message_id from (${firstOfAll(tx, query, steps)}) m where true ${matches.all}
      order by m.message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}`;
    const stored = await readMessages(tx, { accountId, ids, order });
    if (stored.length === limit) return stored;
  }
  return readMessages(tx, { accountId, ids: matches.at({ offset, limit }), order });
}

/** For `pageAmong`: the first 10,000 messages of a larger number of matches. */
const firstIds = (tx: Tx, { at }: Matches): Fragment =>
  tx`select array(${at({ offset: 0, limit: SEARCH_MAX })}) as ids, false as is_all`;

/** The bounds exclude months without matches, each of which would be sorted as a whole first. */
const amongFirst = (tx: Tx): Fragment => tx`
  and m.message_id >= (select id from f, unnest(ids) as u(id) order by id limit 1)
  and m.message_id <= (select id from f, unnest(ids) as u(id) order by id desc limit 1)
  and m.message_id = any ((select ids from f)::uuid[])`;
