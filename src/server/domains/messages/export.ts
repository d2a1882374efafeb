import type { InputOf } from '#contract/base/act.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { publicId, idFloor } from '#contract/base/ids.ts';
import type { exportMessages } from '#contract/exports.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { failures } from '#contract/messages/failures.ts';
import { directionLabel, messageStatusLabel, messageTypeLabel } from '#contract/messages.ts';
import { wholeTextOf } from '#server/domains/messages/content.ts';
import { filterOf } from '#server/domains/messages/history/history.ts';
import {
  pageOf,
  readAsAccount,
  FIRST_ID,
  type MessageFilter,
  dayStartMs,
  matchesFilter,
} from '#server/domains/messages/history/pages.ts';
import {
  type StoredMessage,
  costOf,
  failureOf,
  readMessages,
  type SortOrder,
  sqlOrder,
} from '#server/domains/messages/history/rows.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import type { Sql, Tx, Fragment } from '#server/infra/postgres/database.ts';
import type { OpenedRows, RowRequest, RowSource } from '#server/infra/sheets/row-source.ts';
import type { Cell, Column } from '#server/infra/sheets/table.ts';
import {
  beginsWith,
  knownOf,
  peersNamed,
  readingsOf,
} from '#server/domains/messages/history/search.ts';
import { matcherOf, messageText, wordsIn } from '#server/domains/messages/history/words.ts';

/**
 * Rows in memory at once. With fifty and more, most survive young-generation garbage collections during a query: the
 * process grew by 140 MB at 300,000 rows. With this number it grows by 15, at two thirds of the speed (`npm run
 * bench:export`).
 */
const ROWS_AT_ONCE = 25;

type Params = Omit<InputOf<typeof exportMessages>, 'format'>;

/** The messages of an account as rows of a file: all that match the filters of the table. */
export const messageRows: RowSource<Params> = {
  fileName: 'pesan-kabari',
  check: requireOwn,
  open: openMessages,
};

/** @throws Refusal `not_found` for a token, or a selected message, that is not the account's. */
function requireOwn(
  accountId: string,
  { token_id: tokenId, message_ids: ids }: Params,
  sql: Sql,
): Promise<void> {
  return readAsAccount(sql, accountId, async (tx) => {
    if (tokenId !== undefined) await requireToken(tx, accountId, tokenId, { alsoDeleted: true });
    if (ids === undefined) return;
    const messageIds = [...new Set(ids)];
    const found = await tx`
      select from messages where account_id = ${accountId} and message_id = any (${messageIds}::uuid[])`;
    if (found.length < messageIds.length) throw new Refusal('not_found', { what: 'Pesan' });
  });
}

const columnsOf = (zone: string): readonly Column[] => [
  { title: `Waktu (${zone})`, width: 20 },
  { title: 'Arah', width: 8 },
  { title: 'Nomor', width: 18 },
  { title: 'Nama', width: 22 },
  { title: 'Token', width: 18 },
  { title: 'Jenis', width: 12 },
  { title: 'Isi', width: 60 },
  ...stateColumns,
  { title: 'Referensi', width: 20 },
  idColumn,
  ...timeColumns(zone),
];

const stateColumns: readonly Column[] = [
  { title: 'Status', width: 12 },
  { title: 'Alasan gagal', width: 40 },
  { title: 'Biaya (Rp)', width: 11 },
];

const idColumn: Column = { title: 'Id pesan', width: 32 };

const timeColumns = (zone: string): readonly Column[] => [
  { title: `Terkirim (${zone})`, width: 20 },
  { title: `Sampai (${zone})`, width: 20 },
  { title: `Dibaca (${zone})`, width: 20 },
];

async function openMessages({
  sql,
  accountId,
  params,
  requestId,
  zoneName,
}: RowRequest<Params>): Promise<OpenedRows> {
  const { q, message_ids: selection, sort_type, ...fields } = params;
  const walk: Walk = {
    accountId,
    filter: filterOf(fields),
    order: sort_type === 'asc' ? 'oldest' : 'newest',
    before: requestId,
    chosen: selection,
    search: q ? await readAsAccount(sql, accountId, (tx) => searchOf(tx, accountId, q)) : undefined,
  };
  return {
    columns: columnsOf(zoneName),
    total: selection?.length ?? (await countToScan(sql, walk)),
    batches: async function* () {
      for await (const { ids, looked } of walkMessages(sql, walk)) {
        yield { rows: [], looked };
        for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
          const some = ids.slice(from, from + ROWS_AT_ONCE);
          yield { rows: await readRows(sql, walk, some), looked: 0 };
        }
      }
    },
  };
}

/** Approximate number of messages to scan: all of the filter's days, or those with one number. */
async function countToScan(sql: Sql, walk: Walk): Promise<number> {
  const {
    accountId,
    filter: { from, until },
    order,
    search,
  } = walk;
  if (search?.by === 'numbers') return countWithNumbers(sql, walk, search.digits);
  const query = { accountId, filter: { from, until }, order, offset: 0, limit: 1 };
  const { total } = await readAsAccount(sql, accountId, (tx) => pageOf(tx, query));
  return total;
}

const readRows = (
  sql: Sql,
  { accountId, order }: Walk,
  ids: readonly string[],
): Promise<Cell[][]> =>
  readAsAccount(sql, accountId, async (tx) => {
    const [stored, times] = await Promise.all([
      readMessages(tx, {
        accountId,
        order,
        ids: tx`select message_id from unnest(${ids}::uuid[]) as i(message_id)`,
      }),
      timesOf(tx, accountId, ids),
    ]);
    return stored.map((message) => cellsOf(message, times.get(message.message_id)));
  });

