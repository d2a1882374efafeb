type Limits = {
  first: number;
  max: number;
  /** 0.2: ±20 %, so that callers that failed together do not come back together. */
  spread?: number;
};

/**
 * The wait after failures in a row: doubles from `first` up to `max`, in the unit of both.
 *
 * @param failures from 1
 * @param random 0 ≤ random < 1
 * @returns a whole number
 */
export function backoff(
  failures: number,
  { first, max, spread = 0 }: Limits,
  random = Math.random(),
): number {
  const steady = Math.min(max, first * 2 ** Math.min(failures - 1, 30));
  return Math.round(steady * (1 - spread + 2 * spread * random));
}
