import { Refusal } from '#contract/base/refusals.ts';

const busy = () => new Refusal('busy', { seconds: 5 });

/**
 * The longest wait of a caller whose connection is open meanwhile: with 10 s of work afterwards, the response comes
 * before a silent connection is cut, after 30 s.
 */
export const TURN_WAIT_MS = 10_000;

type Options = {
  /** For a caller that waits too long, or is one too many; by default `busy` for 5 s. */
  refusal?: () => Refusal;
  /** The longest wait for a turn, in milliseconds; no limit by default. */
  waitMs?: number;
  /** Waiting callers per owner; by default as many as in all. */
  waitingEachMax?: number;
  /** Concurrent callers per owner; by default as many as in all. */
  atOnceEach?: number;
};

/** `owner` shares limits and turns; `waitMs` overrides the option. */
type Caller = { owner?: string; waitMs?: number | undefined };

/**
 * Limits concurrency; other callers wait. Owners take turns; callers of one owner enter in order of arrival.
 *
 * @param waitingMax maximum number of waiting callers; further ones are refused.
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
    // The owner's other callers wait for its next turn, behind the other owners.
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
