import { Refusal } from '#contract/base/refusals.ts';

const busy = () => new Refusal('busy', { seconds: 5 });

/**
 * Lets so many in at once; others wait their turn, in order.
 *
 * @param waitingMax how many may wait: one more is refused, so that nobody waits without end.
 * @param refusal what that one is answered; `busy` for 5 s unless said otherwise.
 */
export function semaphore(
  atOnce: number,
  waitingMax: number,
  refusal: () => Refusal = busy,
): <T>(work: () => Promise<T>) => Promise<T> {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (inside < atOnce) inside += 1;
    else if (waiting.length >= waitingMax) throw refusal();
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
