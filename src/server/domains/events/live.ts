import { randomUUID } from 'node:crypto';
import { LiveEvent } from '#contract/events.ts';
import type { Frame } from '#server/infra/acts/act.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import type { Listener, ListenerOptions } from '#server/infra/postgres/driver/listener.ts';
import { type EventRow, factsOf } from './event-row.ts';
import { LIVE_CHANNEL } from './notify.ts';

/** More events behind than this, and the tab refetches everything instead. */
const BEHIND_MAX = 500;
/** How often followed accounts are looked at without a hint, and LISTEN is tried: what a lost hint costs. */
const LOOK_MS = 5_000;

/** How long closing waits for reads under way. */
const CLOSING_MS_MAX = 3_000;

type Follower = { woken: boolean; wake: (() => void) | undefined };

type Deps = {
  /** Reads events, one account at a time. */
  tenantSql: Sql;
  /** Looks at the positions of all accounts that are followed here. */
  allAccountsSql: Sql;
  /** Opens the LISTEN connection. */
  openListening: (
    handlers: Pick<ListenerOptions, 'channel' | 'onNotification' | 'onListening' | 'onLost'>,
  ) => Listener;
  report: (trouble: unknown) => void;
};

/** Hands the events of accounts to whoever follows them in this process. */
export type LiveHub = {
  /**
   * The account's events after `since`, then new ones as they come, until `signal` aborts.
   *
   * Without `since`, or when too much was missed, the first frame is a `reset` at the newest position.
   */
  follow(wish: {
    accountId: string;
    since: number | undefined;
    signal: AbortSignal;
  }): AsyncGenerator<Frame>;
  /** Streams open now. */
  readonly following: number;
  /** True while hints come in; without them everything is seen within five seconds. */
  readonly listens: boolean;
  /** Ends all streams and resolves when nobody follows any more. */
  close(): Promise<void>;
};

/** Opens the hub: one LISTEN connection, however many streams. */
export function openLive(deps: Deps): LiveHub {
  const subscriptions = createSubscriptions();
  const { seen, wake } = subscriptions;
  let closed = false;
  const listener = createListener(deps, (payload) => {
    if (payload === '*') subscriptions.wakeAll();
    else for (const accountId of payload.split(',')) wake(accountId);
  });
  /** Sees what no hint told: a dropped LISTEN, a relay that died between COMMIT and NOTIFY. */
  const look = async () => {
    const accounts = subscriptions.accounts();
    if (accounts.length === 0) return;
    const moved = await deps.allAccountsSql<{ account_id: string; last: number }[]>`
      select account_id, last from event_positions where account_id = any(${accounts}::uuid[])`;
    for (const { account_id, last } of moved) {
      if (last > (seen.get(account_id) ?? -1)) wake(account_id);
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking || closed) return;
    looking = true;
    Promise.all([listener.check(), look()])
      .catch(deps.report)
      .finally(() => (looking = false));
  }, LOOK_MS);
  timer.unref();

  return {
    async *follow({ accountId, since, signal }) {
      const follower = subscriptions.join(accountId);
      const onAbort = () => follower.wake?.();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        let position = since;
        while (!signal.aborted && !closed) {
          follower.woken = false;
          const { frames, newest } = await readFrames(deps, accountId, position);
          yield* frames;
          position = newest;
          seen.set(accountId, Math.max(position, seen.get(accountId) ?? 0));
          if (!follower.woken && !signal.aborted && !closed) {
            await new Promise<void>((resolve) => (follower.wake = resolve));
            follower.wake = undefined;
          }
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
        subscriptions.leave(accountId, follower);
      }
    },
    get following() {
      return subscriptions.size();
    },
    get listens() {
      return listener.hears;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      subscriptions.wakeAll();
      // Reads under way end first: the pools behind them are about to close.
      await subscriptions.empty();
      await listener.close();
    },
  };
}

/** Who follows which account in this process. */
function createSubscriptions() {
  const followers = new Map<string, Set<Follower>>();
  /** The newest position anybody here has got of an account. */
  const seen = new Map<string, number>();
  let size = 0;
  let emptied: (() => void) | undefined;
  const wake = (accountId: string) => {
    for (const follower of followers.get(accountId) ?? []) {
      follower.woken = true;
      follower.wake?.();
    }
  };
  return {
    seen,
    wake,
    wakeAll: () => {
      for (const accountId of followers.keys()) wake(accountId);
    },
    accounts: () => [...followers.keys()],
    size: () => size,
    join: (accountId: string): Follower => {
      const follower: Follower = { woken: false, wake: undefined };
      const together = followers.get(accountId) ?? new Set();
      followers.set(accountId, together.add(follower));
      size += 1;
      return follower;
    },
    leave: (accountId: string, follower: Follower) => {
      const together = followers.get(accountId);
      together?.delete(follower);
      size -= 1;
      if (together?.size === 0) {
        followers.delete(accountId);
        seen.delete(accountId);
      }
      if (size === 0) emptied?.();
    },
    /** Resolves when nobody follows any more, or after three seconds. */
    empty: async () => {
      if (size === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      emptied = resolve;
      const patience = setTimeout(resolve, CLOSING_MS_MAX);
      await promise;
      clearTimeout(patience);
    },
  };
}

/**
 * The LISTEN connection, which is made again by itself when it is lost. That one receives nothing although it
 * is there, nothing tells: so it notifies itself, and is replaced when that did not arrive.
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

type Reading = { frames: Frame[]; newest: number };

/** What an account has to hear after a position, oldest first. */
async function readFrames(
  { tenantSql, report }: Deps,
  accountId: string,
  since: number | undefined,
): Promise<Reading> {
  const { last, told } = await asAccount(tenantSql, accountId, async (tx) => {
    const [positions, told] = await Promise.all([
      tx<{ last: number }[]>`select last from event_positions where account_id = ${accountId}`,
      tx<EventRow[]>`
        select position, kind, message_id, token_id, peer, status, data from events
        where account_id = ${accountId} and position > ${since ?? Number.MAX_SAFE_INTEGER}
        order by position limit ${BEHIND_MAX + 1}`,
    ]);
    return { last: positions[0]?.last ?? 0, told };
  });
  if (since === undefined || since > last || told.length > BEHIND_MAX) {
    return { frames: [{ position: last, reset: true }], newest: last };
  }
  const frames = told.flatMap((row): Frame[] => {
    const event = LiveEvent.safeParse(factsOf(row));
    if (event.success) return [{ position: row.position, event: event.data }];
    report(new Error(`the event ${row.kind} has another shape`, { cause: event.error }));
    return [];
  });
  return { frames, newest: told.at(-1)?.position ?? since };
}
