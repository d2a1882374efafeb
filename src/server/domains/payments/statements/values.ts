import { RUPIAH_MAX } from '#contract/base/money.ts';

export type Amount = {
  rupiah: number;
  sen: number;
  negative: boolean;
  /** `in` for CR, CR. or K after it, or a plus before it; `out` for DB, DR or D. */
  way: 'in' | 'out' | undefined;
};

const shape =
  /^(?:rp\.?|idr)?\s*([+-]?)\s*(\(?)\s*([\d.,]*\d[\d.,]*)\s*\)?\s*([+-]?)\s*([a-z]*)\.?$/;
/** Thousands by comma and sen by dot, or the other way round; never more than two digits of sen. */
const groupings = [
  /^(\d{1,3}(?:,\d{3})+|\d*)(?:\.(\d{1,2}))?$/,
  /^(\d{1,3}(?:\.\d{3})+|\d*)(?:,(\d{1,2}))?$/,
];
const AMOUNT_CHARS_MAX = 40;

/**
 * Parses `50,123.00`, `50.123,00`, `50123`, `.00`, `+50.123`, `Rp 50.123 CR`; undefined if not an amount, or too large.
 */
export function readAmount(text: string): Amount | undefined {
  const word = cleanCell(text).toLowerCase();
  if (word.length > AMOUNT_CHARS_MAX) return undefined;
  const [, before, bracket, digits = '', after, mark = ''] = shape.exec(word) ?? [];
  const way = mark === '' ? (before === '+' ? 'in' : undefined) : readDirection(mark);
  if (digits === '' || (mark !== '' && way === undefined)) return undefined;
  for (const grouping of groupings) {
    const [all, whole = '', sen = ''] = grouping.exec(digits) ?? [];
    if (all === undefined) continue;
    const rupiah = Number(whole.replace(/[.,]/g, ''));
    if (rupiah > RUPIAH_MAX) return undefined;
    const negative = before === '-' || after === '-' || bracket === '(';
    return { rupiah, sen: Number(sen.padEnd(2, '0')), negative, way };
  }
  return undefined;
}

export function readDirection(text: string): 'in' | 'out' | undefined {
  const word = cleanCell(text).toLowerCase().replace(/\.$/, '');
  if (/^(cr|kr|c|k|kredit|credit)$/.test(word)) return 'in';
  return /^(db|dr|d|debet|debit)$/.test(word) ? 'out' : undefined;
}

/** Removes the apostrophe that stops spreadsheets from interpreting a cell, and outer blanks. */
export function cleanCell(text: string): string {
  const word = text.trim();
  return word.startsWith("'") ? word.slice(1).trim() : word;
}

/** The days of a statement, `YYYY-MM-DD`, both included. */
export type Period = { from: string; to: string };

export type Moment = { day: string; time: string | undefined };

const monthNames = 'jan feb mar apr mei jun jul agu sep okt nov des'.split(' ');
const otherNames: Readonly<Record<string, number>> = {
  may: 5,
  aug: 8,
  agt: 8,
  oct: 10,
  nop: 11,
  dec: 12,
};

const monthOf = (word: string): number => {
  if (/^\d+$/.test(word)) return Number(word);
  const name = word.slice(0, 3).toLowerCase();
  return otherNames[name] ?? monthNames.indexOf(name) + 1;
};

const clock = /^(?:[ T]+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\.\d+)?(?: *wib)?)?$/i;
const yearFirst = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)(.*)$/s;
const dayFirst = /^(\d{1,2})[-/. ](\d{1,2}|[a-z]{3,9})(?:[-/. ](\d{4}|\d{2})(?!\d))?(.*)$/is;

/**
 * Parses `21/11/2026`, `21/11/26 09:17:31`, `21 Nov 2026`, `2026-11-21`, and `21/11` by the period's year.
 *
 * @returns undefined if not a calendar day, `no year` if the year is neither written nor derivable.
 */
export function readMoment(text: string, period?: Period): Moment | 'no year' | undefined {
  const word = cleanCell(text).slice(0, 40);
  const [, fullYear, monthThen, dayThen, restThen] = yearFirst.exec(word) ?? [];
  if (fullYear !== undefined) {
    return momentOf([Number(fullYear), Number(monthThen), Number(dayThen)], restThen);
  }
  const [, day, month = '', year, rest] = dayFirst.exec(word) ?? [];
  if (day === undefined) return undefined;
  const parts = [monthOf(month), Number(day)] as const;
  if (year !== undefined) {
    return momentOf([Number(year.length === 2 ? `20${year}` : year), ...parts], rest);
  }
  const years = new Set([period?.from, period?.to].flatMap((one) => one?.slice(0, 4) ?? []));
  if (momentOf([2024, ...parts], rest) === undefined) return undefined;
  for (const one of years) {
    const found = momentOf([Number(one), ...parts], rest);
    if (found && period && found.day >= period.from && found.day <= period.to) return found;
  }
  return 'no year';
}

function momentOf(
  [year, month, day]: readonly [number, number, number],
  rest = '',
): Moment | undefined {
  const isoDay = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  const at = new Date(`${isoDay}T00:00:00Z`);
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(isoDay)) return undefined;
  const [all, hour, minute, second = '00'] = clock.exec(rest.trimEnd()) ?? [];
  if (all === undefined || year < 2000 || year > 2999) return undefined;
  if (hour === undefined) return { day: isoDay, time: undefined };
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  return { day: isoDay, time: `${hour.padStart(2, '0')}:${minute}:${second}` };
}

/** Banks' websites show at most this many days. */
const LATELY_DAYS = 100;

/** The assumed period of a file that names none: the days up to `today`. */
export function lately(today: string): Period {
  const from = new Date(`${today}T00:00:00Z`);
  from.setUTCDate(from.getUTCDate() - LATELY_DAYS);
  return { from: from.toISOString().slice(0, 10), to: today };
}

const fullDay = /\d{4}-\d{2}-\d{2}|\d{1,2}[-/ ](?:\d{1,2}|[a-z]{3,9})[-/ ](?:\d{4}|\d{2})(?!\d)/gi;
const wholeMonth = /\b([a-z]{3,9}) +(\d{4})\b/i;

export function readPeriod(text: string): Period | undefined {
  const days = (text.match(fullDay) ?? []).flatMap((word) => {
    const read = readMoment(word);
    return typeof read === 'object' ? [read.day] : [];
  });
  const [from, to = from] = days;
  if (from !== undefined && to !== undefined)
    return from <= to ? { from, to } : { from: to, to: from };
  const [, name = '', year] = wholeMonth.exec(text.replace(/periode?/i, '')) ?? [];
  const month = monthOf(name);
  if (year === undefined || month < 1) return undefined;
  const last = new Date(Date.UTC(Number(year), month, 0)).toISOString().slice(0, 10);
  return { from: `${last.slice(0, 8)}01`, to: last };
}
