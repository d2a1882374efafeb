/** A column's width unless it says another (docs/screens.md#tables). */
export const COLUMN_PX = 150;
/** The least width a column may have. */
export const COLUMN_MIN_PX = 20;

/**
 * The widths after the line behind column `index` moved by `delta` px: what one column gains the
 * next one loses, and neither falls below the minimum.
 */
export function tradeWidth(
  widths: readonly number[],
  index: number,
  delta: number,
  min = COLUMN_MIN_PX,
): readonly number[] {
  const left = widths[index];
  const right = widths[index + 1];
  if (left === undefined || right === undefined) return widths;
  const moved = Math.max(Math.min(min, left) - left, Math.min(delta, right - Math.min(min, right)));
  return widths.with(index, left + moved).with(index + 1, right - moved);
}

/** The widths as they stand in a row of `px`: each column keeps its share. Unmeasured, as asked. */
export function fillRow(widths: readonly number[], px: number | undefined): readonly number[] {
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (px === undefined || total === 0) return widths;
  return widths.map((width) => (width / total) * px);
}

/** The most that column `index` can have: all but the minimum of the next one. */
export const widest = (widths: readonly number[], index: number, min = COLUMN_MIN_PX): number =>
  (widths[index] ?? 0) + Math.max(0, (widths[index + 1] ?? 0) - min);
