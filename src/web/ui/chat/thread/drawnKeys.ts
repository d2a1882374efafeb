import type { Range } from '#web/ui/chat/thread/linePlaces.ts';

/** The rendered lines by the keys of the first and last one, independent of the lines before. */
type DrawnKeys = { first: string; last: string; count: number };

export const drawnKeys = (keys: readonly string[], { from, to }: Range): DrawnKeys => ({
  first: keys[from] ?? '',
  last: keys[to - 1] ?? '',
  count: to - from,
});

/** The range of those lines in a new list; if one end is missing, by count from the other. */
export function rangeIn(keys: readonly string[], drawn: DrawnKeys): Range {
  const { first, last, count } = drawn;
  const [from, to] = [keys.indexOf(first), keys.lastIndexOf(last) + 1];
  if (from >= 0 && to > from) return { from, to };
  if (to > 0) return { from: Math.max(0, to - count), to };
  if (from >= 0) return { from, to: Math.min(keys.length, from + count) };
  return { from: 0, to: 0 };
}
