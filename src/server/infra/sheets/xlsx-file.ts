import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { type Cell, type Table, type Column, localTime } from './table.ts';

/** Fast rather than small: half the time of the default level, for files a tenth larger. */
const COMPRESSION = 3;

/**
 * Streams a workbook (ECMA-376). Texts never become formulas; further sheets take the rows beyond one sheet.
 *
 * @param path must not exist; after an error the file is incomplete.
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

function addSheet(
  zip: ZipFile,
  name: string,
  xml: AsyncGenerator<Buffer>,
  signal: AbortSignal,
): Promise<void> {
  const stream = Readable.from(xml, { objectMode: false, highWaterMark: 1, signal });
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.once('end', resolve);
    zip.addReadStream(stream, name, { compressionLevel: COMPRESSION });
  });
}

type Rows = {
  hasMore: () => Promise<boolean>;
  take: (max: number) => readonly (readonly Cell[])[];
};

function readRows(batches: Table['batches'], signal: AbortSignal): Rows {
  const iterator = batches[Symbol.asyncIterator]();
  let ready: readonly (readonly Cell[])[] = [];
  return {
    hasMore: async () => {
      while (ready.length === 0) {
        // Matching rows may be rare, and a stream can only stop its source between two chunks.
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

const SHEET_ROWS_MAX = 1_048_576;
/** UTF-16 units of a cell: spreadsheets report longer ones as damaged. */
export const CELL_MAX = 32_767;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const [HEAD, TIME] = [1, 2];

/** The name of a column by its index from 0: `A`, …, `Z`, `AA`. */
export const columnName = (place: number): string =>
  (place >= 26 ? columnName(Math.floor(place / 26) - 1) : '') +
  String.fromCharCode(65 + (place % 26));

/** Characters that XML cannot contain, even escaped. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for.
const unfit = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/**
 * A text as XML that spreadsheets read back unchanged: without characters that XML cannot contain, with `\n` as line
 * break, and truncated to a cell's limit. Text that looks like a spreadsheet's own escape (`_x000D_`) is preserved.
 */
export function xmlText(text: string): string {
  const whole = text.replace(/\r\n?/g, '\n').replace(unfit, '').toWellFormed();
  return whole
    .slice(0, CELL_MAX)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(/[&<>"]/g, (one) => escapes[one] ?? '');
}

const DAY_MS = 86_400_000;
/** Day 0 of spreadsheets, which take 1900 for a leap year. */
const EPOCH_MS = Date.UTC(1899, 11, 30);

/** An instant as a spreadsheet's number: days of local time, to the second. */
const serialOf = (at: Date, hoursAhead: number): number => {
  const seconds = Math.floor((localTime(at, hoursAhead).getTime() - EPOCH_MS) / 1000);
  return (seconds * 1000) / DAY_MS;
};

function cellXml(cell: Cell, at: string, hoursAhead: number): string {
  if (cell === null || cell === '') return '';
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (cell instanceof Date)
    return `<c r="${at}" s="${TIME}"><v>${serialOf(cell, hoursAhead)}</v></c>`;
  return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${xmlText(cell)}</t></is></c>`;
}

export function rowXml(cells: readonly Cell[], place: number, hoursAhead: number): string {
  let xml = `<row r="${place}">`;
  for (const [column, cell] of cells.entries()) {
    xml += cellXml(cell, `${columnName(column)}${place}`, hoursAhead);
  }
  return `${xml}</row>`;
}

export function sheetBegin(columns: readonly Column[]): string {
  const widths = columns.map(
    ({ width }, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`,
  );
  const head = columns.map(
    ({ title }, at) =>
      `<c r="${columnName(at)}1" s="${HEAD}" t="inlineStr"><is><t>${xmlText(title)}</t></is></c>`,
  );
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    `</sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>` +
    `<row r="1">${head.join('')}</row>`
  );
}

export const sheetEnd = (columns: number, rows: number): string =>
  `</sheetData><autoFilter ref="A1:${columnName(columns - 1)}${rows}"/></worksheet>`;

export function parts(sheets: number): readonly (readonly [name: string, xml: string])[] {
  const each = Array.from({ length: sheets }, (_, at) => at + 1);
  const styles = `rId${sheets + 1}`;
  return [
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each
        .map((n) => `<sheet name="Data${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`)
        .join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relationships([
        ...each.map((n) => [`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`] as const),
        [styles, 'styles', 'styles.xml'],
      ]),
    ],
    [
      'xl/styles.xml',
      `${XML}<styleSheet xmlns="${MAIN}">` +
        '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
        '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
        '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
        '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
        '<fill><patternFill patternType="gray125"/></fill></fills>' +
        '<borders count="1"><border/></borders>' +
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
        '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
        '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
        '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
        '</cellXfs></styleSheet>',
    ],
    ['_rels/.rels', relationships([['rId1', 'officeDocument', 'xl/workbook.xml']])],
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/>` +
        each
          .map(
            (n) =>
              `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${SPREADSHEET}.worksheet+xml"/>`,
          )
          .join('') +
        `<Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/></Types>`,
    ],
  ];
}

const relationships = (each: readonly (readonly [id: string, type: string, target: string])[]) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;
