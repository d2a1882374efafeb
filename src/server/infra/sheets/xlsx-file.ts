import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Cell, Table } from './table.ts';
import { SHEET_ROWS_MAX, parts, rowXml, sheetBegin, sheetEnd } from './xlsx-xml.ts';

/** Fast rather than small: half the time of the usual level, for files a tenth larger. */
const COMPRESSION = 3;

/**
 * Writes a table as a workbook (ECMA-376), while it is read: texts are texts whatever they begin with, times are
 * times, and what does not fit one sheet goes on in the next. The head is bold, stays in sight, and filters.
 *
 * @param path must not be there yet; what is there after an error is not whole.
 */
export async function writeXlsx(
  path: string,
  table: Table,
  { signal, rowsMax = SHEET_ROWS_MAX }: { signal: AbortSignal; rowsMax?: number },
): Promise<void> {
  const zip = new ZipFile();
  const broken = new AbortController();
  const fail = (error: unknown) => broken.abort(error);
  zip.on('error', fail);
  const until = AbortSignal.any([signal, broken.signal]);
  const feed = async () => {
    const rows = readRows(table.batches, until);
    let sheets = 0;
    do {
      sheets += 1;
      await addSheet(zip, `xl/worksheets/sheet${sheets}.xml`, xmlOf(table, rows, rowsMax), until);
    } while (await rows.hasMore());
    for (const [name, xml] of parts(sheets)) zip.addBuffer(Buffer.from(xml, 'utf8'), name);
    zip.end();
  };
  try {
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    await Promise.all([pipeline(zip.outputStream, file, { signal: until }), feed().catch(fail)]);
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error;
  }
}

/** Adds a file to the archive, and waits until all of it was read. */
function addSheet(
  zip: ZipFile,
  name: string,
  xml: AsyncGenerator<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const stream = Readable.from(xml, { objectMode: false, highWaterMark: 1, signal });
  return new Promise((resolve, reject) => {
    // The archive's writer does not listen: rows that cannot be read would leave it waiting.
    stream.once('error', reject);
    stream.once('end', resolve);
    zip.addReadStream(stream, name, { compressionLevel: COMPRESSION });
  });
}

type Rows = {
  hasMore: () => Promise<boolean>;
  /** Some of the rows that are there, at most so many. */
  take: (max: number) => readonly (readonly Cell[])[];
};

/** Rows as a sheet takes them, which may end in the middle of a batch. */
function readRows(batches: Table['batches'], signal: AbortSignal): Rows {
  const iterator = batches[Symbol.asyncIterator]();
  let ready: readonly (readonly Cell[])[] = [];
  return {
    hasMore: async () => {
      while (ready.length === 0) {
        // Rows that match may be rare, and a stream ends what it reads from between two texts alone.
        signal.throwIfAborted();
        const next = await iterator.next();
        if (next.done) return false;
        ready = next.value;
      }
      return true;
    },
    take: (max) => {
      const taken = ready.slice(0, max);
      ready = ready.slice(max);
      return taken;
    },
  };
}

async function* xmlOf(table: Table, rows: Rows, rowsMax: number): AsyncGenerator<Buffer> {
  yield Buffer.from(sheetBegin(table.columns), 'utf8');
  let count = 1;
  while (count < rowsMax && (await rows.hasMore())) {
    let xml = '';
    for (const row of rows.take(rowsMax - count)) {
      count += 1;
      xml += rowXml(row, count, table.hoursAhead);
    }
    yield Buffer.from(xml, 'utf8');
  }
  yield Buffer.from(sheetEnd(table.columns.length, count), 'utf8');
}
