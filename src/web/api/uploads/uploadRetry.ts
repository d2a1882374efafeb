import { Fault } from '#web/api/uploads/uploadFault.ts';

/** Runs a callback after a delay; returns its cancel function. */
export type Schedule = (afterMs: number, run: () => void) => () => void;

type RetryOptions = {
  /** The delay (ms) before each retry; as many retries as delays. */
  delaysMs: readonly number[];
  later: Schedule;
  signal: AbortSignal;
};

/**
 * Runs `work` and retries it after each delay while it fails transiently.
 *
 * @throws the last Fault; a lasting Fault at once; the reason of `signal` on abort.
 */
export async function retried<T>(
  { delaysMs, later, signal }: RetryOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  const delays = [...delaysMs];
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const delay = delays.shift();
      if (!(error instanceof Fault) || error.lasting || delay === undefined) throw error;
      await pause(delay, later, signal);
    }
  }
}

const pause = (ms: number, later: Schedule, signal: AbortSignal): Promise<void> =>
  new Promise((over, stopped) => {
    const abort = () => {
      stop();
      stopped(signal.reason as Error);
    };
    const stop = later(ms, () => {
      signal.removeEventListener('abort', abort);
      over();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
