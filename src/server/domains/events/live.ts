import { randomUUID } from 'node:crypto';
import type { LiveEvent } from '#contract/events.ts';
import type { FrameSink, Subscription } from '#server/infra/acts.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import type { Listener, ListenerOptions } from '#server/infra/postgres/driver/listener.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { Feeds } from './feeds.ts';
import { withTimeout } from '#server/infra/with-timeout.ts';
import type { EventRow } from './event-row.ts';
import { type Position, type Shown, readPages, signalFrame } from './pages.ts';
import { stepOf } from './trace-published.ts';

/** How often followed accounts are looked at without a hint, and LISTEN is tried: what a lost hint costs. */
const LOOK_MS = 5_000;
/** What is read for all streams holds up all of them: after so long it is given up, and tried again. */
const READ_MS_MAX = 5_000;
/** How a notification begins that is an event itself. */
const SIGNAL = '~';
const UUID_LENGTH = 36;
/** Where nobody stands: after every event there will be. */
const NOWHERE = Number.MAX_SAFE_INTEGER;

type Deps = {
  /** Reads what one stream has missed, one account at a time. */
  tenantSql: Sql;
  /** Reads what is new of all accounts that are followed here, for all their streams. */
  allAccountsSql: Sql;
  /** Opens the LISTEN connection. */
  openListening: (
    handlers: Pick<ListenerOptions, 'channel' | 'onNotification' | 'onListening' | 'onLost'>,
  ) => Listener;
  /** Whether streams of an account are told of a kind of its events; all without it. */
  isShown?: (accountId: string, kind: string) => boolean;
  report: (trouble: unknown) => void;
  tracing?: Tracing | undefined;
};

/** Hands the events of accounts to whoever follows them in this process. */
export type LiveHub = {
  /**
   * Writes the account's events after `since` to a sink, then new ones as they come.
   *
   * Without `since`, or when too much was missed, the first frame is a `reset` at the newest position.
   */
  follow(options: { accountId: string; since: number | undefined; sink: FrameSink }): Subscription;
  /**
   * Writes an event that is stored nowhere to who follows the account now, in every process. Whoever is away, or
   * takes nothing at the moment, misses it.
   */
  signal(accountId: string, event: LiveEvent): Promise<void>;
  /** Streams open now. */
  readonly following: number;
  /** True while hints come in; without them everything is seen within five seconds. */
  readonly listens: boolean;
  /** Ends all streams and resolves when nothing is read for them any more, after three seconds at most. */
  close(): Promise<void>;
};

/** Opens the hub: one LISTEN connection, and one read of what is new, however many streams. */
export function openLive(deps: Deps): LiveHub {
  const { tenantSql, allAccountsSql, isShown = () => true, report, tracing } = deps;
  const shown = { isShown, report };
  const readShared = (positions: readonly Position[]) =>
    readPages(allAccountsSql, positions, tracing ? tracedBy(tracing, shown) : shown);
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
    else if (payload.startsWith(SIGNAL)) takeSignal(feeds, payload, report);
    else for (const accountId of payload.split(',')) feeds.hint(accountId);
  });
  /** Sees what no hint told: a dropped LISTEN, a read that failed. */
  const look = async () => {
    const known = feeds.positions();
    if (known.length === 0) return;
    const grown = await allAccountsSql<{ account_id: string }[]>`
      select account_id
      from unnest(
        ${known.map(({ accountId }) => accountId)}::uuid[],
        ${known.map(({ since }) => since)}::bigint[]
      ) as f(account_id, since)
      join event_positions p using (account_id)
      where p.last > f.since`;
    for (const { account_id } of grown) feeds.hint(account_id);
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
    follow: ({ accountId, since = NOWHERE, sink }) => feeds.follow({ accountId, since }, sink),
    async signal(accountId, event) {
      await allAccountsSql`
        select pg_notify(${LIVE_CHANNEL}, ${SIGNAL + accountId + JSON.stringify(event)})`;
    },
    get following() {
      return feeds.size;
    },
    get listens() {
      return listener.hears;
    },
    async close() {
      clearInterval(timer);
      // Reads under way end first: the pools behind them are about to close.
      await feeds.close();
      await listener.close();
    },
  };
}

/** Records which messages' events were read for the streams of this process: they are written at once after. */
function tracedBy(tracing: Tracing, shown: Shown): Shown {
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

/** What comes after the mark of a signal: the account, then the event. */
function takeSignal(feeds: Feeds, payload: string, report: Deps['report']): void {
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
 * The LISTEN connection; it reconnects when it is lost. A connection may stay open and receive nothing, so it notifies
 * itself and is replaced when the notification does not arrive.
 */
function createListener(
  { openListening, allAccountsSql }: Deps,
  hinted: (payload: string) => void,
) {
  const self = `!${randomUUID()}`;
  let hears = false;
  let heard = false;
  const listener = openListening({
    channel: LIVE_CHANNEL,
    onNotification: (payload) => {
      if (payload === self) heard = true;
      else if (!payload.startsWith('!')) hinted(payload);
    },
    onListening: () => {
      hears = true;
      heard = true;
      hinted('*');
    },
    onLost: () => (hears = false),
  });
  return {
    async check() {
      if (!heard) listener.restart();
      heard = false;
      await allAccountsSql`select pg_notify(${LIVE_CHANNEL}, ${self})`;
    },
    get hears() {
      return hears;
    },
    close: () => listener.close(),
  };
}

/** The channel on which publish_outbox notifies every process, at COMMIT, whose events have grown. */
export const LIVE_CHANNEL = 'kabari_live';
