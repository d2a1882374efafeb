import { type Entry, type ZipFile, fromBufferPromise } from 'yauzl';

const COLUMN_MAX = 16_384;
const ROW_MAX = 1_048_576;
const INFLATED_BYTES_MAX = 100_000_000;
const ENTRIES_MAX = 1_000;
const CELLS_MAX = 5_000_000;
const STYLES_MAX = 100_000;
/** UTF-16 units of a tag, or of a text between two tags. */
const TOKEN_MAX = 1_000_000;

export class WorkbookTooLarge extends Error {}

/**
 * Reads the first visible sheet (ECMA-376), each cell as a spreadsheet shows it, and skips empty rows. Time and
 * memory depend on the file's bytes only. Values beyond `columnsMax` are dropped.
 *
 * @throws WorkbookTooLarge; another error if it is not a workbook, or has cells outside of a sheet's limits.
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
  /** The text of a file in chunks. @throws WorkbookTooLarge; an error if it does not exist */
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
  // A chart sheet is not a worksheet.
  const readable = sheets.filter(({ relation }) => worksheets.has(relation));
  const sheet = readable.find(({ isHidden }) => !isHidden) ?? readable[0];
  return {
    sheetPath: worksheets.get(sheet?.relation ?? '') ?? '',
    stringsPath: parts.get('sharedStrings') ?? 'xl/sharedStrings.xml',
    stylesPath: parts.get('styles') ?? 'xl/styles.xml',
    is1904: is1904 ?? false,
  };
}

/** The archive path of a target such as `worksheets/sheet1.xml` or `/xl/worksheets/sheet1.xml`. */
const pathOf = (target: string): string =>
  decodeURI(new URL(target, `file:///${WORKBOOK}`).pathname.slice(1));

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

/** Decodes a spreadsheet's own escape of a character: `_x000D_`. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );

type SheetContext = {
  styles: readonly NumberFormat[];
  strings: readonly string[];
  is1904: boolean;
  columnsMax: number;
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
  /** @param tag the text between the name and the end of the tag: see `attribute` */
  open?: (name: string, tag: string) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

async function parseWhole(files: Files, path: string, handler: XmlHandler): Promise<void> {
  for await (const _ of parsed(files, path, handler));
}

async function* parsed(files: Files, path: string, handler: XmlHandler): AsyncGenerator<void> {
  const parser = xmlParser(handler);
  for await (const piece of files.read(path)) {
    parser.write(piece);
    yield;
  }
  parser.end();
}

