import { events, type LiveEvent } from '#contract/events.ts';
import {
  type ActHandler,
  handleStream,
  type FrameSink,
  type Subscription,
} from '#server/infra/acts.ts';
import { type AccountData, eraseRows, untilNone } from '#server/infra/account-data.ts';
import { type Sql, type Tx, isTransient, asAccount } from '#server/infra/postgres/database.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { randomUUID } from 'node:crypto';
import type { Listener, ListenerOptions } from '#server/infra/postgres/driver/listener.ts';
import {
  Feeds,
  type EventRow,
  type Position,
  type Shown,
  readPages,
  signalFrame,
} from './feeds.ts';
import { noteWork, pollEvery } from '#server/infra/polling.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';

/** Polling interval, and so the delay that a lost hint causes, in milliseconds. */
const LOOK_MS = 5_000;
/** A slow shared read would delay all streams, so it is abandoned and retried. */
const READ_MS_MAX = 5_000;
const SIGNAL = '~';
const UUID_LENGTH = 36;
/** A position after every possible event. */
const END_POSITION = Number.MAX_SAFE_INTEGER;

type Deps = {
  tenantSql: Sql;
  /** Reads new events of all accounts followed here, for all their streams. */
  allAccountsSql: Sql;
  openListening: (
    handlers: Pick<ListenerOptions, 'channel' | 'onNotification' | 'onListening' | 'onLost'>,
  ) => Listener;
  /** Whether streams of an account receive a kind of event; without it, all kinds. */
  isShown?: (accountId: string, kind: string) => boolean;
  report: (trouble: unknown) => void;
  tracing?: Tracing | undefined;
};

export type LiveHub = {
  /**
   * Writes the account's events after `since` to a sink, then new ones as they come.
   *
   * Without `since`, or when too much was missed, the first frame is a `reset` at the newest position.
   */
  follow(options: { accountId: string; since: number | undefined; sink: FrameSink }): Subscription;
  /**
   * Sends an unstored event to the account's current followers in every process. A follower that is disconnected, or
   * whose sink is full, misses it.
   */
  signal(accountId: string, event: LiveEvent): Promise<void>;
  readonly following: number;
  /** True while hints arrive; without them events appear within five seconds. */
  readonly isListening: boolean;
  /** Ends all streams; resolves when no read is in progress, after three seconds at most. */
  close(): Promise<void>;
};

/** Opens the hub: one LISTEN connection and one shared read, for any number of streams. */
export function openLive(deps: Deps): LiveHub {
  const { tenantSql, allAccountsSql, isShown = () => true, report, tracing } = deps;
  const shown = { isShown, report };
  const readShared = (positions: readonly Position[]) =>
    readPages(allAccountsSql, positions, tracing ? withTracing(tracing, shown) : shown);
  const feeds = new Feeds({
    readShared: (positions) => withTimeout(readShared(positions), READ_MS_MAX, refuseLate),
    readOwn: async (position) => {
      const [page] = await asAccount(tenantSql, position.accountId, (tx) =>
        readPages(tx, [position], shown),
      );
      if (!page) throw new Error('no page');
      return page;
    },
    report,
  });
  const listener = createListener(deps, (payload) => {
    if (payload === '*') feeds.hintAll();
    else if (payload.startsWith(SIGNAL)) handleSignal(feeds, payload, report);
    else for (const accountId of payload.split(',')) feeds.hint(accountId);
  });
  /** Finds events without a hint: after a dropped LISTEN, or a failed read. */
  const look = async () => {
    const known = feeds.positions();
    if (known.length === 0) return;
    const accountsWithNews = await allAccountsSql<{ account_id: string }[]>`
      select account_id
      from unnest(
        ${known.map(({ accountId }) => accountId)}::uuid[],
        ${known.map(({ since }) => since)}::bigint[]
      ) as f(account_id, since)
      join event_positions p using (account_id)
      where p.last > f.since`;
    for (const { account_id } of accountsWithNews) feeds.hint(account_id);
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    Promise.all([listener.check(), look()])
      .catch(report)
      .finally(() => (looking = false));
  }, LOOK_MS);
  timer.unref();

  return {
    follow: ({ accountId, since = END_POSITION, sink }) => feeds.follow({ accountId, since }, sink),
    async signal(accountId, event) {
      await allAccountsSql`
        select pg_notify(${LIVE_CHANNEL}, ${SIGNAL + accountId + JSON.stringify(event)})`;
    },
    get following() {
      return feeds.size;
    },
    get isListening() {
      return listener.isListening;
    },
    async close() {
      clearInterval(timer);
      // Reads in progress end first, because their pools close next.
      await feeds.close();
      await listener.close();
    },
  };
}

