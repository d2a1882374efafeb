import { backoff } from '#server/infra/backoff.ts';
import type { Parting } from '#contract/channels.ts';
import type { EngineEvent } from '#server/domains/channels/web/engine/engine.ts';

export type CloseAction =
  | { kind: 'reconnect' }
  /** `says`: it continues until a person acts. */
  | { kind: 'back_off'; leastMs: number; says?: Parting }
  /** Tried again some times since it was last open; then the number is disconnected. */
  | { kind: 'retry'; triesMax: number; reason: Parting }
  /** Tried again; disconnected beyond this count in ten minutes, even if open in between. */
  | { kind: 'yield'; leastMs: number; timesMax: number; reason: Parting }
  /** `erase`: the session is unusable and is deleted. */
  | { kind: 'part'; reason: Parting; erase: boolean };

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const UNAVAILABLE_MS = 30_000;
const OUTDATED_MS = 60_000;
const BAD_SESSION_TRIES = 5;
/** Longer than a frozen worker needs to notice that it has lost its lease. */
const REPLACED_MS = 15_000;
const REPLACED_TIMES = 3;

export const RESTART_REQUIRED = 515;
const REPLACED = 440;
/** The connection went silent; while linking: its QRs are used up. */
export const TIMED_OUT = 408;

const actions: Readonly<Record<number, CloseAction>> = {
  [RESTART_REQUIRED]: { kind: 'reconnect' },
  428: { kind: 'back_off', leastMs: FIRST_MS },
  [TIMED_OUT]: { kind: 'back_off', leastMs: FIRST_MS },
  // The network no longer accepts this client: only another release of it helps.
  405: { kind: 'back_off', leastMs: OUTDATED_MS, says: 'outdated' },
  503: { kind: 'back_off', leastMs: UNAVAILABLE_MS },
  // Mostly a frozen worker of ours that has lost its lease. Two that continue close each other for ever.
  [REPLACED]: {
    kind: 'yield',
    leastMs: REPLACED_MS,
    timesMax: REPLACED_TIMES,
    reason: 'replaced',
  },
  403: { kind: 'part', reason: 'banned', erase: false },
  411: { kind: 'part', reason: 'relink', erase: false },
  419: { kind: 'part', reason: 'relink', erase: false },
  500: { kind: 'retry', triesMax: BAD_SESSION_TRIES, reason: 'relink' },
};

/** The action after a close. Unknown codes, and a proxy's 401, are temporary failures. */
export const actionFor = ({ code, isLoggedOut }: Closed): CloseAction =>
  isLoggedOut
    ? { kind: 'part', reason: 'phone', erase: true }
    : (actions[code] ?? { kind: 'back_off', leastMs: FIRST_MS });

type Closed = Pick<Extract<EngineEvent, { kind: 'closed' }>, 'code' | 'isLoggedOut'>;

export type LoginPace = {
  waitMs(): number;
  /** True while a login is delayed before it reaches the network: later ones take later slots. */
  readonly isHeldUp: boolean;
  /** Runs the steps before the network: the lease is checked, a socket thread starts. */
  run<T>(open: () => Promise<T>): Promise<T>;
};

/**
 * Spaces logins by a gap that varies by half, also for numbers that were moved, closed or delayed together.
 */
export function openLoginPace(
  gapMs: number,
  now: () => number = () => performance.now(),
  random: () => number = Math.random,
): LoginPace {
  let nextAt = -Infinity;
  let running = 0;
  return {
    waitMs() {
      const present = now();
      const at = Math.max(present, nextAt);
      nextAt = at + gapMs * (0.5 + random());
      return at - present;
    },
    get isHeldUp() {
      return gapMs > 0 && running > 0;
    },
    async run(open) {
      running += 1;
      try {
        return await open();
      } finally {
        running -= 1;
      }
    },
  };
}

/**
 * The wait before connecting again: doubles up to 60 s, give or take 20 %, so that numbers that were closed together do
 * not come back together.
 *
 * @param tries in vain since it was last open, from 1
 * @param random 0 ≤ random < 1
 * @returns whole milliseconds
 */
export const backOffMs = (tries: number, leastMs: number, random?: number): number =>
  backoff(tries, { first: leastMs, max: Math.max(LONGEST_MS, leastMs), spread: 0.2 }, random);
