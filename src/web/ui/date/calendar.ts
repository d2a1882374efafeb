import {
  isCivilDate,
  monthNames,
  monthOf,
  partsOf,
  plusDays,
  plusMonths,
  type Bounds,
  type CivilDate,
  daysIn,
  type DateRange,
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

const words: Readonly<Record<string, number>> = { 'hari ini': 0, kemarin: -1, besok: 1 };
/** Common abbreviations that are not the beginning of a month's name. */
const shortForms: Readonly<Record<string, string>> = { agt: 'agu', ags: 'agu', nop: 'nov' };

/** A month's number from its name or the beginning of it (three letters at least), else 0. */
function monthNumber(text: string): number {
  const name = shortForms[text] ?? text;
  return monthNames.findIndex((month) => month.toLowerCase().startsWith(name)) + 1;
}

type Typed = { day: number; month: number | undefined; year: number | undefined };

const fullYear = (text: string): number => Number(text.padStart(4, '20'));

/** The parts of a date in a text; a day alone only if another date provides the rest. */
function partsIn(text: string): Typed | undefined {
  const parts = /^(\d{1,2})(?:[\s/.-]+(?:(\d{1,2})|([a-z]{3,}))(?:[\s/.-]+(\d{4}|\d{2}))?)?$/.exec(
    text,
  );
  if (!parts) return undefined;
  const [, day, number, name, year] = parts;
  const month = number ?? (name && String(monthNumber(name)));
  return {
    day: Number(day),
    month: month === undefined ? undefined : Number(month),
    year: year === undefined ? undefined : fullYear(year),
  };
}

function dateOf({ day, month = 0 }: Typed, year: number): CivilDate | undefined {
  const two = (part: number) => String(part).padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return isCivilDate(date) ? date : undefined;
}

const tidy = (typed: string): string => typed.trim().toLowerCase().replace(/\s+/g, ' ');

function plainDate(text: string, today: CivilDate): CivilDate | undefined {
  const days = Object.hasOwn(words, text) ? words[text] : undefined;
  if (days !== undefined) return plusDays(today, days);
  return isCivilDate(text) ? text : undefined;
}

/**
 * Parses a typed date: `21/11/2026`, `21-11-26`, `3 okt`, `3 okt 2026`, `2026-11-21`, `hari ini`, `kemarin`. Without a
 * year, this year. `undefined` if it is invalid.
 */
export function readDate(typed: string, today: CivilDate): CivilDate | undefined {
  const text = tidy(typed);
  const plain = plainDate(text, today);
  if (plain !== undefined) return plain;
  const parts = partsIn(text);
  return parts && dateOf(parts, parts.year ?? partsOf(today).year);
}

/** The error for invalid input; a day that does not exist has its own. `undefined` for valid or empty input. */
export function whyNoDate(
  typed: string,
  today: CivilDate,
  { single }: { single: boolean },
): string | undefined {
  const text = tidy(typed);
  const read = single ? readDate : readRange;
  if (text === '' || read(text, today) !== undefined) return undefined;
  const missing = (single ? [text] : text.split(BETWEEN)).find(
    (part) => readDate(part, today) === undefined && partsIn(part)?.month !== undefined,
  );
  if (missing !== undefined) return `Tanggal ${missing} tidak ada.`;
  return single
    ? 'Tulis tanggal seperti 21/11/2026 atau 21 nov.'
    : 'Tulis rentang seperti 1/11/2026 - 21/11/2026.';
}

/** The separator of a range; a hyphen needs spaces around it. */
const BETWEEN = /\s*[–—]\s*|\s+(?:-|s\/d|sd|sampai|hingga)\s+/;

/** Half a year: the maximum length of a range across New Year without years. */
const ACROSS_DAYS = 183;

/**
 * Parses a typed range: `start - end`, each as in `readDate`, or one date for a single day. The start may omit parts
 * given by the end (`1 - 21 nov 2026`, `28 des - 3 jan 2027`); reversed dates are swapped. `undefined` if it is
 * invalid.
 */
export function readRange(typed: string, today: CivilDate): DateRange | undefined {
  const [start = '', end, ...more] = tidy(typed).split(BETWEEN);
  if (more.length > 0) return undefined;
  if (end === undefined) {
    const day = readDate(start, today);
    return day === undefined ? undefined : { from: day, to: day };
  }
  const to = readDate(end, today);
  const from = to === undefined ? undefined : startBefore(start, to, today);
  if (to === undefined || from === undefined) return undefined;
  return from <= to ? { from, to } : { from: to, to: from };
}

/** The start of a range; the end provides missing parts. */
function startBefore(start: string, to: CivilDate, today: CivilDate): CivilDate | undefined {
  const plain = plainDate(start, today);
  if (plain !== undefined) return plain;
  const parts = partsIn(start);
  if (!parts) return undefined;
  const end = partsOf(to);
  const whole = { ...parts, month: parts.month ?? end.month };
  const date = dateOf(whole, whole.year ?? end.year);
  if (parts.year !== undefined || parts.month === undefined) return date;
  const before = dateOf(whole, end.year - 1);
  const later = date === undefined || date > to;
  return later && before && daysIn({ from: before, to }) <= ACROSS_DAYS ? before : date;
}