/** Traces the messages whose events were read; they are written right after. */
function withTracing(tracing: Tracing, shown: Shown): Shown {
  const began = performance.now();
  return {
    ...shown,
    onRead: (rows: readonly EventRow[]) => {
      const steps = rows.flatMap(({ message_id: messageId, kind, status }) =>
        messageId === null ? [] : [stepOf({ messageId, kind, status })],
      );
      tracing.did({ operation: 'live', began, steps });
    },
  };
}

function handleSignal(feeds: Feeds, payload: string, report: Deps['report']): void {
  const words = payload.slice(SIGNAL.length);
  try {
    feeds.signal(words.slice(0, UUID_LENGTH), signalFrame(JSON.parse(words.slice(UUID_LENGTH))));
  } catch (error) {
    report(error);
  }
}

function refuseLate(): never {
  throw new Error('reading new events took too long');
}

/**
 * The LISTEN connection; it reconnects when it is lost. A connection may stay open and receive nothing, so it
 * notifies itself and is replaced when the notification does not arrive.
 */
function createListener(
  { openListening, allAccountsSql }: Deps,
  hinted: (payload: string) => void,
) {
  const self = `!${randomUUID()}`;
  let isListening = false;
  let hasEcho = false;
  const listener = openListening({
    channel: LIVE_CHANNEL,
    onNotification: (payload) => {
      if (payload === self) hasEcho = true;
      else if (!payload.startsWith('!')) hinted(payload);
    },
    onListening: () => {
      isListening = true;
      hasEcho = true;
      hinted('*');
    },
    onLost: () => (isListening = false),
  });
  return {
    async check() {
      if (!hasEcho) listener.restart();
      hasEcho = false;
      await allAccountsSql`select pg_notify(${LIVE_CHANNEL}, ${self})`;
    },
    get isListening() {
      return isListening;
    },
    close: () => listener.close(),
  };
}

/** On this channel publish_outbox notifies every process, at COMMIT, of the accounts with new events. */
export const LIVE_CHANNEL = 'kabari_live';

/**
 * Outbox rows published in one transaction; a row may hold 200 messages. Their accounts are listed in one NOTIFY of
 * 8,000 bytes at most, 37 each: no more than 216.
 */
const ROWS_MAX = 200;
/** Polling interval of the outbox without a hint, in milliseconds. */
const POLL_MS = 250;
/** Rows arriving within this time notify open tabs once (docs/wire.md#live-stream). */
const GATHER_MS = 60;
/** The same under load: a longer wait spreads the cost of publishing over more rows. */
const BUSY_GATHER_MS = 100;
/** From this number of rows in the last batch on, the relay is under load. */
const BUSY_ROWS = 8;
/** After a pause, the first rows wait only this long for others. */
const PAUSE_MS = 4;

