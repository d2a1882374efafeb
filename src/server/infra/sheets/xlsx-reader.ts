import { type Entry, type ZipFile, fromBufferPromise } from 'yauzl';
import { type NumberFormat, cellText, numberFormatOf } from './xlsx-values.ts';

/** The last column and row that a sheet can have. */
const COLUMN_MAX = 16_384;
const ROW_MAX = 1_048_576;
/** Bytes of XML that are inflated, of all files together. */
const INFLATED_BYTES_MAX = 100_000_000;
const ENTRIES_MAX = 1_000;
/** Cells and shared strings that are read, empty ones among them. */
const CELLS_MAX = 5_000_000;
const STYLES_MAX = 100_000;
/** UTF-16 units of a tag, or of a text between two tags. */
const TOKEN_MAX = 1_000_000;

/** The workbook holds more than is read. */
export class WorkbookTooLarge extends Error {}

/**
 * Reads the first visible sheet of a workbook (ECMA-376), row by row, each cell as the text that a spreadsheet shows.
 * Rows without a value are left out.
 *
 * Time and memory follow the bytes of the file: an address such as `XFD1048576`, or the declared range, reserves
 * nothing. Values beyond `columnsMax` are not kept.
 *
 * @throws WorkbookTooLarge; another error if it is no workbook, or if it names cells that no sheet has.
 */
export async function* readXlsx(
  bytes: Uint8Array,
  { columnsMax }: { columnsMax: number },
): AsyncGenerator<readonly string[]> {
  const zip = await fromBufferPromise(Buffer.from(bytes));
  const files = await openFiles(zip);
  const { sheetPath, stringsPath, stylesPath, is1904 } = await readWorkbook(files);
  const styles = await readStyles(files, stylesPath);
  const strings = await readStrings(files, stringsPath);
  const rows: string[][] = [];
  const sheet = sheetParser({ styles, strings, is1904, columnsMax, rows });
  for await (const _ of parsed(files, sheetPath, sheet)) {
    yield* rows;
    rows.length = 0;
  }
}

type Files = {
  has: (path: string) => boolean;
  /** The text of a file, piece by piece. @throws WorkbookTooLarge; an error if it is not there */
  read: (path: string) => AsyncGenerator<string>;
};

async function openFiles(zip: ZipFile): Promise<Files> {
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= ENTRIES_MAX) throw new WorkbookTooLarge();
    entries.set(entry.fileName.toLowerCase(), entry);
  }
  let inflated = 0;
  return {
    has: (path) => entries.has(path.toLowerCase()),
    read: async function* (path) {
      const entry = entries.get(path.toLowerCase());
      if (!entry) throw new Error(`the workbook has no ${path}`);
      let decoder: TextDecoder | undefined;
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        const bytes = chunk as Buffer;
        inflated += bytes.length;
        if (inflated > INFLATED_BYTES_MAX) throw new WorkbookTooLarge();
        decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
        yield decoder.decode(bytes, { stream: true });
      }
      yield decoder?.decode() ?? '';
    },
  };
}

const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe
    ? 'utf-16le'
    : first === 0xfe && second === 0xff
      ? 'utf-16be'
      : 'utf-8';

type Workbook = { sheetPath: string; stringsPath: string; stylesPath: string; is1904: boolean };

const WORKBOOK = 'xl/workbook.xml';

async function readWorkbook(files: Files): Promise<Workbook> {
  let is1904: boolean | undefined;
  const sheets: { relation: string; isHidden: boolean }[] = [];
  await parseWhole(files, WORKBOOK, {
    open: (name, tag) => {
      if (name === 'workbookPr') is1904 ??= /^(?:1|true)$/.test(attribute(tag, 'date1904') ?? '');
      if (name !== 'sheet') return;
      const relation = attribute(tag, 'id') ?? '';
      sheets.push({ relation, isHidden: /hidden/i.test(attribute(tag, 'state') ?? '') });
    },
  });
  const parts = new Map<string, string>();
  const worksheets = new Map<string, string>();
  await parseWhole(files, 'xl/_rels/workbook.xml.rels', {
    open: (name, tag) => {
      if (name !== 'Relationship') return;
      const type = attribute(tag, 'Type')?.split('/').at(-1) ?? '';
      if (!['worksheet', 'sharedStrings', 'styles'].includes(type)) return;
      const path = pathOf(attribute(tag, 'Target') ?? '');
      if (type === 'worksheet') worksheets.set(attribute(tag, 'Id') ?? '', path);
      else parts.set(type, path);
    },
  });
  // A sheet of charts alone is no worksheet.
  const readable = sheets.filter(({ relation }) => worksheets.has(relation));
  const sheet = readable.find(({ isHidden }) => !isHidden) ?? readable[0];
  return {
    sheetPath: worksheets.get(sheet?.relation ?? '') ?? '',
    stringsPath: parts.get('sharedStrings') ?? 'xl/sharedStrings.xml',
    stylesPath: parts.get('styles') ?? 'xl/styles.xml',
    is1904: is1904 ?? false,
  };
}

