import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { LiveEvent } from '#contract/events.ts';
import {
  keyStarts,
  type CacheChanges,
  type EventOf,
  type LivePatches,
  type Match,
} from '#web/live/patches.ts';
import { throttle } from '#web/live/throttle.ts';

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
