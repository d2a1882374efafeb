import { civilDate, formatTime, WIB } from '#contract/base/time.ts';
import { nextTime } from '#web/ui/time/time.ts';

const WIB_MS = 7 * 3_600_000;
const MORNING = '08:00';

/** The form value of a moment: `YYYY-MM-DDTHH:MM` in WIB; an instant is truncated to its minute. */
export const momentAt = (at: Date): string =>
  new Date(at.getTime() + WIB_MS).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);

export const instantOf = (moment: string): string | undefined =>
  moment === '' ? undefined : `${moment}:00+07:00`;

/** Changes the day and keeps the time; defaults to the next half hour today, else the morning. */
export function withDay(moment: string, day: string, now: Date): string {
  const [, chosen] = moment.split('T');
  const next = nextTime(formatTime(now, WIB), true)?.slice(0, 'HH:MM'.length);
  const isToday = day === civilDate(now, WIB) && next !== '00:00';
  return `${day}T${chosen ?? (isToday ? next : undefined) ?? MORNING}`;
}
