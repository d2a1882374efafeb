import { isTransient } from './postgres/database.ts';

/*
 * Queues are woken by the process that adds work. Polling finds what other processes added, and what a lost wake-up
 * left, so it may be slow while nothing happens: an idle process made 30 database calls a second.
 */
const QUIET_AFTER_MS = 10_000;
const QUIET_FACTOR = 4;

let workedAt = performance.now();
let isQuietAllowed = true;

/** Polls at the full rate for the next ten seconds. */
export const noteWork = (): void => {
  workedAt = performance.now();
};

/** For a process that gets all its work from others: it never polls more slowly. */
export const pollAtFullRate = (): void => {
  isQuietAllowed = false;
};

/** The interval of a loop that polls every `ms` at the full rate. */
export const intervalNow = (ms: number): number =>
  isQuietAllowed && performance.now() - workedAt > QUIET_AFTER_MS ? ms * QUIET_FACTOR : ms;

/**
 * Polls every `ms`, four times less often once no work was noted for ten seconds.
 *
 * @returns stops it.
 */
export function pollEvery(ms: number, poll: () => void): () => void {
  let skipped = 0;
  const timer = setInterval(() => {
    skipped += 1;
    if (skipped * ms < intervalNow(ms)) return;
    skipped = 0;
    poll();
  }, ms);
  return () => clearInterval(timer);
}

export type Repeated = {
  /** Runs the work now, or once more after the present run. */
  wake: () => void;
  /** The present run. */
  running: () => Promise<void> | undefined;
  /** Waits for the present run; no other starts afterwards. */
  close: () => Promise<void>;
};

/** Runs work when woken and by polling. Runs never overlap. Transient errors are not reported: a later run succeeds. */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  report: (trouble: unknown) => void,
): Repeated {
  let isPending = false;
  let isClosed = false;
  let working: Promise<void> | undefined;
  const wake = () => {
    if (isClosed) return;
    isPending = working !== undefined;
    working ??= work()
      .catch((error: unknown) => {
        if (!isTransient(error)) report(error);
      })
      .finally(() => {
        working = undefined;
        if (isPending) wake();
      });
  };
  const stop = pollEvery(everyMs, wake);
  return {
    wake,
    running: () => working,
    close: async () => {
      isClosed = true;
      stop();
      await working;
    },
  };
}
