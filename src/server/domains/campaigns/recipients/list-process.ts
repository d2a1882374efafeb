import { Worker } from 'node:worker_threads';
import { stripFormulaGuards } from '#server/infra/csv.ts';
import { type CsvRecord, decodeCsv, readCsv } from '#server/infra/csv-reader.ts';
import { WorkbookTooLarge, readXlsx } from '#server/infra/sheets/xlsx-reader.ts';
import type { UnreadableList } from '#contract/base/refusals.ts';
import { CELLS_MAX, type Recipient, type RecipientList, judgeList } from './judge.ts';
import type { ListAnswer, ListRequest, ListTurn } from './read-list.ts';

const delimiters = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 20_000;

/**
 * Finds a CSV's delimiter: the one in the most of its first lines, then the most frequent one of the very first line.
 * Addresses may have more commas than the lines of spreadsheets here have semicolons.
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

/** Cells of each row; for a file that Kabari wrote, its original texts. */
function* cellsOf(records: Iterable<CsvRecord>): Generator<readonly string[]> {
  for (const { cells } of records) yield cells.map(stripFormulaGuards);
}

async function read({ bytes, isSheet }: ListRequest): Promise<RecipientList | UnreadableList> {
  try {
    if (isSheet) return await judgeList(readXlsx(bytes, { columnsMax: CELLS_MAX }));
    // Some programs begin with `sep=;`, which names the delimiter for spreadsheets.
    const text = decodeCsv(bytes).replace(/^\uFEFF?(?:"?sep=.?"?\r?\n)?/i, '');
    return await judgeList(cellsOf(readCsv(text, delimiterOf(text))));
  } catch (error) {
    return error instanceof WorkbookTooLarge ? 'too_many' : 'broken';
  }
}

/** Ends this process after this much CPU. Measured in another thread, as a loop blocks this one. */
function limitCpu(cpuMsMax: number): void {
  const watch = `
    const { cpuMsMax } = require('node:worker_threads').workerData;
    setInterval(() => {
      const { user, system } = process.cpuUsage();
      if ((user + system) / 1000 > cpuMsMax) process.kill(process.pid, 'SIGKILL');
    }, 50);`;
  new Worker(watch, { eval: true, workerData: { cpuMsMax }, execArgv: [] }).unref();
}

/** Recipients per batch: the parent process answers other requests in between. */
const LOT = 2_000;

let recipients: readonly Recipient[] = [];

async function answer(request: ListRequest | ListTurn): Promise<ListAnswer | readonly Recipient[]> {
  if ('from' in request) return recipients.slice(request.from, request.from + LOT);
  limitCpu(request.cpuMsMax);
  const list = await read(request);
  if (typeof list === 'string') return list;
  recipients = list.recipients;
  const { numberColumn, columns } = list;
  return { numberColumn, columns, count: recipients.length };
}

process.on('message', (request: ListRequest | ListTurn) => {
  void answer(request).then((reply) => process.send?.(reply));
});
