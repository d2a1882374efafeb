import { civilDate, formatTime } from '#contract/base/time.ts';

const two = (value: number): string => String(value).padStart(2, '0');
const at = (slot: number, half: boolean): string =>
  half ? `${two(slot >> 1)}:${slot % 2 === 0 ? '00' : '30'}:00` : `${two(slot)}:00:00`;

/** The times of a day as `HH:MM:SS`: 24 full hours, or 48 with the halves. */
export const timeOptions = (half = false): readonly string[] =>
  Array.from({ length: half ? 48 : 24 }, (_, slot) => at(slot, half));

/** `14:30:00` → `14.30`: the Indonesian notation, without seconds. */
export const showTime = (time: string): string => time.slice(0, 5).replace(':', '.');

/**
 * The initial value of a time select: the first full (or half) hour after `now` (`HH:MM` or `HH:MM:SS`), after 23.59
 * that of the next day, `00:00:00`; `undefined` if `now` is invalid.
 */
export function nextTime(now: string, half = false): string | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3])[:.]([0-5]\d)/.exec(now) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const past = Number(hours) * 60 + Number(minutes);
  const slots = half ? 48 : 24;
  return at((Math.floor(past / (half ? 30 : 60)) + 1) % slots, half);
}

/** An instant in the format of a datetime-local field, `2026-11-21T09:05`, in a zone. */
export const localDateTime = (at: Date, zone?: string): string =>
  `${civilDate(at, zone)}T${formatTime(at, zone).replace('.', ':')}`;

/** The instant of a datetime-local value, `2026-11-21T09:05`, in a zone; undefined if it is invalid. */
export function instantOfLocal(local: string, zone?: string): Date | undefined {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local)) return undefined;
  const asUtc = Date.parse(`${local}:00Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const ahead = Date.parse(`${localDateTime(new Date(asUtc), zone)}:00Z`) - asUtc;
  return new Date(asUtc - ahead);
}
