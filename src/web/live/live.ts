import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { events, LiveEvent, type LiveKind } from '#contract/events.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { performStream } from '#web/api/act.ts';
import { type Frame, followStream } from './stream.ts';
import { clearStorageAtSignOut, storageSet, storageGet } from '#web/browser/storage.ts';
import {
  type EventOf,
  type LivePatches,
  keyStarts,
  type CacheChanges,
  type Match,
} from '#web/live/patches.ts';
import { emitLive } from '#web/live/listeners.ts';
import { onServerBack, serverAnswered, serverFailed } from '#web/api/server.ts';
import { beforeSignOut, userQuery } from '#web/api/user.ts';

/** The lock of the tab that holds the stream, and the channel to the other tabs. */
const NAME = 'kabari-live';
/** The time in which another tab may report that the event is visible there. */
const SEEN_MS = 250;
/** A tab that was asleep does not repeat announcements that other tabs made long ago. */
const LATE_MS = 3_000;

/** An alert for events of one kind. */
export type LiveAlert<Kind extends LiveKind> = {
  kind: Kind;
  idOf: (event: EventOf<Kind>) => string;
  /** True if it has just happened, by the server's clock in ms. */
  isNews: (event: EventOf<Kind>, serverNow: number) => boolean;
  /** Called in every tab for a new event. True if it is visible in this tab. */
  onEvent: (event: EventOf<Kind>) => boolean;
  /** Called in one tab if the event is visible in none. */
  onUnseen: (event: EventOf<Kind>) => void;
};

export type AnyLiveAlert = { [Kind in LiveKind]: LiveAlert<Kind> }[LiveKind];

type Following = {
  client: QueryClient;
  userId: string;
  patches: readonly LivePatches[];
  alerts: readonly AnyLiveAlert[];
};

type TabMessage =
  | { kind: 'frame'; frame: Frame; at: number; skewMs: number }
  | { kind: 'position'; position: number }
  | { kind: 'seen'; id: string }
  | { kind: 'hello' };

/**
 * Keeps this tab current. One tab per browser holds the stream; the others receive it by a channel and take over when
 * it closes. In browsers without locks (plain http), each tab has its own stream.
 *
 * @returns the stop function
 */
export function startLive({ client, userId, patches, alerts: all }: Following): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  const cache = createLiveCache(client, patches);
  // The name contains the user, so that tabs of a previous user are ignored.
  const name = `${NAME} ${userId}`;
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(name) : undefined;
  const post = (message: TabMessage) => channel?.postMessage(message);
  let position = loadPosition(userId);
  let leads = false;
  const alerts = alertsFor(all, {
    isUnseen: () => leads && !signal.aborted,
    onSeen: (id) => post({ kind: 'seen', id }),
  });

  const take = (frame: Frame, at: number, skewMs: number) => {
    serverAnswered();
    position = frame.position ?? position;
    if (frame.event === 'reset') return cache.reset();
    const event = eventOf(frame);
    if (!event) return;
    cache.apply(event);
    if (Date.now() - at > LATE_MS) return;
    emitLive(event);
    alerts.notify(event, Date.now() + skewMs);
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (data.kind === 'hello') {
      if (leads && position !== undefined) post({ kind: 'position', position });
    } else if (data.kind === 'seen') {
      if (leads) alerts.seenElsewhere(data.id);
    }
    // Without locks every tab has its own stream.
    if (leads) return;
    if (data.kind === 'frame') take(data.frame, data.at, data.skewMs);
    if (data.kind === 'position') position = data.position;
  });
  post({ kind: 'hello' });

  const lead = () => {
    leads = true;
    let skewMs = 0;
    return followStream({
      open: (since, line) => performStream(events, { since }, line),
      since: () => position,
      onOpen: (response) => (skewMs = skewOf(response)),
      onFrame: (frame) => {
        const at = Date.now();
        post({ kind: 'frame', frame, at, skewMs });
        take(frame, at, skewMs);
      },
      retryAfterMs: (error) => retryAfterMs(client, error),
      ...connection,
      signal,
    });
  };
  void inOneTab(name, lead, signal);

  const savePosition = () => storageSet('tab', 'position', JSON.stringify([userId, position]));
  window.addEventListener('pagehide', savePosition);
  const stopForgetting = clearStorageAtSignOut();
  // Pending requests would be refused once the session has ended.
  const stopLeaving = beforeSignOut(() => {
    stop.abort();
    return client.cancelQueries();
  });
  return () => {
    stopLeaving();
    window.removeEventListener('pagehide', savePosition);
    stopForgetting();
    stop.abort();
    cache.stop();
    channel?.close();
  };
}

type Tab = {
  isUnseen: () => boolean;
  onSeen: (id: string) => void;
};

function alertsFor(alerts: readonly AnyLiveAlert[], tab: Tab) {
  const seen = new Set<string>();
  return {
    notify(event: LiveEvent, serverNow: number) {
      const alert = alerts.find(({ kind }) => kind === event.kind) as LiveAlert<never> | undefined;
      if (!alert?.isNews(event as never, serverNow)) return;
      const id = alert.idOf(event as never);
      if (alert.onEvent(event as never)) return tab.onSeen(id);
      if (!tab.isUnseen()) return;
      setTimeout(() => {
        if (!seen.delete(id) && tab.isUnseen()) alert.onUnseen(event as never);
      }, SEEN_MS);
    },
    seenElsewhere(id: string) {
      seen.add(id);
      setTimeout(() => seen.delete(id), LATE_MS);
    },
  };
}

