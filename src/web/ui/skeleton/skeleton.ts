/** A skeleton is not shown before this. */
export const SKELETON_AFTER_MS = 120;
/** A shown skeleton stays at least this long, because a flash is distracting. */
export const SKELETON_STAYS_MS = 300;

/** The remaining time of a skeleton whose content arrives after `waitedMs`. */
export const skeletonLeftMs = (waitedMs: number): number =>
  waitedMs < SKELETON_AFTER_MS ? 0 : Math.max(0, SKELETON_AFTER_MS + SKELETON_STAYS_MS - waitedMs);
