/** Tells spreadsheets that the text is UTF-8. */
export const BOM = '\uFEFF';

/**
 * Beginnings that a spreadsheet takes for a formula, also after quotes and blanks, and in full width
 * (docs/threats.md, T36).
 */
const formula = /^(?:[\t\r\n]|[\s"'\p{Cf}]*[=+\-@＝＋－＠])/u;

/**
 * A value as a cell of a CSV. Numbers stay numbers; a text that a spreadsheet would run gets an
 * apostrophe in front; what has parts is written as JSON.
 */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = textOf(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

/** Rows as CSV, RFC 4180, a piece of text per row; the first row's keys are the head. */
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
