const MINUTE_MS = 60_000;
/** Minutes after an order was made. */
const FIRST = [1, 3, 10, 30];
const THEN = 30;
/** Minutes after its time is over: for a payment at the last moment, and for what settles late. */
const AFTER = [0, 10, 1_440];

type Times = { createdAt: Date; expiresAt: Date };

/**
 * When an order's gateway is asked next: 1, 3, 10 and 30 minutes after it was made, then every 30; when its
 * time is over, ten minutes later, and once more after a day.
 *
 * @returns undefined after the last time.
 */
export function nextPollAt({ createdAt, expiresAt }: Times, now: Date): Date | undefined {
  const age = (now.getTime() - createdAt.getTime()) / MINUTE_MS;
  const next = FIRST.find((minutes) => minutes > age) ?? (Math.floor(age / THEN) + 1) * THEN;
  const regular = after(createdAt, next);
  if (regular < expiresAt) return regular;
  return AFTER.map((minutes) => after(expiresAt, minutes)).find((at) => at > now);
}

const after = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * MINUTE_MS);

/**
 * When it is tried again after trouble: 5 s, doubled with every try, up to ten minutes.
 *
 * @param tries how many there were, 1 or more.
 */
export const retryAt = (now: Date, tries: number): Date =>
  new Date(now.getTime() + Math.min(5_000 * 2 ** Math.min(tries - 1, 20), 10 * MINUTE_MS));