export type Relay = {
  wake: () => void;
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

type RelayDeps = {
  sql: Sql;
  log: Log;
  tracing?: Tracing | undefined;
};

/**
 * Starts the relay that publishes the outbox: it gives events their `position` and `conversation_seq`. Several may
 * run: a lock of the transaction lets one publish at a time. At COMMIT every process is notified of the accounts
 * with new events.
 *
 * @param onPublished called after each COMMIT, in this process.
 */
export function startRelay(
  deps: RelayDeps,
  onPublished: (published: Published) => void = () => undefined,
): Relay {
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let rerun = false;
  let closed = false;
  let beganAt = -Infinity;
  let lastRows = 0;
  const drain = async () => {
    const { tracing } = deps;
    for (;;) {
      const began = performance.now();
      const published = await publishBatch(deps);
      lastRows = published.rows;
      if (published.rows > 0) noteWork();
      if (published.accounts.size > 0) onPublished(published);
      if (tracing && published.rows > 0) {
        await tracePublished({ ...deps, tracing }, began, published.ranges);
      }
      if (published.rows < ROWS_MAX) return;
    }
  };
  const work = async () => {
    timer = undefined;
    rerun = false;
    beganAt = performance.now();
    await drain().catch((error: unknown) => {
      if (!isTransient(error)) deps.log.error({ err: error }, 'the outbox cannot be published');
    });
    working = undefined;
    if (rerun) wake();
  };
  const gatherMs = () => (lastRows >= BUSY_ROWS ? BUSY_GATHER_MS : GATHER_MS);
  const wake = () => {
    if (closed) return;
    if (working) rerun = true;
    else {
      timer ??= setTimeout(
        () => {
          working = work();
        },
        Math.max(PAUSE_MS, beganAt + gatherMs() - performance.now()),
      );
    }
  };
  const stopPolling = pollEvery(POLL_MS, wake);
  return {
    wake,
    drain,
    close: async () => {
      closed = true;
      stopPolling();
      clearTimeout(timer);
      await working;
    },
  };
}

type Published = {
  rows: number;
  accounts: ReadonlySet<string>;
  hasReceived: boolean;
  ranges: readonly PublishedRange[];
};

/** Publishes the oldest rows. A row that fails is set aside and reported, and delays no other. */
async function publishBatch(deps: RelayDeps): Promise<Published> {
  try {
    return await publish(deps.sql, { max: ROWS_MAX });
  } catch (error) {
    if (isTransient(error)) throw error;
    return publishEach(deps);
  }
}

type RowFilter = { max: number; accountId?: string; outboxId?: string };

async function publish(sql: Sql, { max, accountId, outboxId }: RowFilter): Promise<Published> {
  const found = await sql<PublishedRow[]>`
    select * from publish_outbox(${max}, ${accountId ?? null}, ${outboxId ?? null})`;
  return {
    rows: found.reduce((sum, { o_rows }) => sum + o_rows, 0),
    accounts: new Set(found.map(({ o_account }) => o_account)),
    hasReceived: found.some(({ o_received }) => o_received),
    ranges: found.map(({ o_account: accountId, o_from: from, o_items }) => ({
      accountId,
      from,
      upTo: from + o_items,
    })),
  };
}

type PublishedRow = {
  o_account: string;
  o_rows: number;
  o_received: boolean;
  o_from: number;
  o_items: number;
};

type Row = { accountId: string; outboxId: string; kind: string; tries: number };

const oldestRows = (sql: Sql) => sql<Row[]>`
  select account_id as "accountId", outbox_id as "outboxId", kind, tries from outbox
  where retry_at is null or retry_at <= clock_timestamp()
  order by at limit ${ROWS_MAX}`;

async function publishEach({ sql, log }: RelayDeps): Promise<Published> {
  const rows = await oldestRows(sql);
  const accounts = new Set<string>();
  let count = 0;
  let hasReceived = false;
  const ranges: PublishedRange[] = [];
  for (const row of rows) {
    const { accountId, outboxId, kind, tries } = row;
    try {
      const published = await publish(sql, { max: 1, accountId, outboxId });
      if (published.rows > 0) accounts.add(accountId);
      count += published.rows;
      hasReceived ||= published.hasReceived;
      ranges.push(...published.ranges);
    } catch (error) {
      if (isTransient(error)) throw error;
      const facts = { account: accountId, event: kind, attempt: tries };
      log.error({ err: error, ...facts }, 'an event cannot be published');
      await setAside(sql, row);
      count += 1;
    }
  }
  return { rows: count, accounts, hasReceived, ranges };
}

/** Postpones a row: by 2 s at first, then twice as long each time, up to an hour. */
async function setAside(sql: Sql, { accountId, outboxId, tries }: Row): Promise<void> {
  await sql`
    update outbox set tries = tries + 1,
      retry_at = clock_timestamp() + interval '1 second' * least(3600, 2 ^ least(${tries} + 1, 12))
    where account_id = ${accountId} and outbox_id = ${outboxId}`;
}

/**
 * The events of an account. They are erased before the records they refer to: erasure waits for a publish in
 * progress, and no new events follow.
 */
export const eventsAccountData = ({ allAccountsSql }: { allAccountsSql: Sql }): AccountData => ({
  erase: async ({ accountId }) => {
    await eraseRows(allAccountsSql, 'outbox', accountId);
    await eraseRows(allAccountsSql, 'events', accountId);
    await eraseRows(allAccountsSql, 'event_positions', accountId);
  },
});

type EventScope = { accountId: string; peers?: readonly string[] };

/** True while the latest events are unpublished. Unpublishable events do not count. */
export async function hasUnpublished(
  allAccountsSql: Sql,
  { accountId, peers }: EventScope,
): Promise<boolean> {
  const among = peers ? [...peers] : null;
  const [waiting] = await allAccountsSql`
    select from outbox where account_id = ${accountId} and tries = 0
      and (${among}::text[] is null or peers && ${among}::text[])
    limit 1`;
  return waiting !== undefined;
}

/** The newest position of every account. */
export const newestPositions = (
  allAccountsSql: Sql,
): Promise<{ accountId: string; position: number }[]> =>
  allAccountsSql<{ accountId: string; position: number }[]>`
    select account_id as "accountId", last as position from event_positions`;

/** The position of an account's newest event; 0 without events. */
export async function positionOf(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx<{ last: number }[]>`
    select last from event_positions where account_id = ${accountId}`;
  return row?.last ?? 0;
}

/** Erases the published events about some numbers. */
export async function eraseEventsAbout(
  allAccountsSql: Sql,
  { accountId, peers }: Required<EventScope>,
): Promise<void> {
  await allAccountsSql`
    delete from events where account_id = ${accountId} and coalesce(peer, data->>'peer') = any(${[...peers]}::text[])`;
}

/** Erases events about another account, such as the operators' events about a customer. */
export async function eraseEventsAboutAccount(
  allAccountsSql: Sql,
  { accountId, about }: { accountId: string; about: string },
): Promise<void> {
  // Waits for a publish in progress.
  await allAccountsSql`
    delete from outbox where account_id = ${accountId} and data->>'account_id' = ${about}`;
  await allAccountsSql`
    delete from events where account_id = ${accountId} and data->>'account_id' = ${about}`;
}

const old = (sql: Sql | Tx) => sql`clock_timestamp() - interval '30 days'`;

/** Deletes events after 30 days, a few thousand rows at a time. */
export async function pruneEvents(allAccountsSql: Sql): Promise<void> {
  // The oldest event of each account shows whether any are due.
  const found = await allAccountsSql<{ accountId: string }[]>`
    select p.account_id as "accountId" from event_positions p cross join lateral (
      select at from events where account_id = p.account_id order by position limit 1
    ) first where first.at < ${old(allAccountsSql)}`;
  for (const { accountId } of found) {
    await untilNone((limit) => deleteOldest(allAccountsSql, accountId, limit));
  }
}

/** Deletes the old ones among an account's first events, in the order of publication. */
export async function deleteOldest(
  sql: Sql | Tx,
  accountId: string,
  limit: number,
): Promise<number> {
  const { count } = await sql`
    delete from events where ctid = any(array(
      select first.ctid from (
        select ctid, at from events where account_id = ${accountId} order by position limit ${limit}
      ) first where first.at < ${old(sql)}))`;
  return count;
}

/** More positions than can be used between a backup and the loss of its database. */
const SKIPPED = 1_000_000_000;

/**
 * In a restored database, skips the positions used since its backup, so that clients mistake no new event for one
 * they have seen, and every open tab refetches.
 *
 * @param owner a pool of the database's owner; no relay runs.
 */
export async function skipPositions(owner: Sql): Promise<void> {
  await owner`update event_positions set last = last + ${SKIPPED}`;
}

export {
  appendEvent,
  checkOutbox,
  countSetAside,
  outboxLagSeconds,
  renameQueuedPeer,
} from './outbox.ts';

export const eventsActs = (hub: LiveHub): readonly ActHandler[] => [
  handleStream(
    events,
    ({ caller: { accountId } }, { since }) =>
      (sink) =>
        hub.follow({ accountId, since, sink }),
  ),
];

/** Positions of one account from one publish call: after `from`, up to and including `upTo`. */
type PublishedRange = { accountId: string; from: number; upTo: number };

type TracePublishedDeps = { sql: Sql; log: Log; tracing: Tracing };

/**
 * Traces the published messages. It reads them again, since publish_outbox does not return them. Errors are only
 * logged.
 *
 * @param began when publishing began, by `performance.now()`.
 */
async function tracePublished(
  { sql, log, tracing }: TracePublishedDeps,
  began: number,
  ranges: readonly PublishedRange[],
): Promise<void> {
  const ended = performance.now();
  try {
    const events = await sql<{ messageId: string; kind: string; status: string | null }[]>`
      select e.message_id as "messageId", e.kind, e.status
      from unnest(
        ${ranges.map(({ accountId }) => accountId)}::uuid[],
        ${ranges.map(({ from }) => from)}::bigint[],
        ${ranges.map(({ upTo }) => upTo)}::bigint[]
      ) as r(account_id, first, last)
      cross join lateral (
        select message_id, kind, status from events
        where account_id = r.account_id and position > r.first and position <= r.last
          and message_id is not null
        order by position
      ) e`;
    tracing.did({ operation: 'publish', began, ended, steps: events.map(stepOf) });
  } catch (error) {
    log.warn({ err: error }, 'published messages cannot be traced');
  }
}

type TracedEvent = { messageId: string; kind: string; status: string | null };

const stepOf = ({ messageId, kind, status }: TracedEvent) => ({ messageId, of: status ?? kind });