/** Runs work in one tab of this browser at a time, until `signal` aborts. */
async function inOneTab(
  name: string,
  lead: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  if (!locks) return lead();
  try {
    await locks.request(name, { signal }, lead);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** This tab's position before a reload, so that no event is missed or fetched twice. */
function loadPosition(userId: string): number | undefined {
  try {
    const [whose, position] = JSON.parse(storageGet('tab', 'position') ?? '[]') as unknown[];
    return whose === userId && typeof position === 'number' ? position : undefined;
  } catch {
    return undefined;
  }
}

function eventOf({ event: kind, data }: Frame): LiveEvent | undefined {
  try {
    const read = LiveEvent().safeParse(JSON.parse(data));
    return read.success && read.data.kind === kind ? read.data : undefined;
  } catch {
    return undefined;
  }
}

/** The offset of the server's clock, in whole seconds ahead of ours; 0 if unknown. */
function skewOf(response: Response): number {
  const date = Date.parse(response.headers.get('date') ?? '');
  return Number.isNaN(date) ? 0 : date - Date.now();
}

/** The delay after a refusal; `undefined` if the session is over. */
function retryAfterMs(client: QueryClient, error: unknown): number | undefined {
  if (!(error instanceof Refusal)) return 0;
  if (error.code === 'not_signed_in') {
    void client.resetQueries({ queryKey: userQuery.queryKey });
    return undefined;
  }
  return 'seconds' in error.facts ? error.facts.seconds * 1000 : 0;
}

function onWake(wake: () => void): () => void {
  const seen = () => {
    if (!document.hidden) wake();
  };
  window.addEventListener('online', wake);
  document.addEventListener('visibilitychange', seen);
  const stopBack = onServerBack(wake);
  return () => {
    stopBack();
    window.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', seen);
  };
}

const connection = { onReceive: serverAnswered, onSilent: serverFailed, onWake };

export type LiveCache = {
  /** Applies an event: from its own data where possible, else by a refetch. */
  apply: (event: LiveEvent) => void;
  /** Refetches everything after a gap. */
  reset: () => void;
  stop: () => void;
};

/**
 * Keeps a query cache current by live events.
 *
 * @param patches of all features; queries that none follows are left alone.
 */
export function createLiveCache(client: QueryClient, patches: readonly LivePatches[]): LiveCache {
  const follows: Match = (key) => patches.some((one) => one.follows(key));
  const inBackground: Match = (key) => patches.some((one) => one.inBackground?.(key) === true);
  /** By query: a hundred events at once cause one refetch. */
  const stale = new Map<Match | string, Match>();
  const refreshing = throttle(
    () => {
      const matches = [...stale.values()];
      stale.clear();
      return refetchAll(client, matches, inBackground);
    },
    { gapMs: 300, longestMs: 2_000 },
  );
  const changes: CacheChanges = {
    update(change, match = follows) {
      const queries = client.getQueriesData({ predicate: ({ queryKey }) => match(queryKey) });
      for (const [key, data] of queries) {
        const next = data === undefined ? data : change(data);
        if (next !== data) client.setQueryData(key, next);
      }
    },
    refetch(queries) {
      if (typeof queries === 'function') stale.set(queries, queries);
      else stale.set(JSON.stringify(queries), keyStarts(queries));
      refreshing.request();
    },
    isFetching: (queryKey) => client.isFetching({ queryKey }) > 0,
  };
  const onVisible = () => {
    if (document.hidden) return;
    const predicate = ({ queryKey, state }: { queryKey: QueryKey; state: State }) =>
      state.isInvalidated && follows(queryKey);
    void client.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false });
  };
  document.addEventListener('visibilitychange', onVisible);
  return {
    apply(event) {
      for (const { on } of patches) applyTo(on, event, changes);
    },
    reset: () => changes.refetch(follows),
    stop() {
      refreshing.stop();
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}

type State = { isInvalidated: boolean };

function applyTo<Kind extends LiveEvent['kind']>(
  on: LivePatches['on'],
  event: EventOf<Kind>,
  changes: CacheChanges,
): void {
  const patch = on[event.kind];
  patch?.(event, changes);
}

/** Refetches active queries; a hidden tab waits until it is visible. */
async function refetchAll(
  client: QueryClient,
  matches: readonly Match[],
  inBackground: Match,
): Promise<void> {
  const isStale: Match = (key) => matches.some((match) => match(key));
  await client.invalidateQueries({
    predicate: ({ queryKey }) => isStale(queryKey),
    refetchType: 'none',
  });
  await client.refetchQueries({
    type: 'active',
    predicate: ({ queryKey }) => isStale(queryKey) && (!document.hidden || inBackground(queryKey)),
  });
}

type Throttling = {
  /** The minimum time between two runs. */
  gapMs: number;
  /** The maximum gap under continuous requests. */
  longestMs: number;
};

/**
 * Runs `work` soon after a request, once for all requests meanwhile: never concurrently, never closer together than the
 * gap, which doubles while requests continue.
 *
 * @returns the request function and the stop function
 */
export function throttle(work: () => Promise<unknown>, { gapMs, longestMs }: Throttling) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working = false;
  let requested = false;
  let stopped = false;
  let gap = gapMs;
  let ended = -Infinity;

  const run = async () => {
    timer = undefined;
    working = true;
    requested = false;
    try {
      await work();
    } catch {
      // The failure is shown where the result is.
    }
    working = false;
    ended = Date.now();
    gap = requested ? Math.min(longestMs, gap * 2) : gapMs;
    if (requested) plan();
  };
  const plan = () => {
    if (stopped || timer !== undefined || working) return;
    timer = setTimeout(() => void run(), Math.max(gapMs / 6, ended + gap - Date.now()));
  };
  return {
    request() {
      requested = true;
      plan();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
