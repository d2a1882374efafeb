/** Display format of a number; undefined for plain numbers. */
export type NumberFormat =
  | { as: 'percent'; decimals: number }
  | { as: 'padded'; digits: number }
  /** The parts of a date or a time that are shown. */
  | { as: 'moment'; date: boolean; time: boolean; hours: boolean; seconds: boolean }
  /** An elapsed time, counted in its largest unit. */
  | { as: 'elapsed'; unit: 'h' | 'm' | 's'; minutes: boolean; seconds: boolean }
  | undefined;

/** The formats that a workbook does not write out and that show something else than the number (ECMA-376, 18.8.30). */
const builtInCodes: Readonly<Record<number, string>> = {
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yy h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};
/** Dates of East Asian editions. */
const isEastAsianDate = (id: number): boolean => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

/** Kind of a format, by its id and by its code where the workbook has one. */
export function numberFormatOf(id: number, written: string | undefined): NumberFormat {
  const code = written ?? builtInCodes[id] ?? (isEastAsianDate(id) ? 'yyyy-mm-dd' : '');
  // Texts of its own, colours, conditions, languages: `[$-421]dd mmmm yyyy;@`. Only the form for positive numbers counts.
  const [section = ''] = code
    .toLowerCase()
    .replace(/"[^"]*"|\\.|[_*]./g, '')
    .split(';');
  const elapsed = /\[(h+|m+|s+)\]/.exec(section)?.[1]?.charAt(0) as 'h' | 'm' | 's' | undefined;
  const shown = section
    .replace(/\[[^\]]*\]/g, '')
    .replace(/[.,]0+/g, (zeros) => (/s/.test(section) ? '' : zeros));
  if (elapsed)
    return { as: 'elapsed', unit: elapsed, minutes: /m/.test(shown), seconds: /s/.test(shown) };
  if (/[0#?]/.test(shown)) {
    if (shown.includes('%'))
      return { as: 'percent', decimals: /\.([0#?]+)/.exec(shown)?.[1]?.length ?? 0 };
    return /^0+$/.test(shown) ? { as: 'padded', digits: shown.length } : undefined;
  }
  if (!/[ymdhs]/.test(shown)) return undefined;
  const time = /[hs]/.test(shown);
  // A month, not minutes: in letters, or where no hour or second is shown.
  const date = /[yd]|mmm/.test(shown) || !time;
  return { as: 'moment', date, time, hours: /h/.test(shown), seconds: /s/.test(shown) };
}

type CellContext = { format: NumberFormat; is1904: boolean };

/**
 * A cell as a person reads it: a long number in full, a date as `2026-11-21`, a time as `14:30`, an elapsed time as
 * `36:00`, a share as `15%`. An error (`#N/A`) is an empty cell: it is no value for anybody.
 *
 * @param type of the cell in the file (`t`): neither a shared string nor a text.
 */
export function cellText(type: string, text: string, { format, is1904 }: CellContext): string {
  if (type === 'e') return '';
  if (type === 'b') return text === '1' || text === 'true' ? 'TRUE' : 'FALSE';
  if (type === 'd') return text.replace('T', ' ').replace(/(?: 00:00)?(?::00)?(?:\.\d+)?Z?$/, '');
  const value = Number(text);
  if (!Number.isFinite(value)) return '';
  switch (format?.as) {
    case 'percent':
      return `${Number((value * 100).toFixed(format.decimals))}%`;
    case 'padded':
      return numberText(Math.round(value)).padStart(format.digits, '0');
    case 'elapsed':
      return elapsedText(value, format);
    case 'moment':
      return momentText(value, format, is1904);
    default:
      return numberText(value);
  }
}

/** With the 15 digits that a spreadsheet keeps, but for whole numbers, which are written in full. */
const numberText = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : String(Number(value.toPrecision(15)));

const DAY_S = 86_400;
const two = (value: number): string => String(value).padStart(2, '0');

function elapsedText(
  value: number,
  { unit, minutes, seconds }: Extract<NumberFormat, { as: 'elapsed' }>,
): string {
  const total = Math.round(Math.abs(value) * DAY_S);
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60), total] as const;
  const parts =
    unit === 'h'
      ? [String(h), ...(minutes ? [two(m % 60)] : []), ...(seconds ? [two(s % 60)] : [])]
      : unit === 'm'
        ? [two(m), ...(seconds ? [two(s % 60)] : [])]
        : [String(s)];
  return `${value < 0 ? '-' : ''}${parts.join(':')}`;
}

/** 31 December 9999, the last day of spreadsheets. */
const LAST_DAY = 2_958_465;
/** Days between the first days of the two systems. */
const DAYS_TO_1904 = 1_462;
/** They take 1900 for a leap year: its 29 February is day 60. */
const NO_SUCH_DAY = 60;

function momentText(
  value: number,
  { date, time, hours, seconds }: Extract<NumberFormat, { as: 'moment' }>,
  is1904: boolean,
): string {
  const total = Math.round((value + (date && is1904 ? DAYS_TO_1904 : 0)) * DAY_S);
  const day = Math.floor(total / DAY_S);
  const rest = total - day * DAY_S;
  // A number outside the range of dates stays a number.
  if (value < 0 || day > LAST_DAY) return numberText(value);
  const clock = hours
    ? `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}${seconds ? `:${two(rest % 60)}` : ''}`
    : `${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  // Day 0 is the day of a time alone.
  const days = date && day > 0 ? [dayText(day)] : [];
  return [...days, ...(time ? [clock] : [])].join(' ');
}

function dayText(day: number): string {
  if (day === NO_SUCH_DAY) return '1900-02-29';
  const epoch = Date.UTC(1899, 11, day < NO_SUCH_DAY ? 31 : 30);
  return new Date(epoch + day * DAY_S * 1000).toISOString().slice(0, 10);
}
