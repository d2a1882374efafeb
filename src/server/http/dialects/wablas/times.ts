import { type Given, textOf, wrong } from '#server/http/dialects/given.ts';
import { isPlannable } from '#server/http/dialects/pivot.ts';

/** Hours before UTC of the zones that a plan may name, the whole year. */
const hours: Readonly<Record<string, number>> = {
  'Asia/Jakarta': 7,
  'Asia/Pontianak': 7,
  'Asia/Makassar': 8,
  'Asia/Singapore': 8,
  'Asia/Jayapura': 9,
  UTC: 0,
};
const ZONE = 'Asia/Jakarta';

/** An instant that a call plans for, and how the answer writes it. */
export type Planned = { at: Date; timezone: string; schedule_at: string };

/**
 * When a call plans to send: `scheduled_at`, or `date` and `time`, in `timezone` (else WIB).
 *
 * @throws Refusal `input_invalid`
 */
export function plannedIn(given: Given): Planned {
  const timezone = (textOf(given, 'timezone') ?? ZONE).trim();
  const offset = Object.hasOwn(hours, timezone) ? hours[timezone] : undefined;
  if (offset === undefined) throw wrong('timezone', `Pilih: ${Object.keys(hours).join(', ')}.`);
  const date = textOf(given, 'date');
  const whole = textOf(given, 'scheduled_at') ?? `${date ?? ''} ${textOf(given, 'time') ?? ''}`;
  const local = localMs(whole.trim());
  const atMs = local === undefined ? Number.NaN : local - offset * 3_600_000;
  if (local === undefined || !isPlannable(atMs)) {
    throw wrong('scheduled_at', 'Harus waktu seperti 2026-12-24 09:00:00.');
  }
  return { at: new Date(atMs), timezone, schedule_at: written(local) };
}

/** `2026-12-24 09:00:00` as milliseconds, as if it were UTC; undefined for what no calendar has. */
function localMs(text: string): number | undefined {
  const [, day, hour, minute, second = '00'] =
    /^(\d{4}-\d{2}-\d{2})[ T](\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) ?? [];
  if (day === undefined || hour === undefined) return undefined;
  const iso = `${day}T${hour.padStart(2, '0')}:${minute}:${second}.000Z`;
  const ms = Date.parse(iso);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === iso ? ms : undefined;
}

const written = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

/** An instant in WIB, as answers write it. */
export const inWib = (at: Date | string): string => written(new Date(at).getTime() + 7 * 3_600_000);

const DAY_MS = 86_400_000;

/** A day of WIB, from its first instant to the first of the next one. */
export type Day = { from: Date; to: Date };

/** The day that is written `2026-11-23`, in WIB; undefined for what no calendar has, or a year nobody means. */
export function dayOf(text: string): Day | undefined {
  const local = localMs(`${text} 00:00:00`);
  if (local === undefined || !isPlannable(local)) return undefined;
  const from = local - 7 * 3_600_000;
  return { from: new Date(from), to: new Date(from + DAY_MS) };
}

/** The day in WIB on which an instant falls. */
export const dayAt = (now: Date): Day => dayOf(inWib(now).slice(0, 10)) ?? { from: now, to: now };
