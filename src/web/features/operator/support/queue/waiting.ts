export type Pressure = 'fine' | 'soon' | 'late';

/** Minutes of opening hours from which an answer is due soon, and late. */
const SOON_MINUTES = 15;
const LATE_MINUTES = 60;

export function pressureOf(minutes: number): Pressure {
  if (minutes >= LATE_MINUTES) return 'late';
  return minutes >= SOON_MINUTES ? 'soon' : 'fine';
}

/** The waiting time by the clock: `baru saja`, `12 mnt`, `3 jam`, `2 hari`. */
export function waitedFor(since: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - since.getTime()) / 60_000);
  if (minutes < 1) return 'baru saja';
  if (minutes < 60) return `${minutes} mnt`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} jam` : `${Math.floor(hours / 24)} hari`;
}
