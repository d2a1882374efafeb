type Pace = {
  /** The least time between two runs. */
  gapMs: number;
  /** What the gap grows to while there is always something to do. */
  longestMs: number;
};

/**
 * Runs `work` soon after it is asked for, once for everything asked meanwhile: never twice at a time,
 * never closer together than the gap, which doubles while the asking does not stop.
 *
 * @returns how to ask, and how to stop for good
 */
export function paced(work: () => Promise<unknown>, { gapMs, longestMs }: Pace) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working = false;
  let asked = false;
  let stopped = false;
  let gap = gapMs;
  let ended = -Infinity;

  const run = async () => {
    timer = undefined;
    working = true;
    asked = false;
    try {
      await work();
    } catch {
      // Whoever shows the result shows the failure too.
    }
    working = false;
    ended = Date.now();
    gap = asked ? Math.min(longestMs, gap * 2) : gapMs;
    if (asked) plan();
  };
  const plan = () => {
    if (stopped || timer !== undefined || working) return;
    timer = setTimeout(() => void run(), Math.max(gapMs / 6, ended + gap - Date.now()));
  };
  return {
    ask() {
      asked = true;
      plan();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
