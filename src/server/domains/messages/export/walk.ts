import { idFloor } from '#contract/base/ids.ts';
import {
  FIRST_ID,
  type MessageFilter,
  dayStartMs,
  matchesFilter,
  readAsAccount,
} from '#server/domains/messages/history/pages.ts';
import { type SortOrder, sqlOrder } from '#server/domains/messages/history/rows.ts';
import {
  beginsWith,
  knownOf,
  peersNamed,
  readingsOf,
} from '#server/domains/messages/history/search.ts';
import { matcherOf, wordsIn } from '#server/domains/messages/history/words/words.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** Which messages are walked through, and in which order. */
export type Walk = {
  accountId: string;
  filter: MessageFilter;
  order: SortOrder;
  /** A UUIDv7: only messages before it. */
  before: string;
  /** These alone. */
  chosen: readonly string[] | undefined;
  search: Search | undefined;
};

/** What a search of the table means, without its limit of 10,000 messages. */
export type Search =
  | { by: 'numbers' | 'beginnings'; digits: readonly string[] }
  | { by: 'names and words'; peers: readonly string[]; words: readonly string[] };

/** A name may match this many phones; the table looks at fewer. */
const PEERS_MAX = 10_000;

/** Reads a search as the table reads it. */
export async function searchOf(tx: Tx, accountId: string, typed: string): Promise<Search> {
  const readings = readingsOf(typed);
  if (readings.length === 0) {
    const peers = await peersNamed(tx, accountId, typed, PEERS_MAX);
    return { by: 'names and words', peers, words: wordsIn(typed) };
  }
  const known = await knownOf(tx, accountId, readings);
  return known.length > 0
    ? { by: 'numbers', digits: known }
    : { by: 'beginnings', digits: readings };
}

/** So many messages are looked at in one statement, however few of them match. */
const WINDOW = 1_000;

/** From the first id to before the other. */
type Window = { low: string; high: string };

/**
 * The ids of the messages, in order, some at a time. One window of ids is walked through after the other, each in a
 * transaction of its own: none is long, however rare what matches is, and no more than a window is in memory.
 */
export async function* walkMessages(
  sql: Sql,
  walk: Walk,
): AsyncGenerator<{ ids: readonly string[]; looked: number }> {
  const isNewest = walk.order === 'newest';
  const left: Window = boundsOf(walk);
  for (;;) {
    const { end, ids } = await readAsAccount(sql, walk.accountId, async (tx) => {
      const boundary = await boundaryOf(tx, walk, left);
      const window = { ...left, ...(boundary && { [isNewest ? 'low' : 'high']: boundary }) };
      return { end: boundary, ids: await idsIn(tx, walk, window) };
    });
    yield { ids, looked: walk.chosen?.length ?? WINDOW };
    if (end === undefined) return;
    left[isNewest ? 'high' : 'low'] = end;
  }
}

function boundsOf({ filter: { from, until }, before }: Walk): Window {
  const low = from === undefined ? FIRST_ID : idFloor(dayStartMs(from));
  const high = until === undefined ? before : idFloor(dayStartMs(until));
  return { low, high: high < before ? high : before };
}

/** Messages with the given numbers that one step reads. */
export const countWithNumbers = (
  sql: Sql,
  walk: Walk,
  digits: readonly string[],
): Promise<number> =>
  readAsAccount(sql, walk.accountId, async (tx) => {
    const [found] = await tx<{ count: number }[]>`
      select count(*) from messages m
      where m.account_id = ${walk.accountId} and m.peer = any (${digits}::text[]) ${inWindow(tx, boundsOf(walk))}`;
    return found?.count ?? 0;
  });

const inWindow = (tx: Tx, { low, high }: Window): Fragment =>
  tx`and m.message_id >= ${low}::uuid and m.message_id < ${high}::uuid`;

/** Where the next window ends, towards the others; undefined when it is the last one. */
async function boundaryOf(
  tx: Tx,
  { accountId, chosen, order, search }: Walk,
  left: Window,
): Promise<string | undefined> {
  if (chosen) return undefined;
  const alone = search?.by === 'numbers' ? tx`and m.peer = any (${search.digits}::text[])` : tx``;
  // Of the newest the last id of the window, of the oldest the first one behind it: it begins there, or ends before.
  const skipped = order === 'newest' ? WINDOW - 1 : WINDOW;
  const [found] = await tx<{ id: string }[]>`
    select m.message_id as id from messages m
    where m.account_id = ${accountId} ${inWindow(tx, left)} ${alone}
    order by m.message_id ${sqlOrder(tx, order)} offset ${skipped} limit 1`;
  return found?.id;
}

/** The messages of a window that are meant. */
async function idsIn(tx: Tx, walk: Walk, window: Window): Promise<string[]> {
  const { accountId, chosen, filter, order, search } = walk;
  const where = tx`
    m.account_id = ${accountId} ${inWindow(tx, window)} ${matchesFilter(tx, filter)}
    ${chosen ? tx`and m.message_id = any (${chosen}::uuid[])` : tx``}`;
  const inOrder = tx`order by m.message_id ${sqlOrder(tx, order)}`;
  if (search?.by === 'names and words' && search.words.length > 0) {
    const candidates = await tx<Candidate[]>`
      select m.message_id as id, m.peer = any (${search.peers}::text[]) as "isNamed",
        message_text(m.type, m.body) as text
      from messages m where ${where} ${inOrder}`;
    const matches = matcherOf(search.words);
    return candidates
      .filter(({ isNamed, text }) => isNamed || (text !== null && matches(text)))
      .map(({ id }) => id);
  }
  const found = await tx<{ id: string }[]>`
    select m.message_id as id from messages m
    where ${where} ${search ? peersOf(tx, search) : tx``} ${inOrder}`;
  return found.map(({ id }) => id);
}

type Candidate = { id: string; isNamed: boolean; text: string | null };

/** `and` the phones that a search means. */
function peersOf(tx: Tx, search: Search): Fragment {
  if (search.by === 'names and words') return tx`and m.peer = any (${search.peers}::text[])`;
  const { by, digits } = search;
  return by === 'numbers'
    ? tx`and m.peer = any (${digits}::text[])`
    : tx`and (${beginsWith(tx, tx`m.peer`, digits)})`;
}
