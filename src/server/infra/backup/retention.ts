import { civilDate } from '#contract/base/time.ts';

/** How many backups are kept: the newest of so many days, weeks and months that have one. */
export type Keep = { daily: number; weekly: number; monthly: number };

const DAY_MS = 86_400_000;

/** The day, week (from Monday) and month of a moment, in WIB. */
function periodsOf(at: Date): Record<keyof Keep, string> {
  const daily = civilDate(at);
  // 1970-01-01 was a Thursday.
  const weekly = String(Math.floor((Date.parse(daily) / DAY_MS + 3) / 7));
  return { daily, weekly, monthly: daily.slice(0, 7) };
}

/**
 * Which backups may go: all but the newest, and the newest of each of the last days, weeks and months that
 * have one.
 */
export function superseded<T extends { at: Date }>(backups: readonly T[], keep: Keep): T[] {
  const newestFirst = backups.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const kept = new Set(newestFirst.slice(0, 1));
  for (const period of ['daily', 'weekly', 'monthly'] as const) {
    const seen = new Set<string>();
    for (const backup of newestFirst) {
      const name = periodsOf(backup.at)[period];
      if (seen.has(name)) continue;
      if (seen.size >= keep[period]) break;
      seen.add(name);
      kept.add(backup);
    }
  }
  return newestFirst.filter((backup) => !kept.has(backup));
}
