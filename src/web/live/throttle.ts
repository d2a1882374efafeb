type Throttling = {
  /** The least time between two runs. */
  gapMs: number;
  /** What the gap grows to while there is always something to do. */
  longestMs: number;
};

/**
 * Runs `work` soon after it is requested, once for everything requested meanwhile: never twice at a time,
 * never closer together than the gap, which doubles while the requests do not stop.
 *
 * @returns how to request it, and how to stop for good
 */
export function throttle(work: () => Promise<unknown>, { gapMs, longestMs }: Throttling) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let working = false;
  let requested = false;
  let stopped = false;
  let gap = gapMs;
  let ended = -Infinity;

  const run = async () => {
    timer = undefined;
    working = true;
    requested = false;
    try {
      await work();
    } catch {
      // Whoever shows the result shows the failure too.
    }
    working = false;
    ended = Date.now();
    gap = requested ? Math.min(longestMs, gap * 2) : gapMs;
    if (requested) plan();
  };
  const plan = () => {
    if (stopped || timer !== undefined || working) return;
    timer = setTimeout(() => void run(), Math.max(gapMs / 6, ended + gap - Date.now()));
  };
  return {
    request() {
      requested = true;
      plan();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
