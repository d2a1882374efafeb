/** The default width of a column (docs/screens.md#tables). */
export const COLUMN_PX = 150;
/** The minimum width of a column. */
export const COLUMN_MIN_PX = 20;

/**
 * The widths after the separator of column `index` moved by `delta` px: one column gains what the next one loses, and
 * neither falls below the minimum.
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

/** Scales the widths to a row of `px`, keeping each column's share. Unchanged if not measured. */
export function fillRow(widths: readonly number[], px: number | undefined): readonly number[] {
  const total = widths.reduce((sum, width) => sum + width, 0);
  if (px === undefined || total === 0) return widths;
  return widths.map((width) => (width / total) * px);
}

/** The maximum width of column `index`: all but the minimum of the next one. */
export const widest = (widths: readonly number[], index: number, min = COLUMN_MIN_PX): number =>
  (widths[index] ?? 0) + Math.max(0, (widths[index + 1] ?? 0) - min);
