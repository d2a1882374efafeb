import type { LiveKind } from '#contract/events.ts';
import { publicId } from '#contract/base/ids.ts';
import type { MessageType } from '#contract/messages.ts';
import { eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, type Tx, isTransient } from '#server/infra/postgres/database.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { type Body, excerptOf } from './content.ts';

/** Outbox rows published in one transaction; a row may stand for 200 messages. */
const ROWS_MAX = 200;
/** What takes longer is tried row by row, and a row that does is set aside. */
const PUBLISH_MS = 10_000;
/** How often the outbox is looked at without a hint. */
const POLL_MS = 250;
/** Live tabs are told at most once in this long per process (docs/wire.md#live-stream). */
const COALESCE_MS = 20;

type Row = {
  account_id: string;
  outbox_id: string;
  at: Date;
  tries: number;
  kind: LiveKind;
  message_ids: string[] | null;
  token_ids: string[] | null;
  peers: string[] | null;
  statuses: string[] | null;
  data: Record<string, unknown> | null;
};

type Told = {
  kind: LiveKind;
  messageId: string | null;
  tokenId: string | null;
  peer: string | null;
  name: string | null;
  data: Record<string, unknown>;
};

export type Relay = {
  /** Something was written to the outbox: look now. */
  poke: () => void;
  /** Publishes what stands in the outbox now, unless another relay is at it. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

export type RelayDeps = { sql: Sql; log: Log };

/**
 * Starts the relay that publishes the outbox: it gives events their `position` and `conversation_seq`.
 * Any number may run: a lock of the transaction lets one publish at a time.
 *
 * @param onPublished told after COMMIT which accounts have news, at most once in 20 ms.
 */
export function startRelay(
  deps: RelayDeps,
  onPublished: (accountIds: ReadonlySet<string>) => void,
): Relay {
  const news = new Set<string>();
  let notifyTimer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const tell = () => {
    notifyTimer = undefined;
    onPublished(new Set(news));
    news.clear();
  };
  const drain = async () => {
    for (;;) {
      const published = await publishSome(deps);
      for (const accountId of published.accounts) news.add(accountId);
      if (news.size > 0) notifyTimer ??= setTimeout(tell, COALESCE_MS);
      if (published.rows < ROWS_MAX) return;
    }
  };
  const work = async () => {
    try {
      do {
        again = false;
        await drain();
      } while (again && !closed);
    } catch (error) {
      if (!isTransient(error)) deps.log.error({ err: error }, 'the outbox cannot be published');
    } finally {
      working = undefined;
    }
  };
  const poke = () => {
    if (closed) return;
    if (working) again = true;
    else working = work();
  };
  const timer = setInterval(poke, POLL_MS);
  return {
    poke,
    drain,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await working;
      if (notifyTimer) {
        clearTimeout(notifyTimer);
        tell();
      }
    },
  };
}

const RELAY_LOCK = 7_206_217;

/** A row that could not be published, and why. */
type Broken = { row: Row; error: unknown };

type Published = { rows: number; accounts: string[]; broken: readonly Broken[] };

/** Publishes the oldest rows. One that cannot be is set aside and reported: it holds up no other. */
async function publishSome({ sql, log }: RelayDeps): Promise<Published> {
  const done = await sql
    .begin((tx) => publishBatch(tx, publish))
    .catch((error: unknown) => {
      if (isTransient(error)) throw error;
      return sql.begin((tx) => publishBatch(tx, publishEach));
    });
  for (const { row, error } of done.broken) {
    const { account_id: account, kind, tries } = row;
    log.error({ err: error, account, kind, tries }, 'an event cannot be published');
  }
  return done;
}

/** Publishes rows of one account and answers those that cannot be; or throws, and nothing is published. */
type Publish = (tx: Tx, accountId: string, rows: readonly Row[]) => Promise<readonly Broken[]>;

/** Row by row where it must be: in parts that are undone by themselves. */
const publishEach: Publish = async (tx, accountId, rows) => {
  const failed = await eachByItself(rows, (some) =>
    tx
      .savepoint((inner) => publish(inner, accountId, some))
      .catch((error: unknown) => {
        throw isTimeout(error) ? new Error('publishing takes too long', { cause: error }) : error;
      }),
  );
  return failed.map(({ item, error }) => ({ row: item, error }));
};

