import { setTimeout as sleep } from 'node:timers/promises';

/** How often something may happen: at once so many times, then every so many milliseconds. */
export type Rate = { burst: number; everyMs: number };

/** Meta's limits: 80 messages a second from a number; one in 6 s to the same receiver, beyond a short burst. */
export const NUMBER_RATE: Rate = { burst: 80, everyMs: 1000 / 80 };
export const PAIR_RATE: Rate = { burst: 10, everyMs: 6_000 };

/** Names that were not used for so long have their whole burst again, and are forgotten. */
const SWEEP_AT = 10_000;

export type Pace = {
  /**
   * Resolves when this may happen once more under its name: with 0, or, where that would take longer than
   * `waitMsMax`, at once with how long it would; then the turn was not taken.
   *
   * @throws when the signal aborts first
   */
  turn(name: string, wait: { waitMsMax: number; signal: AbortSignal }): Promise<number>;
};

/**
 * Keeps what happens under a name at a rate: a bucket of `burst` that fills by one every `everyMs`. It is of this
 * process; what another one sends beside is answered by Meta itself.
 *
 * @param clockMs the time that passes; tests pass one of their own.
 */
export function openPace(
  { burst, everyMs }: Rate,
  clockMs: () => number = () => performance.now(),
): Pace {
  /** When the bucket of a name is full again. */
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
