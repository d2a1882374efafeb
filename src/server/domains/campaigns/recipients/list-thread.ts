import { parentPort } from 'node:worker_threads';
import { readSheet } from 'read-excel-file/node';
import { type CsvRecord, decodeCsv, readCsv } from '#server/infra/csv-reader.ts';
import { judgeList } from './judge.ts';
import type { ListAnswer, ListRequest } from './read-list.ts';

const delimiters = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 20_000;

/** What parts the cells of a CSV: what its beginning has the most of. */
function delimiterOf(text: string): string {
  const beginning = text.slice(0, SAMPLE_CHARS);
  const counts = delimiters.map((one) => ({ one, n: beginning.split(one).length }));
  return counts.toSorted((a, b) => b.n - a.n)[0]?.one ?? ',';
}

function* cellsOf(records: Iterable<CsvRecord>): Generator<readonly string[]> {
  for (const { cells } of records) yield cells;
}

type Cell = string | number | boolean | Date | object | null | undefined;

/** A cell of a spreadsheet as a person reads it: a long number in full, a date by its day. */
function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return '';
  if (cell instanceof Date) return Number.isNaN(+cell) ? '' : cell.toISOString().slice(0, 10);
  if (typeof cell === 'number' && Number.isInteger(cell)) return BigInt(cell).toString();
  return typeof cell === 'object' ? '' : String(cell);
}

async function answer({ bytes, isSheet }: ListRequest): Promise<ListAnswer> {
  try {
    if (isSheet) {
      const rows = await readSheet(Buffer.from(bytes));
      return judgeList(rows.map((row) => row.map(textOf)));
    }
    const text = decodeCsv(bytes).replace(/^\uFEFF/, '');
    return judgeList(cellsOf(readCsv(text, delimiterOf(text))));
  } catch {
    return 'broken';
  }
}

parentPort?.on('message', (request: ListRequest) => {
  void answer(request).then((list) => parentPort?.postMessage(list));
});
