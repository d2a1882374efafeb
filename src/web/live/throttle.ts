type Throttling = {
  /** The minimum time between two runs. */
  gapMs: number;
  /** The maximum gap under continuous requests. */
  longestMs: number;
};

/**
 * Runs `work` soon after a request, once for all requests meanwhile: never concurrently, never closer together than the
 * gap, which doubles while requests continue.
 *
 * @returns the request function and the stop function
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
      // The failure is shown where the result is.
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
