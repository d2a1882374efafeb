/**
 * The parts of one stacked bar, from the bottom up, in the chart's units. A non-zero part is at least one unit high, so
 * that a single failure is visible.
 */
export function shareOut(
  values: readonly number[],
  most: number,
  height: number,
): { y: number; height: number }[] {
  let top = height;
  return values.map((value) => {
    const tall = value <= 0 ? 0 : Math.min(top, Math.max(1, (value / most) * height));
    top -= tall;
    return { y: top, height: tall };
  });
}