/** A tag up to its end: an attribute may contain a `>`. */
const tagPattern = /<[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>/y;
const skipped = [
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;
const CDATA = '<![CDATA[';
const [SLASH, DOUBLE_QUOTE, SINGLE_QUOTE] = [0x2f, 0x22, 0x27];

const endsName = (code: number): boolean =>
  code <= 0x20 || code === SLASH || code === 0x3e || Number.isNaN(code);

function xmlParser({ open, close, text }: XmlHandler) {
  let rest = '';
  let depth = 0;
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

type NumberFormat =
  | { as: 'percent'; decimals: number }
  | { as: 'padded'; digits: number }
  | { as: 'moment'; date: boolean; time: boolean; hours: boolean; seconds: boolean }
  /** An elapsed time, counted in its largest unit. */
  | { as: 'elapsed'; unit: 'h' | 'm' | 's'; minutes: boolean; seconds: boolean }
  | undefined;

/** Built-in formats that show something other than the number (ECMA-376, 18.8.30). */
const builtInCodes: Readonly<Record<number, string>> = {
  9: '0%',
  10: '0.00%',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yy h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss.0',
};
const isEastAsianDate = (id: number): boolean => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

function numberFormatOf(id: number, written: string | undefined): NumberFormat {
  const code = written ?? builtInCodes[id] ?? (isEastAsianDate(id) ? 'yyyy-mm-dd' : '');
  // Removes literals, colours, conditions and languages: `[$-421]dd mmmm yyyy;@`. Only the format of positive numbers
  // counts.
  const [section = ''] = code
    .toLowerCase()
    .replace(/"[^"]*"|\\.|[_*]./g, '')
    .split(';');
  const elapsed = /\[(h+|m+|s+)\]/.exec(section)?.[1]?.charAt(0) as 'h' | 'm' | 's' | undefined;
  const shown = section
    .replace(/\[[^\]]*\]/g, '')
    .replace(/[.,]0+/g, (zeros) => (/s/.test(section) ? '' : zeros));
  if (elapsed)
    return { as: 'elapsed', unit: elapsed, minutes: /m/.test(shown), seconds: /s/.test(shown) };
  if (/[0#?]/.test(shown)) {
    if (shown.includes('%'))
      return { as: 'percent', decimals: /\.([0#?]+)/.exec(shown)?.[1]?.length ?? 0 };
    return /^0+$/.test(shown) ? { as: 'padded', digits: shown.length } : undefined;
  }
  if (!/[ymdhs]/.test(shown)) return undefined;
  const time = /[hs]/.test(shown);
  // `m` is a month, not minutes, if in letters, or if no hour or second is shown.
  const date = /[yd]|mmm/.test(shown) || !time;
  return { as: 'moment', date, time, hours: /h/.test(shown), seconds: /s/.test(shown) };
}

type CellContext = { format: NumberFormat; is1904: boolean };

/**
 * A long number in full, a date as `2026-11-21`, a time as `14:30`, an elapsed time as `36:00`; an error (`#N/A`) is
 * empty.
 *
 * @param type of the cell in the file (`t`): neither a shared string nor a text.
 */
function cellText(type: string, text: string, { format, is1904 }: CellContext): string {
  if (type === 'e') return '';
  if (type === 'b') return text === '1' || text === 'true' ? 'TRUE' : 'FALSE';
  if (type === 'd') return text.replace('T', ' ').replace(/(?: 00:00)?(?::00)?(?:\.\d+)?Z?$/, '');
  const value = Number(text);
  if (!Number.isFinite(value)) return '';
  switch (format?.as) {
    case 'percent':
      return `${Number((value * 100).toFixed(format.decimals))}%`;
    case 'padded':
      return numberText(Math.round(value)).padStart(format.digits, '0');
    case 'elapsed':
      return elapsedText(value, format);
    case 'moment':
      return momentText(value, format, is1904);
    default:
      return numberText(value);
  }
}

/** With the 15 digits of spreadsheets, except integers, which are written in full. */
const numberText = (value: number): string =>
  Number.isInteger(value) ? BigInt(value).toString() : String(Number(value.toPrecision(15)));

const DAY_S = 86_400;
const two = (value: number): string => String(value).padStart(2, '0');

function elapsedText(
  value: number,
  { unit, minutes, seconds }: Extract<NumberFormat, { as: 'elapsed' }>,
): string {
  const total = Math.round(Math.abs(value) * DAY_S);
  const [h, m, s] = [Math.floor(total / 3600), Math.floor(total / 60), total] as const;
  const parts =
    unit === 'h'
      ? [String(h), ...(minutes ? [two(m % 60)] : []), ...(seconds ? [two(s % 60)] : [])]
      : unit === 'm'
        ? [two(m), ...(seconds ? [two(s % 60)] : [])]
        : [String(s)];
  return `${value < 0 ? '-' : ''}${parts.join(':')}`;
}

const LAST_DAY = 2_958_465;
const DAYS_TO_1904 = 1_462;
/** Spreadsheets take 1900 for a leap year: its 29 February is day 60. */
const NO_SUCH_DAY = 60;

function momentText(
  value: number,
  { date, time, hours, seconds }: Extract<NumberFormat, { as: 'moment' }>,
  is1904: boolean,
): string {
  const total = Math.round((value + (date && is1904 ? DAYS_TO_1904 : 0)) * DAY_S);
  const day = Math.floor(total / DAY_S);
  const rest = total - day * DAY_S;
  // A number outside the range of dates remains a number.
  if (value < 0 || day > LAST_DAY) return numberText(value);
  const clock = hours
    ? `${two(Math.floor(rest / 3600))}:${two(Math.floor(rest / 60) % 60)}${seconds ? `:${two(rest % 60)}` : ''}`
    : `${two(Math.floor(rest / 60) % 60)}:${two(rest % 60)}`;
  // Day 0 means a time without a date.
  const days = date && day > 0 ? [dayText(day)] : [];
  return [...days, ...(time ? [clock] : [])].join(' ');
}

function dayText(day: number): string {
  if (day === NO_SUCH_DAY) return '1900-02-29';
  const epoch = Date.UTC(1899, 11, day < NO_SUCH_DAY ? 31 : 30);
  return new Date(epoch + day * DAY_S * 1000).toISOString().slice(0, 10);
}
