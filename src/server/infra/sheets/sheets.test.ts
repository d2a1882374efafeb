import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import readXlsx from 'read-excel-file/node';
import { expect, onTestFinished, test } from 'vitest';
import { stripFormulaGuards } from '#server/infra/csv.ts';
import { writeCsv } from './csv-file.ts';
import type { Cell, Table } from './table.ts';
import { writeXlsx, CELL_MAX, columnName, xmlText } from './xlsx-file.ts';

const columns = [
  { title: 'Waktu (WIB)', width: 20 },
  { title: 'Isi', width: 60 },
  { title: 'Biaya', width: 10 },
];

const tableOf = (rows: readonly (readonly Cell[])[], atOnce = 3): Table => ({
  columns,
  hoursAhead: 7,
  batches: (async function* () {
    for (let from = 0; from < rows.length; from += atOnce) yield rows.slice(from, from + atOnce);
  })(),
});

async function aPath(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-sheets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}

const { signal } = new AbortController();

async function csvOf(table: Table): Promise<string> {
  const path = await aPath('a.csv');
  await writeCsv(path, table, signal);
  return readFile(path, 'utf8');
}

async function xlsxOf(table: Table, rowsMax?: number): Promise<string> {
  const path = await aPath('a.xlsx');
  await writeXlsx(path, table, { signal, ...(rowsMax !== undefined && { rowsMax }) });
  return path;
}

function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n|$)/gy;
  for (let found = cell.exec(text); found !== null; found = cell.exec(text)) {
    const [whole = '', raw = '', end] = found;
    if (whole === '' && rows.at(-1)?.length === 0) break;
    rows.at(-1)?.push(raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw);
    if (end === '\r\n') rows.push([]);
    if (end === '') break;
  }
  return rows.filter((row) => row.length > 0);
}

const at = new Date('2026-11-21T02:05:07.900Z');

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '=HYPERLINK("http://x")',
    '+62 812',
    '-1',
    '@SUM(A1)',
    '\t=1',
    'a\r\nb\rc\nd',
    '"kutip", koma',
    '\uD800lepas',
    'emoji 🎉🇮🇩',
    '_x000D_ _x0041_',
    '<&>"\u0000\u0007\uFFFF',
    'x'.repeat(4_096),
  ),
);

test('a CSV is read back unchanged; no cell becomes a formula', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { maxLength: 9 }), async (said) => {
      const [head, ...rows] = parse(
        (await csvOf(tableOf(said.map((text) => [at, text, 350])))).slice(1),
      );
      expect(head).toEqual(['Waktu (WIB)', 'Isi', 'Biaya']);
      for (const [place, text] of said.entries()) {
        const [time, shown = '', cost] = rows[place] ?? [];
        expect([time, cost]).toEqual(['2026-11-21 09:05:07', '350']);
        expect(stripFormulaGuards(shown)).toBe(text.toWellFormed());
        expect(shown).not.toMatch(/^[\s"\p{Cf}]*[=+\-@＝＋－＠]/u);
      }
      expect(rows).toHaveLength(said.length);
    }),
    { numRuns: 100 },
  );
});

const held = (text: string) =>
  text
    .replace(/\r\n?/g, '\n')
    // oxlint-disable-next-line no-control-regex -- XML cannot carry these.
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
    .toWellFormed();

test('a workbook is read back with its texts, numbers and times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(texts, { maxLength: 9 }), async (said) => {
      const path = await xlsxOf(tableOf(said.map((text) => [at, text, -350])));
      const [first] = await readXlsx(path);
      const [head, ...rows] = first?.data ?? [];
      expect(head).toEqual(['Waktu (WIB)', 'Isi', 'Biaya']);
      expect(rows).toHaveLength(said.length);
      for (const [place, text] of said.entries()) {
        const [time, shown, cost] = rows[place] ?? [];
        // The reader takes the local time for UTC.
        expect(time).toEqual(new Date('2026-11-21T09:05:07Z'));
        expect(cost).toBe(-350);
        expect(shown ?? '').toBe(held(text).trim());
      }
    }),
    { numRuns: 60 },
  );
});

test('truncates a cell at the limit of spreadsheets, and never within a character', () => {
  expect(xmlText('x'.repeat(CELL_MAX + 5))).toHaveLength(CELL_MAX);
  const cut = xmlText(`${'x'.repeat(CELL_MAX - 1)}🎉`);
  expect([cut.length, cut.isWellFormed()]).toEqual([CELL_MAX - 1, true]);
});

test('continues on further sheets, each with a header', async () => {
  const rows = Array.from({ length: 25 }, (_, n): Cell[] => [at, `pesan ${n}`, n]);
  const path = await xlsxOf(tableOf(rows, 4), 11);
  const read = await readXlsx(path);
  expect(read.map((one) => one.sheet)).toEqual(['Data', 'Data 2', 'Data 3']);
  expect(read.map(({ data }) => data.length)).toEqual([11, 11, 6]);
  const found = read.flatMap(({ data: [head, ...of] }) => {
    expect(head?.[0]).toBe('Waktu (WIB)');
    return of.map((row) => row[2]);
  });
  expect(found).toEqual(rows.map(([, , n]) => n));
  expect(await readXlsx(await xlsxOf(tableOf(rows.slice(0, 20), 4), 11))).toHaveLength(2);
});

test('names columns like spreadsheets', () => {
  expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual([
    'A',
    'Z',
    'AA',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
  ]);
});

test.each(['csv', 'xlsx'] as const)(
  'a %s whose rows cannot be read, or that nobody wants, ends',
  async (format) => {
    const broken: Table = {
      ...tableOf([]),
      batches: (async function* () {
        yield [[at, 'satu', 1]];
        throw new Error('the database is away');
      })(),
    };
    const stop = new AbortController();
    const endless: Table = {
      ...tableOf([]),
      batches: (async function* () {
        for (let n = 0; ; n++) {
          if (n === 50) stop.abort(new Error('not wanted'));
          yield [[at, 'x'.repeat(4_096), n]];
        }
      })(),
    };
    const write = async (table: Table, until: AbortSignal) => {
      const path = await aPath(`a.${format}`);
      await (format === 'csv'
        ? writeCsv(path, table, until)
        : writeXlsx(path, table, { signal: until }));
    };
    await expect(write(broken, signal)).rejects.toThrow('the database is away');
    await expect(write(endless, stop.signal)).rejects.toThrow();
  },
);
