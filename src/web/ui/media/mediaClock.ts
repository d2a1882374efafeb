import type { Progress } from '#web/ui/media/media.ts';

/** The interval of audio position reports during playing (docs/screens.md#media). */
export const LISTEN_MS = 10_000;
/** The interval of video progress checks. */
export const PROGRESS_MS = 1_000;
/** An early seek expires after this. */
export const SEEK_ON_PLAY_MS = 5_000;

/** A clock; tests pass their own. Each call returns its stop function. */
export type Clock = {
  every: (ms: number, run: () => void) => () => void;
  after: (ms: number, run: () => void) => () => void;
};

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
 * Calls back every `everyMs` of uninterrupted playing: the count starts on `play`, and `stop` (pause, end, abort)
 * discards it, so 12 s, a pause and 9 s are reported once.
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
 * Reads at once and then every `everyMs`; reports only changes.
 *
 * @param read `undefined` while there is nothing to report
 * @returns the stop function
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

/** Remembers the last early seek for `expiryMs`; `take` returns it once. */
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
      // Playing starts at 0 anyway.
      if (amount === 0) return;
      held = amount;
      end = clock.after(expiryMs, () => {
        held = undefined;
      });
    },
    take,
  };
}
