import type { InputOf } from '#contract/base/act.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { publicId } from '#contract/base/ids.ts';
import type { exportMessages } from '#contract/exports/exports.ts';
import { failures } from '#contract/messages/history/failure-sentences.ts';
import { directionLabel, messageStatusLabel, messageTypeLabel } from '#contract/messages.ts';
import { wholeTextOf } from '#server/domains/messages/content.ts';
import { filterOf } from '#server/domains/messages/history/history.ts';
import { pageOf, readAsAccount } from '#server/domains/messages/history/pages.ts';
import {
  type StoredMessage,
  costOf,
  failureOf,
  readMessages,
} from '#server/domains/messages/history/rows.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import type { OpenedRows, RowRequest, RowSource } from '#server/infra/sheets/row-source.ts';
import type { Cell, Column } from '#server/infra/sheets/table.ts';
import { type Walk, countWithNumbers, searchOf, walkMessages } from './walk.ts';

/**
 * Rows that are held at once. Of fifty and more most outlive the collections of young objects, which a query is long enough
 * for: the process grew by 140 MB at 300,000 rows. Of these it grows by 15, at two thirds of the speed
 * (`npm run bench:export`).
 */
const ROWS_AT_ONCE = 25;

type Params = Omit<InputOf<typeof exportMessages>, 'format'>;

/** The messages of an account as rows of a file: all that the filters of the table let through. */
export const messageRows: RowSource<Params> = {
  fileName: 'pesan-kabari',
  check: async () => undefined,
  open: openMessages,
};

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

/** Those of `stateCells`. */
const stateColumns: readonly Column[] = [
  { title: 'Status', width: 12 },
  { title: 'Alasan gagal', width: 40 },
  { title: 'Biaya (Rp)', width: 11 },
];

const idColumn: Column = { title: 'Id pesan', width: 32 };

/** Those of `timeCells`. */
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
  const { q, message_ids: chosen, sort_type, ...fields } = params;
  const walk: Walk = {
    accountId,
    filter: filterOf(fields),
    order: sort_type === 'asc' ? 'oldest' : 'newest',
    before: requestId,
    chosen,
    search: q ? await readAsAccount(sql, accountId, (tx) => searchOf(tx, accountId, q)) : undefined,
  };
  return {
    columns: columnsOf(zoneName),
    total: chosen?.length ?? (await lookedAt(sql, walk)),
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

/** About how many messages are walked through: all of the filter's days, or those with one number. */
async function lookedAt(sql: Sql, walk: Walk): Promise<number> {
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

/** Status, reason and cost. */
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

/** When messages left, arrived, and were read. */
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

/** What became of a campaign's messages, as its results say it. */
export const outcomeColumns = (zone: string): readonly Column[] => [
  ...stateColumns,
  idColumn,
  ...timeColumns(zone),
];

/** The cells of `outcomeColumns`, by the messages' ids. */
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
