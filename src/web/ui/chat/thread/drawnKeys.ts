import type { Range } from '#web/ui/chat/thread/linePlaces.ts';

/** The lines that are drawn, by the keys of the first and the last: whatever comes before them, they are the same. */
type DrawnKeys = { first: string; last: string; count: number };

/** Some lines, known by their keys. */
export const drawnKeys = (keys: readonly string[], { from, to }: Range): DrawnKeys => ({
  first: keys[from] ?? '',
  last: keys[to - 1] ?? '',
  count: to - from,
});

/** Where those lines are among others; where one of both is gone, as many on the side of the other. */
export function rangeIn(keys: readonly string[], drawn: DrawnKeys): Range {
  const { first, last, count } = drawn;
  const [from, to] = [keys.indexOf(first), keys.lastIndexOf(last) + 1];
  if (from >= 0 && to > from) return { from, to };
  if (to > 0) return { from: Math.max(0, to - count), to };
  if (from >= 0) return { from, to: Math.min(keys.length, from + count) };
  return { from: 0, to: 0 };
}
