import type { Progress } from '#web/ui/media/media.ts';

/** Audio reports its position so often while it plays (docs/screens.md#media). */
export const LISTEN_MS = 10_000;
/** Video looks at its progress so often. */
export const PROGRESS_MS = 1_000;
/** A seek asked for too early is forgotten after this. */
export const SEEK_ON_PLAY_MS = 5_000;

/** Time as it passes; tests bring their own. Each call returns how to stop it. */
export type Clock = {
  every: (ms: number, run: () => void) => () => void;
  after: (ms: number, run: () => void) => () => void;
};

/** The time of the machine. */
export const realClock: Clock = {
  every: (ms, run) => {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Calls back every `everyMs` of uninterrupted playing: the count starts on `play`, and `stop` (pause, end,
 * abort) throws it away, so 12 s, a pause and 9 s are reported once.
 */
export function listenClock(
  clock: Clock,
  everyMs: number,
  notify: () => void,
): { play: () => void; stop: () => void } {
  let end: (() => void) | undefined;
  return {
    play: () => {
      end ??= clock.every(everyMs, notify);
    },
    stop: () => {
      end?.();
      end = undefined;
    },
  };
}

/**
 * Looks at once and then every `everyMs`, and reports only what has changed since it last looked.
 *
 * @param read `undefined` while there is nothing to report
 * @returns how to stop
 */
export function progressClock(
  clock: Clock,
  everyMs: number,
  read: () => Progress | undefined,
  notify: (progress: Progress) => void,
): () => void {
  let before: Progress | undefined;
  const look = () => {
    const now = read();
    if (!now) return;
    const same =
      before?.playedSeconds === now.playedSeconds && before.loadedSeconds === now.loadedSeconds;
    before = now;
    if (!same) notify(now);
  };
  look();
  return clock.every(everyMs, look);
}

/** Keeps the last seek that came too early, for `expiryMs`; `take` hands it over once. */
export function seekMemory(
  clock: Clock,
  expiryMs: number,
): { hold: (amount: number) => void; take: () => number | undefined } {
  let held: number | undefined;
  let end: (() => void) | undefined;
  const take = () => {
    const amount = held;
    end?.();
    [held, end] = [undefined, undefined];
    return amount;
  };
  return {
    hold: (amount) => {
      take();
      // To the beginning is where it starts anyway.
      if (amount === 0) return;
      held = amount;
      end = clock.after(expiryMs, () => {
        held = undefined;
      });
    },
    take,
  };
}