/** The path in the archive of what the workbook calls `worksheets/sheet1.xml`, or `/xl/worksheets/sheet1.xml`. */
const pathOf = (target: string): string =>
  decodeURI(new URL(target, `file:///${WORKBOOK}`).pathname.slice(1));

/** The formats of cells by their style. */
async function readStyles(files: Files, path: string): Promise<readonly NumberFormat[]> {
  if (!files.has(path)) return [];
  const codes = new Map<number, string>();
  const ids: number[] = [];
  let isInCells = false;
  await parseWhole(files, path, {
    open: (name, tag) => {
      if (name === 'numFmt' && codes.size < STYLES_MAX)
        codes.set(Number(attribute(tag, 'numFmtId')), attribute(tag, 'formatCode') ?? '');
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells && ids.length < STYLES_MAX)
        ids.push(Number(attribute(tag, 'numFmtId') ?? 0));
    },
    close: (name) => {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  const formats = new Map<number, NumberFormat>();
  return ids.map((id) => {
    const format = formats.get(id) ?? numberFormatOf(id, codes.get(id));
    formats.set(id, format);
    return format;
  });
}

async function readStrings(files: Files, path: string): Promise<readonly string[]> {
  const strings: string[] = [];
  if (!files.has(path)) return strings;
  let text = '';
  const texts = textParser((more) => (text += more));
  await parseWhole(files, path, {
    ...texts,
    open: (name) => {
      texts.open(name);
      if (name === 'si') text = '';
    },
    close: (name) => {
      texts.close(name);
      if (name !== 'si') return;
      if (strings.length >= CELLS_MAX) throw new WorkbookTooLarge();
      strings.push(unescaped(text));
    },
  });
  return strings;
}

/** Collects the texts of `<t>`, but for those that say how a word is pronounced. */
function textParser(add: (text: string) => void) {
  let isText = false;
  let isPhonetic = false;
  return {
    open: (name: string) => {
      if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    close: (name: string) => {
      if (name === 'rPh') isPhonetic = false;
      else if (name === 't') isText = false;
    },
    text: (text: string) => {
      if (isText) add(text);
    },
  };
}

/** A spreadsheet's own way to write a character: `_x000D_`. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );

type SheetContext = {
  styles: readonly NumberFormat[];
  strings: readonly string[];
  is1904: boolean;
  columnsMax: number;
  /** Receives the rows that have a value. */
  rows: string[][];
};

function sheetParser({ styles, strings, is1904, columnsMax, rows }: SheetContext): XmlHandler {
  let row = 0;
  let column = 0;
  let cells = 0;
  let values: string[] = [];
  let isValue = false;
  let text = '';
  let type = '';
  let cellTag = '';
  const texts = textParser((more) => (text += more));

  const openRow = (tag: string) => {
    const given = attribute(tag, 'r');
    row = given === undefined ? row + 1 : Number(given);
    if (!(row >= 1 && row <= ROW_MAX)) throw new Error('no sheet has this row');
    column = 0;
    values = [];
  };
  const openCell = (tag: string) => {
    cells += 1;
    if (cells > CELLS_MAX) throw new WorkbookTooLarge();
    const address = attribute(tag, 'r');
    column = address === undefined ? column + 1 : columnOf(address);
    if (column > COLUMN_MAX) throw new Error('no sheet has this column');
    type = attribute(tag, 't') ?? 'n';
    cellTag = tag;
    text = '';
  };
  const closeCell = () => {
    if (column > columnsMax || text === '') return;
    const value =
      type === 's'
        ? (strings[Number(text)] ?? '')
        : type === 'inlineStr' || type === 'str'
          ? unescaped(text)
          : cellText(type, text, {
              format: styles[Number(attribute(cellTag, 's') ?? 0)],
              is1904,
            });
    if (value === '') return;
    while (values.length < column - 1) values.push('');
    values[column - 1] = value;
  };
  return {
    open: (name, tag) => {
      if (name === 'c') openCell(tag);
      else if (name === 'v') isValue = true;
      else if (name === 'row') openRow(tag);
      else if (name === 'dimension') attribute(tag, 'ref')?.split(':').forEach(columnOf);
      else texts.open(name);
    },
    close: (name) => {
      if (name === 'c') closeCell();
      else if (name === 'v') isValue = false;
      else if (name === 'row') {
        if (values.length > 0) rows.push(values);
      } else texts.close(name);
    },
    text: (more) => {
      if (isValue) text += more;
      else texts.text(more);
    },
  };
}

/** The column of an address, from 1. @throws an error if no sheet has such a cell */
function columnOf(address: string): number {
  const [, letters = '', row] = /^\$?([A-Z]{1,3})\$?([1-9]\d{0,6})$/.exec(address) ?? [];
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  if (column < 1 || column > COLUMN_MAX || Number(row) > ROW_MAX)
    throw new Error('no sheet has this cell');
  return column;
}

type XmlHandler = {
  /** @param tag what stands between the name and the end of the tag: see `attribute` */
  open?: (name: string, tag: string) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

async function parseWhole(files: Files, path: string, handler: XmlHandler): Promise<void> {
  for await (const _ of parsed(files, path, handler));
}

/** Parses a file; yields after each piece of it. */
async function* parsed(files: Files, path: string, handler: XmlHandler): AsyncGenerator<void> {
  const parser = xmlParser(handler);
  for await (const piece of files.read(path)) {
    parser.write(piece);
    yield;
  }
  parser.end();
}

/** A tag up to its end: an attribute may hold a `>`. */
const tagPattern = /<[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>/y;
/** Markup that is skipped, by its beginning. */
const skipped = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;
const CDATA = '<![CDATA[';
const [SLASH, DOUBLE_QUOTE, SINGLE_QUOTE] = [0x2f, 0x22, 0x27];

/** Blanks, `/`, `>`, and the end of the text. */
const endsName = (code: number): boolean =>
  code <= 0x20 || code === SLASH || code === 0x3e || Number.isNaN(code);

/** Parses XML without a document type, which no workbook has, as it comes in pieces. */
function xmlParser({ open, close, text }: XmlHandler) {
  let rest = '';
  let depth = 0;
  /** End of the token that begins at a place; undefined while it is incomplete. */
  const readToken = (at: number): number | undefined => {
    for (const [begin, end] of skipped) {
      if (rest.startsWith(begin, at)) return endOf(end, at + begin.length);
    }
    if (rest.startsWith(CDATA, at)) {
      const end = endOf(']]>', at);
      if (end !== undefined) text?.(rest.slice(at + CDATA.length, end - 3));
      return end;
    }
    if (rest.startsWith('<!', at)) {
      if (rest.length - at < CDATA.length) return undefined;
      throw new Error('a workbook has no document type');
    }
    const end = endOfTag(rest, at);
    if (end === undefined) return undefined;
    const isClosing = rest.charCodeAt(at + 1) === SLASH;
    const isEmpty = rest.charCodeAt(end - 2) === SLASH;
    const from = at + (isClosing ? 2 : 1);
    let to = from;
    while (!endsName(rest.charCodeAt(to))) to += 1;
    const prefixed = rest.slice(from, to);
    const name = prefixed.slice(prefixed.indexOf(':') + 1);
    if (!isClosing) {
      depth += 1;
      open?.(name, rest.slice(to, end - 1));
    }
    if (isClosing || isEmpty) {
      depth -= 1;
      close?.(name);
    }
    return end;
  };
  const endOf = (mark: string, from: number): number | undefined => {
    const end = rest.indexOf(mark, from);
    return end === -1 ? undefined : end + mark.length;
  };
  return {
    write: (piece: string) => {
      rest += piece;
      let at = 0;
      for (;;) {
        const begin = rest.indexOf('<', at);
        if (begin === -1) break;
        if (begin > at) text?.(decodeEntities(rest.slice(at, begin)));
        at = begin;
        const end = readToken(begin);
        if (end === undefined) break;
        at = end;
      }
      rest = rest.slice(at);
      if (rest.length > TOKEN_MAX) throw new WorkbookTooLarge();
    },
    end: () => {
      if (depth !== 0 || rest.trim() !== '') throw new Error('the XML ends too early');
    },
  };
}

/** End of the tag that begins at a place; undefined while it is incomplete. */
function endOfTag(text: string, at: number): number | undefined {
  const end = text.indexOf('>', at);
  if (end === -1 || hasWholeQuotes(text, at, end)) return end === -1 ? undefined : end + 1;
  tagPattern.lastIndex = at;
  return tagPattern.test(text) ? tagPattern.lastIndex : undefined;
}

function hasWholeQuotes(text: string, from: number, to: number): boolean {
  let quote = 0;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== DOUBLE_QUOTE && code !== SINGLE_QUOTE) continue;
    if (quote === 0) quote = code;
    else if (quote === code) quote = 0;
  }
  return quote === 0;
}

const attributePatterns = new Map<string, RegExp>();

/** An attribute of a tag, with any prefix. */
function attribute(tag: string, name: string): string | undefined {
  let pattern = attributePatterns.get(name);
  if (!pattern) {
    pattern = new RegExp(`(?:^|[\\s:])${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`);
    attributePatterns.set(name, pattern);
  }
  const found = pattern.exec(tag);
  const value = found?.[1] ?? found?.[2];
  return value === undefined ? undefined : decodeEntities(value);
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9A-Fa-f]{1,6})|(\w+));/g, (whole, dec, hex, name) => {
    if (name !== undefined) return entities[name as string] ?? whole;
    const code = dec === undefined ? Number.parseInt(hex as string, 16) : Number(dec);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}
