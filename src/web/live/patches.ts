import type { QueryKey } from '@tanstack/react-query';
import type { LiveEvent, LiveKind } from '#contract/events.ts';

/** Which queries, by their keys. */
export type Match = (key: QueryKey) => boolean;

/** Queries whose key begins so. */
export const keyStarts =
  (start: readonly unknown[]): Match =>
  (key) =>
    start.every((part, index) => key[index] === part);

/** Queries about a subject: their key's first word is it, or the name of an act of it (`message_list`). */
export const keyIsAbout =
  (subject: string, actPrefix: string): Match =>
  ([first]) =>
    typeof first === 'string' && (first === subject || first.startsWith(actPrefix));

/** An event of one kind. */
export type EventOf<Kind extends LiveKind> = Extract<LiveEvent, { kind: Kind }>;

/** What a feature can do to the query cache when an event comes. */
export type CacheChanges = {
  /** Changes data in the cache at once; what `change` gives back as it was is not drawn again. */
  update: (change: (data: unknown) => unknown, match?: Match) => void;
  /**
   * Asks the server again, soon, for queries that match or whose key begins so: for what is on screen;
   * for the rest when it is shown.
   */
  refetch: (queries: Match | QueryKey) => void;
  /** Whether an answer is on its way, which may have been read before the event. */
  isFetching: (key: QueryKey) => boolean;
};

/** How a feature keeps the queries that it defines current. */
export type LivePatches = {
  /** All queries that events can change: asked for again when too much was missed. */
  follows: Match;
  /** Those of them that are also asked for in a tab that nobody looks at. */
  inBackground?: Match;
  on: { readonly [Kind in LiveKind]?: (event: EventOf<Kind>, cache: CacheChanges) => void };
};

type UnknownRecord = Readonly<Record<string, unknown>>;

/** True for plain objects. */
export const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Rows lie this deep at most: pages → page → rows → row. */
const DEPTH_MAX = 5;

/**
 * Cached data with something replaced wherever it is found: in a row of a list, in a thread, in a
 * page's summary. What did not change stays the very same object, so that nothing is drawn again.
 *
 * @param change gives the object to put in place, or `undefined` to look inside it.
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
