import { normalizePhone } from '#contract/base/phone.ts';
import type { Fragment, Tx } from '#server/infra/postgres/database.ts';
import { type Page, type PageQuery, idsWhere, matchesFilter, inTimeRange } from './pages.ts';
import { readMessages, sqlOrder } from './rows.ts';

/** Matches of a beginning are counted up to here; an interface shows more as "lebih dari" (docs/wire.md#lists). */
export const SEARCH_MAX = 10_000;
/** A name may match this many phones; more are ignored. */
const PEERS_MAX = 100;

/** The matching phones, as a condition on messages `m` in two forms. */
type Peers = {
  /** Answered from the phones' index. */
  few: Fragment;
  /** Hidden from that index: messages are walked in order until a page is full. */
  many: Fragment;
};

/**
 * A page of the messages with the phones that match a search: one whole number, a prefix of numbers, or a
 * prefix of a conversation's name.
 *
 * A whole number and a beginning with up to 10,000 messages are answered from the phones' index; a
 * wider beginning is so common that its newest messages lie close together in time.
 */
export async function searchMessages(tx: Tx, typed: string, query: PageQuery): Promise<Page> {
  const { accountId } = query;
  const digits = digitsOf(typed);
  if (digits === undefined) {
    const peers = await peersNamed(tx, accountId, typed);
    return peers.length === 0 ? { stored: [], total: 0 } : searchPeers(tx, anyOf(tx, peers), query);
  }
  const [known] = await tx`
    select 1 from messages where account_id = ${accountId} and peer = ${digits} limit 1`;
  if (known) return searchOne(tx, digits, query);
  return searchPeers(tx, startingWith(tx, digits), query);
}

/** What was typed as the beginning of a stored number; undefined when it is no number. */
export function digitsOf(typed: string): string | undefined {
  const digits = normalizePhone(typed);
  return /^[0-9]{1,15}$/.test(digits) ? digits : undefined;
}

/** The phones that begin with these digits. */
const startingWith = (tx: Tx, digits: string): Peers => ({
  few: tx`and m.peer ~>=~ ${digits} and m.peer ~<~ ${`${digits}:`}`,
  many: tx`and left(m.peer, ${digits.length}) = ${digits}`,
});

const anyOf = (tx: Tx, peers: readonly string[]): Peers => ({
  few: tx`and m.peer = any (${peers})`,
  many: tx`and m.peer || '' = any (${peers})`,
});

/** Text as the beginning in a `like`. */
export const likeBeginning = (text: string): string => `${text.replace(/[\\%_]/g, '\\$&')}%`;

async function peersNamed(tx: Tx, accountId: string, name: string): Promise<string[]> {
  const found = await tx<{ peer: string }[]>`
    select distinct peer from conversations
    where account_id = ${accountId} and lower(peer_name) like ${likeBeginning(name.toLowerCase())}
    limit ${PEERS_MAX}`;
  return found.map(({ peer }) => peer);
}

/** One phone: its messages lie in order in the index, and all of them are counted. */
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

async function searchPeers(tx: Tx, peers: Peers, query: PageQuery): Promise<Page> {
  const { accountId, filter, order, offset, limit } = query;
  const width = await countUpTo(tx, SEARCH_MAX + 1, query, peers.few);
  if (width > SEARCH_MAX) return searchWide(tx, peers, query);
  const narrowed = isNarrowed(query);
  // Few enough to be sorted; `materialized` keeps the planner from walking all messages in order.
  // The other columns are asked for only where they are needed: 10,000 ids alone come from the index.
  const candidates = tx`
    candidates as materialized (
      select m.message_id ${narrowed ? tx`, m.token_id, m.direction, m.type, m.status` : tx``}
      from messages m
      where m.account_id = ${accountId} ${inTimeRange(tx, filter)} ${peers.few}
    )`;
  const ids = tx`
    with ${candidates}
    select m.message_id from candidates m where true ${matchesFilter(tx, filter)}
    order by m.message_id ${sqlOrder(tx, order)} offset ${offset} limit ${limit}`;
  const stored = await readMessages(tx, { accountId, ids, order });
  if (!narrowed) return { stored, total: width };
  const [count] = await tx<{ total: number }[]>`
    with ${candidates}
    select count(*) as total from candidates m where true ${matchesFilter(tx, filter)}`;
  return { stored, total: count?.total ?? 0 };
}

const isNarrowed = ({ filter: { statuses, direction, type, tokenId } }: PageQuery): boolean =>
  [statuses, direction, type, tokenId].some((value) => value !== undefined);

/** So many messages that the phones' index would be long to sort: the newest lie close together. */
async function searchWide(tx: Tx, peers: Peers, query: PageQuery): Promise<Page> {
  const { accountId, filter, order, offset } = query;
  const total = isNarrowed(query)
    ? await countUpTo(tx, SEARCH_MAX, query, tx`${peers.many} ${matchesFilter(tx, filter)}`)
    : SEARCH_MAX;
  if (offset >= total) return { stored: [], total };
  const ids = idsWhere(tx, query, peers.many);
  return { stored: await readMessages(tx, { accountId, ids, order }), total };
}

async function countUpTo(
  tx: Tx,
  most: number,
  { accountId, filter }: PageQuery,
  also: Fragment,
): Promise<number> {
  const [count] = await tx<{ total: number }[]>`
    select count(*) as total from (
      select 1 from messages m
      where m.account_id = ${accountId} ${inTimeRange(tx, filter)} ${also} limit ${most}
    ) matches`;
  return count?.total ?? 0;
}
