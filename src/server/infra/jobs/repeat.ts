import { isTransient } from '#server/infra/postgres/database.ts';

/** Work that is done again and again. */
export type Repeated = {
  /** Does it now, or once more when it is under way. */
  wake: () => void;
  /** Waits for what is under way; nothing begins after. */
  close: () => Promise<void>;
};

/**
 * Does work every so many milliseconds, one after the other. Trouble that passes by itself is left to the next time;
 * other is reported.
 */
export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  report: (trouble: unknown) => void,
): Repeated {
  let isAsked = false;
  let isClosed = false;
  let working: Promise<void> | undefined;
  const run = async () => {
    do {
      isAsked = false;
      await work();
    } while (isAsked && !isClosed);
  };
  const wake = () => {
    if (isClosed) return;
    isAsked = true;
    working ??= run()
      .catch((error: unknown) => {
        if (!isTransient(error)) report(error);
      })
      .finally(() => (working = undefined));
  };
  const timer = setInterval(wake, everyMs);
  return {
    wake,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await working;
    },
  };
}
