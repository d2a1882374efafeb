import { setTimeout as sleep } from 'node:timers/promises';

export type Rate = { burst: number; everyMs: number };

/** Meta's limits: 80 messages a second per number; one in 6 s per receiver, beyond a burst. */
export const NUMBER_RATE: Rate = { burst: 80, everyMs: 1000 / 80 };
export const PAIR_RATE: Rate = { burst: 10, everyMs: 6_000 };

/** From this many names on, those whose burst is full again are forgotten. */
const SWEEP_AT = 10_000;

export type Pace = {
  /**
   * Resolves with 0 once the name may act again, or at once with the wait in ms if it exceeds `waitMsMax`: then no turn
   * was taken.
   *
   * @throws when the signal aborts first
   */
  turn(name: string, wait: { waitMsMax: number; signal: AbortSignal }): Promise<number>;
};

/**
 * Limits the rate per name: a bucket of `burst` that fills by one every `everyMs`. Local to this process; if others
 * send too, Meta itself refuses what exceeds its limits.
 *
 * @param clockMs a clock; tests pass their own
 */
export function openPace(
  { burst, everyMs }: Rate,
  clockMs: () => number = () => performance.now(),
): Pace {
  const fullAt = new Map<string, number>();
  return {
    async turn(name, { waitMsMax, signal }) {
      const now = clockMs();
      const from = Math.max(now, fullAt.get(name) ?? now);
      const waitMs = from - now - (burst - 1) * everyMs;
      if (waitMs > waitMsMax) return waitMs;
      fullAt.set(name, from + everyMs);
      if (fullAt.size > SWEEP_AT) {
        for (const [known, until] of fullAt) if (until <= now) fullAt.delete(known);
      }
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      return 0;
    },
  };
}
