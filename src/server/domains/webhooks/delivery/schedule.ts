const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long is waited before each try after the first. */
const WAITS_MS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;

/** No endpoint is waited for longer than that, whatever it asks. */
const ASKED_MS_MAX = 24 * HOUR;

/**
 * How long to wait before a delivery is tried again: 5 s at first, 24 h at last, give or take 10 %, so that an
 * endpoint which comes back is not met by everything at once. As long as the endpoint asked, when that is
 * longer, but a day at most.
 *
 * @param tries how many have failed, counting from 1.
 * @param askedMs the `Retry-After` of the answer.
 * @param dice 0 ≤ dice < 1.
 * @returns whole milliseconds; undefined after the 13th try, a little more than three days after the first.
 */
export function retryWaitMs(
  tries: number,
  askedMs = 0,
  dice: number = Math.random(),
): number | undefined {
  const steady = WAITS_MS[tries - 1];
  if (steady === undefined) return undefined;
  const own = Math.round(steady * (0.9 + 0.2 * dice));
  return Math.max(own, Math.min(askedMs, ASKED_MS_MAX));
}

/** When the pause ends that an endpoint asks for: a day from now at the latest. */
export const pauseUntil = (now: Date, askedMs: number): Date =>
  new Date(now.getTime() + Math.min(askedMs, ASKED_MS_MAX));

/**
 * What a `Retry-After` asks for, in milliseconds from now: seconds, or a date. Undefined for what is neither.
 */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  const at = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
