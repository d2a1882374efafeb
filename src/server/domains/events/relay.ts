import { eachByItself } from '#server/infra/postgres/batches.ts';
import { type Sql, type Tx, isTransient } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { type Enrichers, type OutboxRow, eventsOf } from './enrich.ts';
import { notifyLive } from './notify.ts';

/** Outbox rows published in one transaction; a row may stand for 200 messages. */
const ROWS_MAX = 200;
/** What takes longer is tried row by row, and a row that does is set aside. */
const PUBLISH_MS = 10_000;
/** How often the outbox is looked at without a hint. */
const POLL_MS = 250;
/** Open tabs are notified at most once in this long per process (docs/wire.md#live-stream). */
const COALESCE_MS = 20;

type Row = OutboxRow & { accountId: string; outboxId: string; at: Date; tries: number };

export type Relay = {
  /** Something was written to the outbox: look now. */
  wake: () => void;
  /** Publishes what stands in the outbox now, unless another relay is at it. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

export type RelayDeps = { sql: Sql; log: Log; enrichers: Enrichers };

/**
 * Starts the relay that publishes the outbox: it gives events their `position` and `conversation_seq`.
 * Any number may run: a lock of the transaction lets one publish at a time.
 *
 * After COMMIT, at most once in 20 ms, every process is notified whose events have grown.
 *
 * @param onPublished called at the same moment, in this process.
 */
export function startRelay(
  deps: RelayDeps,
  onPublished: (accountIds: ReadonlySet<string>) => void = () => undefined,
): Relay {
  const news = new Set<string>();
  let notifyTimer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let again = false;
  let closed = false;

  const notify = async () => {
    notifyTimer = undefined;
    const accounts = new Set(news);
    news.clear();
    onPublished(accounts);
    await notifyLive(deps.sql, accounts).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'open tabs were not notified'),
    );
  };
  const drain = async () => {
    for (;;) {
      const published = await publishSome(deps);
      for (const accountId of published.accounts) news.add(accountId);
      if (news.size > 0) notifyTimer ??= setTimeout(() => void notify(), COALESCE_MS);
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
  const wake = () => {
    if (closed) return;
    if (working) again = true;
    else working = work();
  };
  const timer = setInterval(wake, POLL_MS);
  return {
    wake,
    drain,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await working;
      if (notifyTimer) {
        clearTimeout(notifyTimer);
        await notify();
      }
    },
  };
}

const RELAY_LOCK = 7_206_217;

/** A row that could not be published, and why. */
type Broken = { row: Row; error: unknown };

type Published = { rows: number; accounts: string[]; broken: readonly Broken[] };

/** Publishes the oldest rows. One that cannot be is set aside and reported: it holds up no other. */
async function publishSome({ sql, log, enrichers }: RelayDeps): Promise<Published> {
  const publish = publisher(enrichers);
  const done = await sql
    .begin((tx) => publishBatch(tx, publish))
    .catch((error: unknown) => {
      if (isTransient(error)) throw error;
      return sql.begin((tx) => publishBatch(tx, eachWith(publish)));
    });
  for (const { row, error } of done.broken) {
    const { accountId: account, kind, tries } = row;
    log.error({ err: error, account, kind, tries }, 'an event cannot be published');
  }
  return done;
}

/** Publishes rows of one account and answers those that cannot be; or throws, and nothing is published. */
type Publish = (tx: Tx, accountId: string, rows: readonly Row[]) => Promise<readonly Broken[]>;

/** Row by row where it must be: in parts that are undone by themselves. */
const eachWith =
  (publish: Publish): Publish =>
  async (tx, accountId, rows) => {
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
    select account_id as "accountId", outbox_id as "outboxId", at, tries, kind,
      message_ids as "messageIds", token_ids as "tokenIds", peers, statuses, data
    from gone order by at, outbox_id`;
  const byAccount = Map.groupBy(rows, (row) => row.accountId);
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
    values (${row.accountId}, ${row.outboxId}, ${row.at}, ${row.kind}, ${row.messageIds},
      ${row.tokenIds}, ${row.peers}, ${row.statuses}, ${row.data && json(row.data)},
      ${row.tries + 1},
      clock_timestamp() + interval '1 second' * least(3600, 2 ^ least(${row.tries} + 1, 12)))`;
}

const publisher =
  (enrichers: Enrichers): Publish =>
  async (tx, accountId, rows) => {
    const events = await eventsOf(tx, enrichers, { accountId, rows });
    await tx`select publish_events(
      ${accountId},
      ${events.map(({ kind }) => kind)}::text[],
      ${events.map(({ message }) => message?.messageId ?? null)}::uuid[],
      ${events.map(({ message }) => message?.tokenId ?? null)}::uuid[],
      ${events.map(({ message }) => message?.peer ?? null)}::text[],
      ${events.map(({ message }) => message?.name ?? null)}::text[],
      ${events.map(({ data }) => json(data))}::jsonb[]
    )`;
    return [];
  };
