import { Fault } from '#web/api/uploads/uploadFault.ts';

/** Calls back after so many milliseconds; what it gives stops that. */
export type Schedule = (afterMs: number, run: () => void) => () => void;

type RetryOptions = {
  /** How long (ms) to wait before each further try; as many tries as there are. */
  delaysMs: readonly number[];
  later: Schedule;
  signal: AbortSignal;
};

/**
 * Does something, and again after each of the delays as long as it fails in a way that may pass.
 *
 * @throws the last Fault; at once, one that would only be the same again; what `signal` aborts with.
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
