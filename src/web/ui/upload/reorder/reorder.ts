/** Moves a member of a list. A position outside the list is its nearest end. */
export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const target = Math.min(Math.max(to, 0), list.length - 1);
  if (from === target || from < 0 || from >= list.length) return list;
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(target, 0, ...list.slice(from, from + 1));
}

/** A box on the screen, in CSS pixels. */
export type Box = { left: number; top: number; width: number; height: number };

const sameRow = (one: Box, other: Box): boolean =>
  one.top < other.top + other.height / 2 && one.top + one.height > other.top + other.height / 2;

/**
 * The drop index of a point, 0 to the number of boxes. In a column its height decides; for boxes side by side, first
 * the row, then the side.
 */
export function dropIndex(boxes: readonly Box[], x: number, y: number): number {
  for (const [index, box] of boxes.entries()) {
    const alone = !boxes.some((other) => other !== box && sameRow(box, other));
    const before = alone
      ? y < box.top + box.height / 2
      : y < box.top || (y < box.top + box.height && x < box.left + box.width / 2);
    if (before) return index;
  }
  return boxes.length;
}

/**
 * The index at which a lifted box lands after moving along a column: past every box whose middle its leading edge has
 * passed.
 */
export function landing(boxes: readonly Box[], from: number, by: number): number {
  const own = boxes[from];
  if (!own) return from;
  const top = own.top + by;
  const bottom = top + own.height;
  const middle = (box: Box): number => box.top + box.height / 2;
  if (by < 0) {
    const passed = boxes.slice(0, from).filter((box) => top < middle(box));
    return from - passed.length;
  }
  const passed = boxes.slice(from + 1).filter((box) => bottom > middle(box));
  return from + passed.length;
}

/** The offset (px) of each box along a column while one of them is lifted over another position. */
export function givingWay(boxes: readonly Box[], from: number, to: number): readonly number[] {
  const own = boxes[from];
  const next = boxes[from + 1];
  const previous = boxes[from - 1];
  if (!own) return boxes.map(() => 0);
  const gap = next
    ? next.top - own.top - own.height
    : previous
      ? own.top - previous.top - previous.height
      : 0;
  return boxes.map((_, index) => {
    if (index > from && index <= to) return -(own.height + gap);
    if (index < from && index >= to) return own.height + gap;
    return 0;
  });
}
