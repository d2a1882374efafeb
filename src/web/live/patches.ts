import type { QueryKey } from '@tanstack/react-query';
import type { LiveEvent, LiveKind } from '#contract/events.ts';

export type Match = (key: QueryKey) => boolean;

/** Matches queries whose key begins with these parts. */
export const keyStarts =
  (start: readonly unknown[]): Match =>
  (key) =>
    start.every((part, index) => key[index] === part);

/** Matches queries about a subject: the first part of the key is the subject or an act of it (`message_list`). */
export const keyIsAbout =
  (subject: string, actPrefix: string): Match =>
  ([first]) =>
    typeof first === 'string' && (first === subject || first.startsWith(actPrefix));

export type EventOf<Kind extends LiveKind> = Extract<LiveEvent, { kind: Kind }>;

export type CacheChanges = {
  /** Changes cached data at once; data that `change` returns unchanged does not render again. */
  update: (change: (data: unknown) => unknown, match?: Match) => void;
  /** Refetches matching queries soon: active ones now, the rest when they are shown. */
  refetch: (queries: Match | QueryKey) => void;
  /** True if an answer is in flight, which may have been read before the event. */
  isFetching: (key: QueryKey) => boolean;
};

export type LivePatches = {
  /** All queries that events can change: refetched after a gap. */
  follows: Match;
  /** Those also refetched in a hidden tab. */
  inBackground?: Match;
  on: { readonly [Kind in LiveKind]?: (event: EventOf<Kind>, cache: CacheChanges) => void };
};

type UnknownRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Rows are nested at most this deep: pages → page → rows → row. */
const DEPTH_MAX = 5;

/**
 * Cached data with something replaced wherever it occurs: in a list row, a thread or a page's summary. Unchanged
 * objects keep their identity, so that they do not render again.
 *
 * @param change returns the replacement, or `undefined` to descend into the object.
 */
export function replaceIn(
  data: unknown,
  change: (bag: UnknownRecord) => UnknownRecord | undefined,
  depth = 0,
): unknown {
  if (depth > DEPTH_MAX) return data;
  if (Array.isArray(data)) {
    let copy: unknown[] | undefined;
    for (const [index, item] of data.entries()) {
      const next = replaceIn(item, change, depth + 1);
      if (next !== item) (copy ??= [...data])[index] = next;
    }
    return copy ?? data;
  }
  if (!isRecord(data)) return data;
  const changed = change(data);
  if (changed) return changed;
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(data)) {
    const next = replaceIn(value, change, depth + 1);
    if (next !== value) (copy ??= { ...data })[name] = next;
  }
  return copy ?? data;
}
