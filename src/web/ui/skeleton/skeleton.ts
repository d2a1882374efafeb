/** A skeleton is not shown before this: a quick answer needs none. */
export const SKELETON_AFTER_MS = 120;
/** One that is shown stays this long at least: what flashes by only disturbs. */
export const SKELETON_STAYS_MS = 300;

/** How much longer a skeleton stays when what it stood for is there after `waitedMs`. */
export const skeletonLeftMs = (waitedMs: number): number =>
  waitedMs < SKELETON_AFTER_MS ? 0 : Math.max(0, SKELETON_AFTER_MS + SKELETON_STAYS_MS - waitedMs);
