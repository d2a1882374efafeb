import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BOM, csvCell } from '#server/infra/csv.ts';
import { type Cell, type Table, localTime } from './table.ts';

/**
 * Streams RFC 4180 in UTF-8. Times are `2026-11-21 09:05:07`; the column's title has their zone.
 *
 * @param path must not exist; after an error the file is incomplete.
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
    // Matching rows may be rare: no chunk is written meanwhile, and a stream can only stop its source between two
    // chunks.
    signal.throwIfAborted();
    let text = '';
    for (const row of rows) text += lineOf(row.map(written));
    if (text !== '') yield text;
  }
}

const lineOf = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;
