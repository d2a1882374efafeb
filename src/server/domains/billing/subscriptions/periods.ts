import { WIB } from '#contract/base/time.ts';

/** A month of a subscription: `[start, end)`, both midnights in WIB. */
export type Period = {
  /** Number of the period from the anchor, from 0. */
  n: number;
  start: Date;
  end: Date;
  firstDay: string;
  days: number;
};

const MONTHS_A_YEAR = 12;

export const wibDay = (at: Date): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(WIB).toPlainDate();

export const midnight = (day: Temporal.PlainDate): Date =>
  new Date(day.toZonedDateTime(WIB).epochMilliseconds);

/** The n-th month, counted from the anchor itself (a day in WIB, `YYYY-MM-DD`): 31 January, 28 February, 31 March. */
export function periodOf(anchor: string, n: number): Period {
  const from = Temporal.PlainDate.from(anchor);
  const first = from.add({ months: n });
  const next = from.add({ months: n + 1 });
  return {
    n,
    start: midnight(first),
    end: midnight(next),
    firstDay: first.toString(),
    days: first.until(next).days,
  };
}

/** The period that contains an instant; the first period for earlier instants. */
export function periodAt(anchor: string, at: Date): Period {
  const [from, day] = [Temporal.PlainDate.from(anchor), wibDay(at)];
  const months = (day.year - from.year) * MONTHS_A_YEAR + day.month - from.month;
  const period = periodOf(anchor, Math.max(0, months));
  return period.n > 0 && at < period.start ? periodOf(anchor, period.n - 1) : period;
}

export const periodFrom = (at: Date): Period & { anchor: string } => {
  const anchor = wibDay(at).toString();
  return { anchor, ...periodOf(anchor, 0) };
};

/**
 * Remaining days of a period, including today: all before it, 0 after it. A transaction that waited for a renewal's
 * lock at midnight may pass an instant of the previous period.
 */
export const daysLeft = (period: Period, at: Date): number =>
  Math.min(period.days, Math.max(0, wibDay(at).until(wibDay(period.end)).days));

/** The instant itself between 08.00 and 20.00 WIB, else the next 08.00: no bills at night. */
export function nextDaytime(at: Date): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(WIB);
  if (local.hour >= MORNING && local.hour < EVENING) return at;
  const day = local.hour < MORNING ? local.toPlainDate() : local.toPlainDate().add({ days: 1 });
  return new Date(
    day.toZonedDateTime({ timeZone: WIB, plainTime: { hour: MORNING } }).epochMilliseconds,
  );
}

const MORNING = 8;
const EVENING = 20;

const DAY_MS = 86_400_000;

/** Adds days of 24 hours; WIB has no summer time. */
export const addDays = (at: Date, days: number): Date => new Date(at.getTime() + days * DAY_MS);
