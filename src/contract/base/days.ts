import * as z from 'zod/mini';
import { schema } from './schema.ts';

/** False for days that do not exist, such as 2026-02-31. */
function isDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const FIRST_DAY = '1971-01-01';
const LAST_DAY = '9000-01-01';

const withinYears = (day: string): string => {
  if (day < FIRST_DAY) return FIRST_DAY;
  return day > LAST_DAY ? LAST_DAY : day;
};

/** A day as forms write it, `YYYY-MM-DD`; days before 1971 or after 9000 are clamped. */
export const CivilDay = schema(() =>
  z.pipe(
    z
      .string()
      .check(
        z.regex(/^\d{4}-\d{2}-\d{2}$/, 'Tanggal ditulis TTTT-BB-HH.'),
        z.refine(isDay, 'Tanggal ini tidak ada.'),
      ),
    z.transform(withinYears),
  ),
);

const [CALENDAR_BEGIN, CALENDAR_END] = [Date.UTC(2000, 0, 1), Date.UTC(3000, 0, 1)];

/** Whether an instant as forms write it is within the supported years: the database has no year 0. */
export const isInCalendar = (at: string): boolean =>
  Date.parse(at) >= CALENDAR_BEGIN && Date.parse(at) < CALENDAR_END;
