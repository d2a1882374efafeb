/** A civil date as `YYYY-MM-DD`, without time and time zone. */
export type CivilDate = string;
/** Two civil dates, both included; `from` is never after `to`. */
export type DateRange = { from: CivilDate; to: CivilDate };

const DAY_MS = 86_400_000;

export const monthNames: readonly string[] = [
  'Januari',
  'Februari',
  'Maret',
  'April',
  'Mei',
  'Juni',
  'Juli',
  'Agustus',
  'September',
  'Oktober',
  'November',
  'Desember',
];

function utc(year: number, month: number, day: number): Date {
  const at = new Date(0);
  at.setUTCFullYear(year, month, day);
  return at;
}

const civil = (at: Date): CivilDate => at.toISOString().slice(0, 10);
const instant = (date: CivilDate): number => Date.parse(`${date}T00:00:00Z`);

/** Year, month (from 1) and day of a date. */
export function partsOf(date: CivilDate): { year: number; month: number; day: number } {
  const [year = 1970, month = 1, day = 1] = date.split('-').map(Number);
  return { year, month, day };
}

/** True for an existing date, written `YYYY-MM-DD`. */
export function isCivilDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(instant(text));
  return !Number.isNaN(at.getTime()) && civil(at) === text;
}

/** Adds days to a date; negative: earlier. */
export const plusDays = (date: CivilDate, days: number): CivilDate =>
  civil(new Date(instant(date) + days * DAY_MS));

/** Adds months to a date (negative: earlier); the day is at most that month's last: 31 Jan → 28 Feb. */
export function plusMonths(date: CivilDate, months: number): CivilDate {
  const { year, month, day } = partsOf(date);
  const last = utc(year, month + months, 0);
  last.setUTCDate(Math.min(day, last.getUTCDate()));
  return civil(last);
}

/** The number of days in a range, both ends included. */
export const daysIn = ({ from, to }: DateRange): number =>
  Math.round((instant(to) - instant(from)) / DAY_MS) + 1;

/** The first and the last day of a month, `offset` months from the date's own. */
export function monthOf(date: CivilDate, offset = 0): DateRange {
  const { year, month } = partsOf(date);
  return {
    from: civil(utc(year, month - 1 + offset, 1)),
    to: civil(utc(year, month + offset, 0)),
  };
}

/** The specified presets and keys; some include `today`. */
export const presets = {
  Today: (today: CivilDate): DateRange => ({ from: today, to: today }),
  Yesterday: (today: CivilDate): DateRange => {
    const before = plusDays(today, -1);
    return { from: before, to: before };
  },
  'Last 7 Days': (today: CivilDate): DateRange => ({ from: plusDays(today, -6), to: today }),
  'Last 30 Days': (today: CivilDate): DateRange => ({ from: plusDays(today, -29), to: today }),
  'This Month': (today: CivilDate): DateRange => monthOf(today),
  'Last Month': (today: CivilDate): DateRange => monthOf(today, -1),
} as const;
export type Preset = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly Preset[];

/** The labels of a date picker: English by default. */
export type DateWord = Preset | 'Custom Range' | 'Apply' | 'Cancel';

/** The product's Indonesian labels. */
export const dateWords: Readonly<Record<DateWord, string>> = {
  Today: 'Hari ini',
  Yesterday: 'Kemarin',
  'Last 7 Days': '7 hari terakhir',
  'Last 30 Days': '30 hari terakhir',
  'This Month': 'Bulan ini',
  'Last Month': 'Bulan lalu',
  'Custom Range': 'Rentang khusus',
  Apply: 'Terapkan',
  Cancel: 'Batal',
};

/** The selectable days, and the maximum length of a range in days. */
export type Bounds = {
  min?: CivilDate | undefined;
  max?: CivilDate | undefined;
  maxSpan?: number | undefined;
};

/** True if the whole range is selectable. */
export const fits = (range: DateRange, { min, max, maxSpan }: Bounds): boolean =>
  (min === undefined || range.from >= min) &&
  (max === undefined || range.to <= max) &&
  (maxSpan === undefined || daysIn(range) <= maxSpan);

/** The preset cut to the bounds; `undefined` if no day is left or it is too long. */
export function presetWithin(
  name: Preset,
  today: CivilDate,
  bounds: Bounds,
): DateRange | undefined {
  const { from, to } = presets[name](today);
  const { min = from, max = to } = bounds;
  const range = { from: from < min ? min : from, to: to > max ? max : to };
  return range.from <= range.to && fits(range, bounds) ? range : undefined;
}

/** The preset that gives exactly this range today, if any. */
export const presetOf = (
  range: DateRange,
  today: CivilDate,
  bounds: Bounds = {},
): Preset | undefined =>
  presetNames.find((name) => {
    const made = presetWithin(name, today, bounds);
    return made?.from === range.from && made.to === range.to;
  });

const shortMonth = (month: number): string => monthNames[month - 1]?.slice(0, 3) ?? '';

/** `2026-11-21` → `21 Nov 2026`; returns invalid text unchanged. */
export function showDate(date: CivilDate): string {
  if (!isCivilDate(date)) return date;
  const { year, month, day } = partsOf(date);
  return `${day} ${shortMonth(month)} ${year}`;
}

/** `21 Nov 2026` for one day, `1 – 21 Nov 2026`, `28 Okt – 3 Nov 2026`, or both years when they differ. */
export function showRange({ from, to }: DateRange): string {
  if (from === to) return showDate(from);
  const [start, end] = [partsOf(from), partsOf(to)];
  if (start.year !== end.year) return `${showDate(from)} – ${showDate(to)}`;
  return start.month === end.month
    ? `${start.day} – ${showDate(to)}`
    : `${start.day} ${shortMonth(start.month)} – ${showDate(to)}`;
}

/** A range being selected: nothing, its first day, or both. */
export type Picked = { from?: CivilDate | undefined; to?: CivilDate | undefined };

/** Applies a click: start, then end; a day before the start, or a third click, restarts. */
export function pickDay({ from, to }: Picked, day: CivilDate): Picked {
  if (from === undefined || to !== undefined || day < from) return { from: day };
  return { from, to: day };
}

/** True if the day is selectable: within the bounds, and not too far from the start. */
export function mayPick(day: CivilDate, { from, to }: Picked, bounds: Bounds): boolean {
  if (!fits({ from: day, to: day }, bounds)) return false;
  const ends = from !== undefined && to === undefined && day > from;
  return !ends || fits({ from, to: day }, bounds);
}

/** The selected range once it is complete. */
export const wholeRange = ({ from, to }: Picked): DateRange | undefined =>
  from !== undefined && to !== undefined ? { from, to } : undefined;
