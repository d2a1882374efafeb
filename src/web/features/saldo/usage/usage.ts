import { formatDate } from '#contract/base/time.ts';
import type { Pace, UsageDay } from '#contract/saldo.ts';
import type { Bar } from '#web/ui/chart/SmallBars.tsx';

const YEAR_DAYS = 365;

/**
 * Whole days a saldo lasts at a pace, `less` than one, or `year` and more; undefined if unknown.
 */
export function lastsFor(
  available: number,
  pace: Pace | undefined,
): number | 'less' | 'year' | undefined {
  if (pace?.state !== 'known') return undefined;
  const days = Math.floor(available / Math.max(1, pace.per_day));
  if (days < 1) return 'less';
  return days > YEAR_DAYS ? 'year' : days;
}

/** `21 Nov`: the year is redundant within a month. */
const dayLabel = (date: string): string =>
  formatDate(`${date}T00:00:00+07:00`).replace(/ \d{4}$/, '');

export const barsOf = (days: readonly UsageDay[]): readonly Bar[] =>
  days.map(({ date, captured, held, plan }) => ({
    label: dayLabel(date),
    values: { captured, held, plan },
  }));

type Sums = { messages: number; plan: number };

export const sumsOf = (days: readonly UsageDay[]): Sums =>
  days.reduce<Sums>(
    (sums, { captured, held, plan }) => ({
      messages: sums.messages + captured + held,
      plan: sums.plan + plan,
    }),
    { messages: 0, plan: 0 },
  );
