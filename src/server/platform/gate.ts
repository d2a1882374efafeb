import { Refusal } from '#contract/refusals.ts';

const BUSY_SECONDS = 5;

/**
 * Lets so many in at once; others wait their turn, in order.
 *
 * @param waitingMax how many may wait: one more is refused as `busy`, so that nobody waits without end.
 */
export function gate(
  atOnce: number,
  waitingMax: number,
): <T>(work: () => Promise<T>) => Promise<T> {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (inside < atOnce) inside += 1;
    else if (waiting.length >= waitingMax) throw new Refusal('busy', { seconds: BUSY_SECONDS });
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