type Times = { sent: Date | null; delivered: Date | null; read: Date | null };

const cellsOf = (message: StoredMessage, times: Times | undefined): Cell[] => [
  message.created_at,
  directionLabel[message.direction],
  shownPeer(message.peer),
  message.peer_name,
  message.token_name,
  messageTypeLabel[message.type],
  wholeTextOf(message.type, message.body),
  ...stateCells(message),
  message.ref,
  publicId('message', message.message_id),
  ...timeCells(times),
];

function stateCells(message: StoredMessage): Cell[] {
  const failure = failureOf(message);
  return [
    messageStatusLabel[message.status],
    failure && failures[failure],
    message.direction === 'out' ? costOf(message) : null,
  ];
}

const timeCells = (times: Times | undefined): Cell[] => [
  times?.sent ?? null,
  times?.delivered ?? null,
  times?.read ?? null,
];

async function timesOf(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Times>> {
  const found = await tx<(Times & { id: string })[]>`
    select message_id as id, max(at) filter (where kind = 'sent') as sent,
      max(at) filter (where kind = 'delivered') as delivered, max(at) filter (where kind = 'read') as read
    from message_events
    where account_id = ${accountId} and message_id = any (${ids}::uuid[])
      and kind in ('sent', 'delivered', 'read')
    group by message_id`;
  return new Map(found.map(({ id, ...times }) => [id, times]));
}

export const outcomeColumns = (zone: string): readonly Column[] => [
  ...stateColumns,
  idColumn,
  ...timeColumns(zone),
];

export async function outcomeCellsOf(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly Cell[]>> {
  const [stored, times] = await Promise.all([
    readMessages(tx, {
      accountId,
      order: 'newest',
      ids: tx`select distinct message_id from unnest(${ids}::uuid[]) as i(message_id)`,
    }),
    timesOf(tx, accountId, ids),
  ]);
  return new Map(
    stored.map((message) => [
      message.message_id,
      [
        ...stateCells(message),
        publicId('message', message.message_id),
        ...timeCells(times.get(message.message_id)),
      ],
    ]),
  );
}

export type Walk = {
  accountId: string;
  filter: MessageFilter;
  order: SortOrder;
  /** A UUIDv7: only messages before it. */
  before: string;
  chosen: readonly string[] | undefined;
  search: Search | undefined;
};

/** A parsed search of the table, without its limit of 10,000 messages. */
type Search =
  | { by: 'numbers' | 'beginnings'; digits: readonly string[] }
  | { by: 'names and words'; peers: readonly string[]; words: readonly string[] };

/** A name may match this many phones; the table reads fewer. */
const PEERS_MAX = 10_000;

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

/** Messages scanned in one statement, regardless of how few match. */
const WINDOW = 1_000;

type Window = { low: string; high: string };

/**
 * The ids of the messages, in order, in batches. Each window of ids is scanned in its own transaction: none is long
 * even for rare matches, and only one window is in memory.
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

const countWithNumbers = (sql: Sql, walk: Walk, digits: readonly string[]): Promise<number> =>
  readAsAccount(sql, walk.accountId, async (tx) => {
    const [found] = await tx<{ count: number }[]>`
      select count(*) from messages m
      where m.account_id = ${walk.accountId} and m.peer = any (${digits}::text[]) ${inWindow(tx, boundsOf(walk))}`;
    return found?.count ?? 0;
  });

const inWindow = (tx: Tx, { low, high }: Window): Fragment =>
  tx`and m.message_id >= ${low}::uuid and m.message_id < ${high}::uuid`;

async function boundaryOf(
  tx: Tx,
  { accountId, chosen, order, search }: Walk,
  left: Window,
): Promise<string | undefined> {
  if (chosen) return undefined;
  const alone = search?.by === 'numbers' ? tx`and m.peer = any (${search.digits}::text[])` : tx``;
  // Newest first: the last id of the window, which begins there. Oldest first: the first id behind it, as the end is
  // exclusive.
  const skipped = order === 'newest' ? WINDOW - 1 : WINDOW;
  const [found] = await tx<{ id: string }[]>`
    select m.message_id as id from messages m
    where m.account_id = ${accountId} ${inWindow(tx, left)} ${alone}
    order by m.message_id ${sqlOrder(tx, order)} offset ${skipped} limit 1`;
  return found?.id;
}

async function idsIn(tx: Tx, walk: Walk, window: Window): Promise<string[]> {
  const { accountId, chosen, filter, order, search } = walk;
  const where = tx`
    m.account_id = ${accountId} ${inWindow(tx, window)} ${matchesFilter(tx, filter)}
    ${chosen ? tx`and m.message_id = any (${chosen}::uuid[])` : tx``}`;
  const inOrder = tx`order by m.message_id ${sqlOrder(tx, order)}`;
  if (search?.by === 'names and words' && search.words.length > 0) {
    const candidates = await tx<Candidate[]>`
      select m.message_id as id, m.peer = any (${search.peers}::text[]) as "isNamed",
        ${messageText(tx)} as text
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

function peersOf(tx: Tx, search: Search): Fragment {
  if (search.by === 'names and words') return tx`and m.peer = any (${search.peers}::text[])`;
  const { by, digits } = search;
  return by === 'numbers'
    ? tx`and m.peer = any (${digits}::text[])`
    : tx`and (${beginsWith(tx, tx`m.peer`, digits)})`;
}
