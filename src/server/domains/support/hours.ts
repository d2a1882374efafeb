import type { SupportHours } from '#contract/support.ts';
import { civilDate, wibMidnight } from '#contract/base/time.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** Opening and closing time of a day: `08:00`, `24:00`. A closing time before the opening time is on the next day. */
export type OpeningTime = { open: string; close: string };

export type OpeningHours = {
  /** Monday first; null on closed days. */
  days: readonly (OpeningTime | null)[];
  /** Closed dates: `2026-12-25`. */
  days_off: readonly string[];
  note: string;
};

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS_AHEAD = 60;
/** Longer waits count as this long. */
const DAYS_WAITED_MAX = 60;

/** `[from, until)`, in milliseconds since 1970. */
type OpenPeriod = { from: number; until: number };

const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
};

/** The opening period that begins on a civil day; undefined if it does not open then. */
function openPeriodOf({ days, days_off }: OpeningHours, day: string): OpenPeriod | undefined {
  if (days_off.includes(day)) return undefined;
  const midnight = wibMidnight(day).getTime();
  const time = days[(new Date(day).getUTCDay() + 6) % 7];
  if (!time) return undefined;
  const from = midnight + minutesOf(time.open) * MINUTE_MS;
  const until = midnight + minutesOf(time.close) * MINUTE_MS;
  return { from, until: until > from ? until : until + DAY_MS };
}

/** Consecutive opening periods, from the day before an instant on, because that one may extend past midnight. */
function* openPeriodsFrom(hours: OpeningHours, at: Date, count: number): Generator<OpenPeriod> {
  const first = Date.parse(civilDate(at)) - DAY_MS;
  for (let n = 0; n <= count; n++) {
    const stretch = openPeriodOf(hours, new Date(first + n * DAY_MS).toISOString().slice(0, 10));
    if (stretch) yield stretch;
  }
}

export function supportHours(hours: OpeningHours, now: Date): SupportHours {
  const at = now.getTime();
  let opensAt: Date | null = null;
  let isOpen = false;
  for (const { from, until } of openPeriodsFrom(hours, now, DAYS_AHEAD)) {
    if (until <= at) continue;
    isOpen = from <= at;
    opensAt = isOpen ? null : new Date(from);
    break;
  }
  return { open_now: isOpen, opens_at: opensAt, lines: linesOf(hours), note: hours.note };
}

export function workingSeconds(hours: OpeningHours, since: Date, until: Date): number {
  const [from, to] = [since.getTime(), until.getTime()];
  if (to <= from) return 0;
  const days = Math.min(Math.ceil((to - from) / DAY_MS) + 2, DAYS_WAITED_MAX);
  let ms = 0;
  let reached = from;
  for (const stretch of openPeriodsFrom(hours, since, days)) {
    // Overlapping periods, one across midnight and the next day's, count once.
    const begin = Math.max(stretch.from, reached);
    const end = Math.min(stretch.until, to);
    if (end <= begin) continue;
    ms += end - begin;
    reached = end;
  }
  return Math.round(ms / 1_000);
}

export const waitedMinutes = (hours: OpeningHours, since: Date | null, at: Date): number | null =>
  since && Math.floor(workingSeconds(hours, since, at) / 60);

const dayNames = ['Senin', 'Selasa', 'Rabu', 'Kamis', 'Jumat', 'Sabtu', 'Minggu'];

/** Consecutive days with the same hours share a line: `Senin–Jumat 08.00–17.00 WIB`. */
function linesOf({ days }: OpeningHours): string[] {
  const lines: string[] = [];
  for (let first = 0; first < dayNames.length;) {
    const time = days[first] ?? null;
    let last = first;
    while (last + 1 < dayNames.length && isSame(time, days[last + 1] ?? null)) last += 1;
    if (time) {
      const name = first === last ? dayNames[first] : `${dayNames[first]}–${dayNames[last]}`;
      const dotted = (clock: string) => clock.replace(':', '.');
      lines.push(`${name} ${dotted(time.open)}–${dotted(time.close)} WIB`);
    }
    first = last + 1;
  }
  return lines;
}

const isSame = (one: OpeningTime | null, other: OpeningTime | null): boolean =>
  one?.open === other?.open && one?.close === other?.close;

export type UsualAnswer = () => Promise<number | null>;

const DAYS = 30;
const ANSWERS_MIN = 5;
const CACHE_TTL_MS = 60_000;

/**
 * The median of the last 30 days, over all accounts, without personal data. Queries the database once a minute at most.
 */
export function openUsualAnswer(allAccountsSql: Sql, now: () => Date): UsualAnswer {
  let cached: { seconds: Promise<number | null>; until: number } | undefined;
  return () => {
    if (cached && performance.now() < cached.until) return cached.seconds;
    const seconds = medianOf(allAccountsSql, now());
    cached = { seconds, until: performance.now() + CACHE_TTL_MS };
    seconds.catch(() => {
      cached = undefined;
    });
    return seconds;
  };
}

async function medianOf(allAccountsSql: Sql, at: Date): Promise<number | null> {
  const since = new Date(at.getTime() - DAYS * 86_400_000);
  const [found] = await allAccountsSql<{ answers: number; seconds: number | null }[]>`
    select count(*) as answers,
      percentile_cont(0.5) within group (order by answer_seconds)::float8 as seconds
    from support_messages where answer_seconds is not null and at >= ${since}`;
  if (!found || found.seconds === null || found.answers < ANSWERS_MIN) return null;
  return Math.round(found.seconds);
}
