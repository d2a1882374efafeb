import { civilDate, formatTime } from '#contract/base/time.ts';

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
