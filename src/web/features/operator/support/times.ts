import { civilDate, WIB } from '#contract/base/time.ts';
import { plusDays } from '#web/ui/date/dates.ts';

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

export const SNOOZE_DAYS_MAX = 30;

const HOUR_MS = 3_600_000;
const MORNING = '08:00:00';

export type SnoozeTime = { label: string; until: Date };

export const inWib = (day: string, time: string): Date => new Date(`${day}T${time}+07:00`);

/** Sunday is 0. */
const weekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

/** The next Monday after a day; after a Monday a week later. */
const mondayAfter = (day: string): string => plusDays(day, (8 - weekday(day)) % 7 || 7);

/** The offered ends of a snooze; mornings are in WIB, in every browser's zone. */
export function snoozeTimes(now: Date): readonly SnoozeTime[] {
  const today = civilDate(now, WIB);
  const [tomorrow, monday] = [plusDays(today, 1), mondayAfter(today)];
  return [
    { label: '1 jam', until: new Date(now.getTime() + HOUR_MS) },
    { label: 'Besok 08.00', until: inWib(tomorrow, MORNING) },
    // On Sundays that is tomorrow.
    ...(monday === tomorrow ? [] : [{ label: 'Senin depan 08.00', until: inWib(monday, MORNING) }]),
  ];
}

export function snoozeFault(until: Date, now: Date): string | undefined {
  if (Number.isNaN(until.getTime())) return 'Pilih tanggal dan jamnya.';
  if (until.getTime() <= now.getTime()) return 'Pilih waktu yang belum lewat.';
  const latest = now.getTime() + SNOOZE_DAYS_MAX * 24 * HOUR_MS;
  return until.getTime() > latest ? `Paling lama ${SNOOZE_DAYS_MAX} hari.` : undefined;
}
