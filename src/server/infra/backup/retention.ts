/** How many backups are kept: the newest of so many days, weeks and months that have one. */
export type Keep = { daily: number; weekly: number; monthly: number };

const WIB_MS = 7 * 3_600_000;
const DAY_MS = 86_400_000;

/** The day, week (from Monday) and month of a moment, in WIB. */
function periodsOf(at: Date): Record<keyof Keep, string> {
  const local = new Date(at.getTime() + WIB_MS);
  const day = Math.floor(local.getTime() / DAY_MS);
  return {
    daily: String(day),
    // 1970-01-01 was a Thursday.
    weekly: String(Math.floor((day + 3) / 7)),
    monthly: local.toISOString().slice(0, 7),
  };
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
