import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BOM, csvCell } from '#server/infra/csv.ts';
import { type Cell, type Table, localTime } from './table.ts';

/**
 * Writes a table as CSV, RFC 4180 in UTF-8, while it is read. Times are `2026-11-21 09:05:07`, which people read and
 * spreadsheets take for times: their column says which zone's.
 *
 * @param path must not be there yet; what is there after an error is not whole.
 */
export const writeCsv = (path: string, table: Table, signal: AbortSignal): Promise<void> =>
  pipeline(
    Readable.from(textOf(table, signal), { objectMode: true, highWaterMark: 1 }),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
    { signal },
  );

async function* textOf(
  { columns, batches, hoursAhead }: Table,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield `${BOM}${lineOf(columns.map(({ title }) => title))}`;
  const written = (cell: Cell) =>
    cell instanceof Date
      ? localTime(cell, hoursAhead).toISOString().slice(0, 19).replace('T', ' ')
      : typeof cell === 'string'
        ? cell.toWellFormed()
        : cell;
  for await (const rows of batches) {
    // Rows that match may be rare: nothing is written meanwhile, and a stream ends what it reads from between two texts alone.
    signal.throwIfAborted();
    let text = '';
    for (const row of rows) text += lineOf(row.map(written));
    if (text !== '') yield text;
  }
}

const lineOf = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;
