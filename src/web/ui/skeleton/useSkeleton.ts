import { startTransition, useEffect, useRef, useState } from 'react';

/** A skeleton is not shown before this. */
export const SKELETON_AFTER_MS = 120;
/** A shown skeleton stays at least this long, because a flash is distracting. */
export const SKELETON_STAYS_MS = 300;

/** The remaining time of a skeleton whose content arrives after `waitedMs`. */
export const skeletonLeftMs = (waitedMs: number): number =>
  waitedMs < SKELETON_AFTER_MS ? 0 : Math.max(0, SKELETON_AFTER_MS + SKELETON_STAYS_MS - waitedMs);

/**
 * Whether to show the skeleton while something is `pending`: it appears after 120 ms (by `Skeleton`), and then stays
 * for at least 300 ms. The content is rendered as a transition: in slices, between which a phone still handles input.
 */
export function useSkeleton(pending: boolean): boolean {
  const [held, setHeld] = useState(pending);
  const since = useRef(0);
  useEffect(() => {
    if (pending) {
      since.current = performance.now();
      setHeld(true);
      return undefined;
    }
    const left = skeletonLeftMs(performance.now() - since.current);
    const timer = setTimeout(() => startTransition(() => setHeld(false)), left);
    return () => clearTimeout(timer);
  }, [pending]);
  return pending || held;
}
