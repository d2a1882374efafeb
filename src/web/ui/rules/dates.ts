/** Civil dates as `YYYY-MM-DD`, without a clock and without a zone. */
export type CivilDate = string;
export type DateRange = { from: CivilDate; to: CivilDate };

const DAY_MS = 86_400_000;
const monthNames = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'Mei',
  'Jun',
  'Jul',
  'Agu',
  'Sep',
  'Okt',
  'Nov',
  'Des',
];

function utc(date: CivilDate): Date {
  return new Date(`${date}T00:00:00Z`);
}

const civil = (at: Date): CivilDate => at.toISOString().slice(0, 10);

/** True for a date that exists, written `YYYY-MM-DD`. */
export function isCivilDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = utc(text);
  return !Number.isNaN(at.getTime()) && civil(at) === text;
}

/** The date so many days later; negative: earlier. */
export const plusDays = (date: CivilDate, days: number): CivilDate =>
  civil(new Date(utc(date).getTime() + days * DAY_MS));

/** The first and the last day of a month, `offset` months from the date's own. */
export function monthOf(date: CivilDate, offset = 0): DateRange {
  const at = utc(date);
  const year = at.getUTCFullYear();
  const month = at.getUTCMonth() + offset;
  return {
    from: civil(new Date(Date.UTC(year, month, 1))),
    to: civil(new Date(Date.UTC(year, month + 1, 0))),
  };
}

/** The specified presets, `today` included where they say so; keys as specified. */
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

/** The presets in the interface's words. */
export const presetLabels: Record<Preset, string> = {
  Today: 'Hari ini',
  Yesterday: 'Kemarin',
  'Last 7 Days': '7 hari terakhir',
  'Last 30 Days': '30 hari terakhir',
  'This Month': 'Bulan ini',
  'Last Month': 'Bulan lalu',
};

/** The preset that gives exactly this range today, if any. */
export const presetOf = (range: DateRange, today: CivilDate): Preset | undefined =>
  presetNames.find((name) => {
    const made = presets[name](today);
    return made.from === range.from && made.to === range.to;
  });

/** `2026-11-21` → `21 Nov 2026`; what is no date comes back as it is. */
export function showDate(date: CivilDate): string {
  if (!isCivilDate(date)) return date;
  const [year, month, day] = date.split('-').map(Number);
  return `${day} ${monthNames[(month ?? 1) - 1]} ${year}`;
}

/** `21 Nov 2026` for one day, `1 – 21 Nov 2026`, `28 Okt – 3 Nov 2026`, or both years when they differ. */
export function showRange({ from, to }: DateRange): string {
  if (from === to) return showDate(from);
  const [fromYear, fromMonth] = from.split('-');
  const [toYear, toMonth] = to.split('-');
  const start = showDate(from).split(' ');
  if (fromYear !== toYear) return `${showDate(from)} – ${showDate(to)}`;
  return fromMonth === toMonth
    ? `${start[0]} – ${showDate(to)}`
    : `${start[0]} ${start[1]} – ${showDate(to)}`;
}

const dayOf = (name: string): number =>
  monthNames.findIndex((month) => month.toLowerCase() === name);

/**
 * A date as people type it: `21/11/2026`, `21-11-26`, `3 okt`, `3 okt 2026`, `2026-11-21`,
 * `hari ini`, `kemarin`. Without a year, this year. `undefined` when it is no date.
 */
export function readDate(typed: string, today: CivilDate): CivilDate | undefined {
  const text = typed.trim().toLowerCase();
  if (text === 'hari ini') return today;
  if (text === 'kemarin') return plusDays(today, -1);
  if (isCivilDate(text)) return text;
  const parts = /^(\d{1,2})[\s/.-]+(\d{1,2}|[a-z]{3,})(?:[\s/.-]+(\d{4}|\d{2}))?$/.exec(text);
  if (!parts) return undefined;
  const [, day = '', monthText = '', yearText] = parts;
  const month = /^\d/.test(monthText) ? Number(monthText) : dayOf(monthText.slice(0, 3)) + 1;
  const year = yearText === undefined ? today.slice(0, 4) : yearText.padStart(4, '20');
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCivilDate(date) ? date : undefined;
}

/** A range being picked: nothing, its first day, or both. */
export type Picked = { from?: CivilDate | undefined; to?: CivilDate | undefined };

/** A click on a day: start, then end; a day before the start, or a third click, starts anew. */
export function pickDay({ from, to }: Picked, day: CivilDate): Picked {
  if (from === undefined || to !== undefined || day < from) return { from: day };
  return { from, to: day };
}

/** A picked range when it is whole. */
export const wholeRange = ({ from, to }: Picked): DateRange | undefined =>
  from !== undefined && to !== undefined ? { from, to } : undefined;
