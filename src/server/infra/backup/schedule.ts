const WIB_MS = 7 * 3_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How soon a backup that failed is tried again. */
const RETRY_MS = HOUR_MS;
/** After so long without one that came about, a backup is overdue. */
const OVERDUE_MS = 26 * HOUR_MS;

/** What is known of the backups of an installation. */
export type BackupState = {
  /** When the installation was made: nothing was due before. */
  installedAt: Date;
  /** When the last one was begun, however it ended; and the last one that came about. */
  triedAt: Date | undefined;
  okAt: Date | undefined;
};

/** The last moment at which one of these times of day, in WIB, has come: `03:15,12:15`. */
export function lastTimeOf(timesOfDay: string, now: Date): Date {
  const last = timesOfDay.split(',').map((timeOfDay) => {
    const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number);
    const ofDay = (hours * 60 + minutes) * 60_000 - WIB_MS;
    return Math.floor((now.getTime() - ofDay) / DAY_MS) * DAY_MS + ofDay;
  });
  return new Date(Math.max(...last));
}

/**
 * True when a backup is to be made now: a time of day for it has come, also while nothing ran, and none was
 * made since. One that failed is tried again every hour.
 */
export function isDue(
  timesOfDay: string,
  now: Date,
  { installedAt, triedAt, okAt }: BackupState,
): boolean {
  const due = lastTimeOf(timesOfDay, now);
  if (installedAt > due || (okAt && okAt >= due)) return false;
  return !triedAt || triedAt < due || now.getTime() - triedAt.getTime() >= RETRY_MS;
}

/** True when the last one that came about is older than a day and two hours. */
export const isTooOld = (now: Date, okAt: Date): boolean =>
  now.getTime() - okAt.getTime() > OVERDUE_MS;

/** True when one should have come about long ago. */
export const isOverdue = (now: Date, { installedAt, okAt }: BackupState): boolean =>
  isTooOld(now, okAt ?? installedAt);
