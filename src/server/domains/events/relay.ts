import { type Sql, isTransient } from '#server/infra/postgres/database.ts';
import type { Log } from '#server/infra/observability/log.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { type PublishedRange, tracePublished } from './trace-published.ts';

/**
 * Outbox rows published in one transaction; a row may stand for 200 messages. Their accounts are named in one
 * NOTIFY of 8,000 bytes at most, 37 each: no more than 216.
 */
const ROWS_MAX = 200;
/** How often the outbox is looked at without a hint. */
const POLL_MS = 250;
/** What comes within this long is published together, and open tabs are notified once (docs/wire.md#live-stream). */
const GATHER_MS = 20;
/** The same while many rows come: then they share the cost of publishing. */
const BUSY_GATHER_MS = 100;
/** Rows of the last publishing from which on many come. */
const BUSY_ROWS = 8;
/** What comes after a pause waits only this long for more of the same moment. */
const PAUSE_MS = 4;

export type Relay = {
  /** Something was written to the outbox: look soon. */
  wake: () => void;
  /** Publishes what stands in the outbox now, unless another relay is at it. */
  drain: () => Promise<void>;
  close: () => Promise<void>;
};

export type RelayDeps = {
  sql: Sql;
  log: Log;
  tracing?: Tracing | undefined;
};

/**
 * Starts the relay that publishes the outbox: it gives events their `position` and `conversation_seq`.
 * Any number may run: a lock of the transaction lets one publish at a time.
 *
 * At COMMIT every process is notified whose events have grown.
 *
 * @param onPublished called after each COMMIT, in this process.
 */
export function startRelay(
  deps: RelayDeps,
  onPublished: (published: Published) => void = () => undefined,
): Relay {
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  let closed = false;
  let beganAt = -Infinity;
  let lastRows = 0;
  const drain = async () => {
    const { tracing } = deps;
    for (;;) {
      const began = performance.now();
      const published = await publishSome(deps);
      lastRows = published.rows;
      if (published.accounts.size > 0) onPublished(published);
      if (tracing && published.rows > 0) {
        await tracePublished({ ...deps, tracing }, began, published.ranges);
      }
      if (published.rows < ROWS_MAX) return;
    }
  };
  const work = async () => {
    timer = undefined;
    again = false;
    beganAt = performance.now();
    await drain().catch((error: unknown) => {
      if (!isTransient(error)) deps.log.error({ err: error }, 'the outbox cannot be published');
    });
    working = undefined;
    if (again) wake();
  };
  const gatherMs = () => (lastRows >= BUSY_ROWS ? BUSY_GATHER_MS : GATHER_MS);
  const wake = () => {
    if (closed) return;
    if (working) again = true;
    else {
      timer ??= setTimeout(
        () => {
          working = work();
        },
        Math.max(PAUSE_MS, beganAt + gatherMs() - performance.now()),
      );
    }
  };
  const poll = setInterval(wake, POLL_MS);
  return {
    wake,
    drain,
    close: async () => {
      closed = true;
      clearInterval(poll);
      clearTimeout(timer);
      await working;
    },
  };
}

/** What was published: how many rows of the outbox, whose, whether messages came in among them, and where they stand. */
export type Published = {
  rows: number;
  accounts: ReadonlySet<string>;
  hasReceived: boolean;
  ranges: readonly PublishedRange[];
};

/** Publishes the oldest rows. One that cannot be is set aside and reported: it holds up no other. */
async function publishSome(deps: RelayDeps): Promise<Published> {
  try {
    return await publish(deps.sql, { max: ROWS_MAX });
  } catch (error) {
    if (isTransient(error)) throw error;
    return publishEach(deps);
  }
}

/** A row of the outbox, or all of one account, or all. */
type Which = { max: number; accountId?: string; outboxId?: string };

async function publish(sql: Sql, { max, accountId, outboxId }: Which): Promise<Published> {
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

/** Row by row where it must be. */
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

/** Puts a row aside for a later try: after 2 s, then twice as long each time, up to an hour. */
async function setAside(sql: Sql, { accountId, outboxId, tries }: Row): Promise<void> {
  await sql`
    update outbox set tries = tries + 1,
      retry_at = clock_timestamp() + interval '1 second' * least(3600, 2 ^ least(${tries} + 1, 12))
    where account_id = ${accountId} and outbox_id = ${outboxId}`;
}
