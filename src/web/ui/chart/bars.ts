/**
 * Where the parts of one stacked bar stand: from the bottom up, in the chart's own units.
 * A part that is not zero is at least one unit high, so that a single failure can be seen.
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
