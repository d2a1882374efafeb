/** Marks the text as UTF-8 for spreadsheets. */
export const BOM = '\uFEFF';

/**
 * Cell separators of some spreadsheet. An Indonesian Excel splits at `;`, even inside quotes if its own cell did not
 * begin with one; pasted text is split at tabs and line breaks.
 */
const separator = String.raw`[;,"\t\n\v\f\r\u0085\u2028\u2029]`;
/**
 * The start of a formula, also after apostrophes and blanks, full width too (docs/threats.md, T36).
 */
const formula = String.raw`(?:[^\S\t\n\v\f\r\u2028\u2029]|'|\p{Cf})*[=+\-@＝＋－＠]`;

const unguarded = new RegExp(`(?<=^|${separator})(?=${formula})|^(?='*[\\t\\r\\n])`, 'gu');
const guard = new RegExp(`(?<=^|${separator})'(?=${formula})|^'(?='*[\\t\\r\\n])`, 'gu');

/** Reverses the escaping of `csvCell`. */
export const stripFormulaGuards = (cell: string): string => cell.replace(guard, '');

/** WIB time in the format that every spreadsheet reads: `2026-11-21 09:05:00`. */
export const timeInWib = (at: Date): string =>
  new Date(at.getTime() + 7 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');

/**
 * A value as a CSV cell. Numbers stay numbers; in text, an apostrophe is inserted wherever a spreadsheet would start
 * a formula; objects and arrays are written as JSON.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const safe = textOf(value).replace(unguarded, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

/** One text per row (RFC 4180); the first row's keys are the header. */
export async function* csvOf(
  rows: AsyncIterable<Readonly<Record<string, unknown>>>,
): AsyncGenerator<string> {
  let columns: readonly string[] | undefined;
  for await (const row of rows) {
    if (columns === undefined) {
      columns = Object.keys(row);
      yield `${BOM}${columns.map(csvCell).join(',')}\r\n`;
    }
    yield `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`;
  }
  if (columns === undefined) yield BOM;
}
