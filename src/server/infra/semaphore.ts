import { Refusal } from '#contract/base/refusals.ts';

const busy = () => new Refusal('busy', { seconds: 5 });

/**
 * The longest wait of a caller whose connection stays open meanwhile: with 10 s of work after it, the answer comes
 * before a silent connection is cut, after 30 s.
 */
export const TURN_WAIT_MS = 10_000;

type Options = {
  /** What is answered to whom waits too long, or is one too many; `busy` for 5 s unless said otherwise. */
  refusal?: () => Refusal;
  /** The longest wait for a turn, in milliseconds; without it there is no such limit. */
  waitMs?: number;
  /** How many of one owner may wait; without it as many as of all. */
  waitingEachMax?: number;
  /** Limit for one owner; without it the limit for all. */
  atOnceEach?: number;
};

/** One caller: whose share of the waiting places it takes, and a wait of its own instead of `waitMs`. */
type Caller = { owner?: string; waitMs?: number | undefined };

/**
 * Lets so many in at once; others wait. Owners take turns; those of one owner enter in the order of their coming.
 *
 * @param waitingMax how many may wait: one more is refused, so that nobody waits without end.
 */
export function semaphore(
  atOnce: number,
  waitingMax: number,
  {
    refusal = busy,
    waitMs: waitMsMax,
    waitingEachMax = waitingMax,
    atOnceEach = atOnce,
  }: Options = {},
): <T>(work: () => Promise<T>, caller?: Caller) => Promise<T> {
  let inside = 0;
  let waiting = 0;
  const insideOf = new Map<string, number>();
  const hasRoom = (owner: string) => (insideOf.get(owner) ?? 0) < atOnceEach;
  const count = (owner: string, change: 1 | -1) => {
    inside += change;
    const left = (insideOf.get(owner) ?? 0) + change;
    if (left === 0) insideOf.delete(owner);
    else insideOf.set(owner, left);
  };
  /** Those who wait, by owner; the owner whose turn is next comes first. */
  const lines = new Map<string, Set<() => void>>();

  const waitForTurn = (owner: string, waitMs: number | undefined) =>
    new Promise<void>((resolve, reject) => {
      const line = lines.get(owner) ?? new Set();
      const leave = () => {
        clearTimeout(timer);
        waiting -= 1;
        line.delete(enter);
        if (line.size === 0) lines.delete(owner);
      };
      const enter = () => {
        leave();
        resolve();
      };
      const giveUp = () => {
        leave();
        reject(refusal());
      };
      const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
      waiting += 1;
      lines.set(owner, line.add(enter));
    });

  const letNextIn = () => {
    const first = lines.entries().find(([owner]) => hasRoom(owner));
    if (!first) return;
    const [owner, line] = first;
    const [next] = line;
    count(owner, 1);
    next?.();
    // Its other work waits for its next turn, behind the other owners.
    if (lines.delete(owner)) lines.set(owner, line);
  };

  return async (work, { owner = '', waitMs = waitMsMax } = {}) => {
    const isFull = waiting >= waitingMax || (lines.get(owner)?.size ?? 0) >= waitingEachMax;
    if (inside < atOnce && hasRoom(owner)) count(owner, 1);
    else if (isFull) throw refusal();
    else await waitForTurn(owner, waitMs);
    try {
      return await work();
    } finally {
      count(owner, -1);
      letNextIn();
    }
  };
}
