const WIB_MS = 7 * 3_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_MS = HOUR_MS;
/** A backup is overdue after this long without a success. */
const OVERDUE_MS = 26 * HOUR_MS;

export type BackupState = {
  /** Nothing was due before the installation. */
  installedAt: Date;
  /** The start of the last backup, with any outcome. */
  triedAt: Date | undefined;
  okAt: Date | undefined;
};

/** The latest past occurrence of these times of day, in WIB: `03:15,12:15`. */
export function lastTimeOf(timesOfDay: string, now: Date): Date {
  const last = timesOfDay.split(',').map((timeOfDay) => {
    const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
    const ofDay = (hours * 60 + minutes) * 60_000 - WIB_MS;
    return Math.floor((now.getTime() - ofDay) / DAY_MS) * DAY_MS + ofDay;
  });
  return new Date(Math.max(...last));
}

/** True if a time of day has passed since the last backup; every hour after a failure. */
export function isDue(
  timesOfDay: string,
  now: Date,
  { installedAt, triedAt, okAt }: BackupState,
): boolean {
  const due = lastTimeOf(timesOfDay, now);
  if (installedAt > due || (okAt && okAt >= due)) return false;
  return !triedAt || triedAt < due || now.getTime() - triedAt.getTime() >= RETRY_MS;
}

export const isTooOld = (now: Date, okAt: Date): boolean =>
  now.getTime() - okAt.getTime() > OVERDUE_MS;

/** True if no backup has succeeded for 26 hours; before the first one, counted from the installation. */
export const isOverdue = (now: Date, { installedAt, okAt }: BackupState): boolean =>
  isTooOld(now, okAt ?? installedAt);
