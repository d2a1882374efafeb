/** Tries under way at once, in this process; those that wait for their answer longer than most count no more. */
const SLOTS = 64;
/** Of them for webhooks in doubt, which fail or were late a while ago: the others have the rest for themselves. */
const DOUBTFUL_SLOTS = SLOTS / 2;
/** So long after its begin a try leaves its slot to others; its endpoint gets no more until it answers. */
const SLOW_MS = 1_000;
/** Tries under way at once, those that wait long too: each is a connection. */
const TRIES_MAX = 512;

/** How many tries a process may have under way. */
export type Slots = {
  /** How many more may be begun now, and how many of them for webhooks in doubt. */
  free: () => { slots: number; doubtful: number };
  /** One is begun. @returns what is to be called when it has ended */
  take: (isDoubtful: boolean) => () => void;
  /** Whether half of them or more are taken: then what waits may wait for one that is another's. */
  areScarce: () => boolean;
};

/**
 * Counts tries. One that waits for its answer for more than a second leaves its slot: endpoints that begin to
 * hang at the same moment hold up the others for that long, and not for the whole time-out.
 *
 * @param onLeft called when a slow try has left its slot.
 */
export function openSlots(onLeft: () => void): Slots {
  let all = 0;
  let slow = 0;
  let doubtful = 0;
  const free = () => ({
    slots: Math.max(0, Math.min(SLOTS - all + slow, TRIES_MAX - all)),
    doubtful: Math.max(0, DOUBTFUL_SLOTS - doubtful),
  });
  return {
    free,
    areScarce: () => {
      const left = free();
      return left.slots <= SLOTS / 2 || left.doubtful <= DOUBTFUL_SLOTS / 2;
    },
    take: (isDoubtful) => {
      let isSlow = false;
      all += 1;
      if (isDoubtful) doubtful += 1;
      const timer = setTimeout(() => {
        isSlow = true;
        slow += 1;
        onLeft();
      }, SLOW_MS);
      return () => {
        clearTimeout(timer);
        all -= 1;
        if (isSlow) slow -= 1;
        if (isDoubtful) doubtful -= 1;
      };
    },
  };
}
