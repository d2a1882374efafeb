import { startTransition, useEffect, useRef, useState } from 'react';
import { skeletonLeftMs } from '#web/ui/skeleton/skeleton.ts';

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
