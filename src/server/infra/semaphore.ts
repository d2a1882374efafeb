import { Refusal } from '#contract/base/refusals.ts';

const busy = () => new Refusal('busy', { seconds: 5 });

type WaitOptions = {
  /** What is answered to whom waits too long, or is one too many; `busy` for 5 s unless said otherwise. */
  refusal?: () => Refusal;
  /** The longest wait for a turn, in milliseconds; without it there is no such limit. */
  waitMs?: number;
};

/**
 * Lets so many in at once; others wait their turn, in order.
 *
 * @param waitingMax how many may wait: one more is refused, so that nobody waits without end.
 */
export function semaphore(
  atOnce: number,
  waitingMax: number,
  { refusal = busy, waitMs }: WaitOptions = {},
): <T>(work: () => Promise<T>) => Promise<T> {
  let inside = 0;
  /** In the order of their coming. */
  const waiting = new Set<() => void>();
  const waitForTurn = () =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        clearTimeout(timer);
        waiting.delete(enter);
        resolve();
      };
      const giveUp = () => {
        waiting.delete(enter);
        reject(refusal());
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      waiting.add(enter);
    });
  return async (work) => {
    if (inside < atOnce) inside += 1;
    else if (waiting.size >= waitingMax) throw refusal();
    else await waitForTurn();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else inside -= 1;
    }
  };
}