/** The database ended a statement that took too long: that may be the fault of one row. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '57014';

async function publishBatch(tx: Tx, publishRows: Publish): Promise<Published> {
  const [lock] = await tx<{ mine: boolean }[]>`
    select pg_try_advisory_xact_lock(${RELAY_LOCK}) as mine,
      set_config('statement_timeout', ${String(PUBLISH_MS)}, true)`;
  if (!lock?.mine) return { rows: 0, accounts: [], broken: [] };
  // By the database's clock: what was committed before something else began comes first.
  const rows = await tx<Row[]>`
    with gone as (
      delete from outbox where (account_id, outbox_id) in (
        select account_id, outbox_id from outbox
        where retry_at is null or retry_at <= clock_timestamp() order by at limit ${ROWS_MAX}
      ) returning *
    )
    select * from gone order by at, outbox_id`;
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  // In account order: two relays that hand over never wait for each other crosswise.
  const accounts = [...byAccount.keys()].toSorted();
  const broken: Broken[] = [];
  for (const accountId of accounts) {
    broken.push(...(await publishRows(tx, accountId, byAccount.get(accountId) ?? [])));
  }
  for (const { row } of broken) await setAside(tx, row);
  return { rows: rows.length, accounts, broken };
}

/** Puts a row back for a later try: after 2 s, then twice as long each time, up to an hour. */
async function setAside(tx: Tx, row: Row): Promise<void> {
  await tx`
    insert into outbox (account_id, outbox_id, at, kind, message_ids, token_ids, peers, statuses,
      data, tries, retry_at)
    values (${row.account_id}, ${row.outbox_id}, ${row.at}, ${row.kind}, ${row.message_ids},
      ${row.token_ids}, ${row.peers}, ${row.statuses}, ${row.data && tx.json(row.data as never)},
      ${row.tries + 1},
      clock_timestamp() + interval '1 second' * least(3600, 2 ^ least(${row.tries} + 1, 12)))`;
}

async function publish(tx: Tx, accountId: string, rows: readonly Row[]): Promise<Broken[]> {
  const [previews, saldo] = await Promise.all([
    previewsOf(tx, accountId, rows),
    saldoOf(tx, accountId, rows),
  ]);
  const told = rows.flatMap((row) => toldBy(row, previews));
  if (saldo) told.push({ ...silent, kind: 'saldo.changed', data: saldo });
  await tx`select publish_events(
    ${accountId},
    ${told.map((event) => event.kind)}::text[],
    ${told.map((event) => event.messageId)}::uuid[],
    ${told.map((event) => event.tokenId)}::uuid[],
    ${told.map((event) => event.peer)}::text[],
    ${told.map((event) => event.name)}::text[],
    ${told.map((event) => JSON.stringify(event.data))}::text[]::jsonb[]
  )`;
  return [];
}

const silent = { messageId: null, tokenId: null, peer: null, name: null };

/** The events of an outbox row: one per message, or the one it names. */
function toldBy(row: Row, previews: ReadonlyMap<string, string>): Told[] {
  if (row.kind === 'saldo.changed') return [];
  if (!row.message_ids) return [{ ...silent, kind: row.kind, data: row.data ?? {} }];
  const received = row.kind === 'message.received';
  const told = row.data?.['peer_name'];
  const name = received && typeof told === 'string' && told !== '' ? told : null;
  return row.message_ids.map((messageId, index) => {
    const tokenId = row.token_ids?.[index] ?? '';
    const peer = row.peers?.[index] ?? '';
    const data = {
      id: publicId('message', messageId),
      token_id: publicId('token', tokenId),
      peer,
      direction: received ? 'in' : 'out',
      status: row.statuses?.[index] ?? '',
      ...(received && { peer_name: name, preview: previews.get(messageId) ?? '' }),
    };
    return { kind: row.kind, messageId, tokenId, peer, name, data };
  });
}

/** The saldo as it stands, when rows tell of it: one that was set aside carries the saldo of its own time. */
async function saldoOf(
  tx: Tx,
  accountId: string,
  rows: readonly Row[],
): Promise<Told['data'] | undefined> {
  if (!rows.some((row) => typeof row.data?.['available'] === 'number')) return undefined;
  const [saldo] = await tx<{ available: number; held: number }[]>`
    select available, held from wallets where account_id = ${accountId}`;
  return saldo;
}

async function previewsOf(
  tx: Tx,
  accountId: string,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, string>> {
  const ids = rows.flatMap((row) =>
    row.kind === 'message.received' ? (row.message_ids ?? []) : [],
  );
  if (ids.length === 0) return new Map();
  const found = await tx<{ message_id: string; type: MessageType; body: Body }[]>`
    select message_id, type, body
    from messages where account_id = ${accountId} and message_id = any(${ids}::uuid[])`;
  return new Map(found.map(({ message_id, type, body }) => [message_id, excerptOf(type, body)]));
}
