import { readSheet } from 'read-excel-file/node';
import { type CsvRecord, decodeCsv, readCsv } from '#server/infra/csv-reader.ts';
import type { UnreadableList } from '#contract/campaigns/refusals.ts';
import { type Recipient, type RecipientList, judgeList } from './judge.ts';
import type { ListAnswer, ListRequest, ListTurn } from './read-list.ts';

const delimiters = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 20_000;

/**
 * What parts the cells of a CSV: what most of its first lines have, then what the very first has the most of. Addresses
 * may have more commas than the lines of spreadsheets here have semicolons.
 */
function delimiterOf(text: string): string {
  const lines = text.slice(0, SAMPLE_CHARS).split(/[\r\n]+/);
  const [head = ''] = lines;
  const counts = delimiters.map((one) => ({
    one,
    lines: lines.filter((line) => line.includes(one)).length,
    inHead: head.split(one).length,
  }));
  return counts.toSorted((a, b) => b.lines - a.lines || b.inHead - a.inHead)[0]?.one ?? ',';
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

function* textsOf(rows: Iterable<readonly Cell[]>): Generator<readonly string[]> {
  for (const row of rows) yield row.map(textOf);
}

async function read({ bytes, isSheet }: ListRequest): Promise<RecipientList | UnreadableList> {
  try {
    if (isSheet) {
      return judgeList(textsOf(await readSheet(Buffer.from(bytes))));
    }
    // Some programs begin with `sep=;`, which tells spreadsheets what parts the cells.
    const text = decodeCsv(bytes).replace(/^\uFEFF?(?:"?sep=.?"?\r?\n)?/i, '');
    return judgeList(cellsOf(readCsv(text, delimiterOf(text))));
  } catch {
    return 'broken';
  }
}

/** Recipients that are handed over at once: the process that takes them has others to answer meanwhile. */
const LOT = 2_000;

let recipients: readonly Recipient[] = [];

async function answer(request: ListRequest | ListTurn): Promise<ListAnswer | readonly Recipient[]> {
  if ('from' in request) return recipients.slice(request.from, request.from + LOT);
  const list = await read(request);
  if (typeof list === 'string') return list;
  recipients = list.recipients;
  return { columns: list.columns, count: recipients.length };
}

process.on('message', (request: ListRequest | ListTurn) => {
  void answer(request).then((said) => process.send?.(said));
});
