import { startTransition, useEffect, useRef, useState } from 'react';
import { skeletonLeftMs } from '#web/ui/skeleton/skeleton.ts';

/**
 * Whether the skeleton is to be shown while something is `pending`: it shows itself after 120 ms
 * (`Skeleton` sees to that), and then stays 300 ms at least, also when the answer comes sooner. What
 * takes its place is drawn as a transition: in slices, between which a phone still handles input.
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
