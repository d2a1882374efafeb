import {
  isCivilDate,
  monthNames,
  monthOf,
  partsOf,
  plusDays,
  plusMonths,
  type Bounds,
  type CivilDate,
} from '#web/ui/date/dates.ts';

/** The weekdays in Indonesian, from Sunday. */
export const weekdayNames: readonly string[] = [
  'Minggu',
  'Senin',
  'Selasa',
  'Rabu',
  'Kamis',
  'Jumat',
  'Sabtu',
];

/** The weekday, 0 for Sunday. */
export const weekdayOf = (date: CivilDate): number => new Date(`${date}T00:00:00Z`).getUTCDay();

/** `November 2026`. */
export const showMonth = (date: CivilDate): string => {
  const { year, month } = partsOf(date);
  return `${monthNames[month - 1]} ${year}`;
};

/** `Sabtu, 21 November 2026`. */
export const showDay = (date: CivilDate): string =>
  `${weekdayNames[weekdayOf(date)]}, ${partsOf(date).day} ${showMonth(date)}`;

const WEEKS = 6;

/** The six weeks of a month's grid, from Sunday; `undefined` for days of other months. */
export function monthWeeks(date: CivilDate): readonly (readonly (CivilDate | undefined)[])[] {
  const { from, to } = monthOf(date);
  const lead = weekdayOf(from);
  return Array.from({ length: WEEKS }, (_, week) =>
    Array.from({ length: 7 }, (__, weekday) => {
      const place = week * 7 + weekday - lead;
      if (place < 0 || place >= partsOf(to).day) return undefined;
      return plusDays(from, place);
    }),
  );
}

/**
 * The target of a key in a grid of days: arrows by a day or a week, Home and End to the ends of the week, Page Up and
 * Page Down by a month, with Shift by a year, `t` to today. `undefined` for any other key; the same day at the
 * calendar's end.
 */
export function moveDay(
  day: CivilDate,
  key: string,
  { shift, today }: { shift: boolean; today: CivilDate },
): CivilDate | undefined {
  const months = shift ? 12 : 1;
  const steps: Readonly<Record<string, () => CivilDate>> = {
    ArrowLeft: () => plusDays(day, -1),
    ArrowRight: () => plusDays(day, 1),
    ArrowUp: () => plusDays(day, -7),
    ArrowDown: () => plusDays(day, 7),
    Home: () => plusDays(day, -weekdayOf(day)),
    End: () => plusDays(day, 6 - weekdayOf(day)),
    PageUp: () => plusMonths(day, -months),
    PageDown: () => plusMonths(day, months),
    t: () => today,
    T: () => today,
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return undefined;
  const next = step();
  return isCivilDate(next) ? next : day;
}

/** The first visible month: moved as little as possible, so that `day` is among `count`. */
export function showing(first: CivilDate, day: CivilDate, count: number): CivilDate {
  const { from } = monthOf(first);
  if (day < from) return monthOf(day).from;
  if (day > monthOf(from, count - 1).to) return monthOf(day, 1 - count).from;
  return from;
}

/** The first month of an opened calendar: the selected day's, or an earlier one if the calendar ends in that month. */
export function opening(day: CivilDate, count: number, { max }: Bounds): CivilDate {
  const { from, to } = monthOf(day);
  return count > 1 && max !== undefined && max <= to ? monthOf(from, 1 - count).from : from;
}
