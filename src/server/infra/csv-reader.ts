export type CsvRecord = {
  line: number;
  cells: string[];
};

/** A longer quoted cell has lost its closing quote. */
const QUOTED_CHARS_MAX = 4_000;
const QUOTED_LINES_MAX = 20;
/** Cells stored per record; more are represented by one extra, empty cell. */
const CELLS_MAX = 64;

const newline = /\r\n|\r|\n/g;

/**
 * Reads a CSV record by record (RFC 4180). An unclosed quote is a literal character, so a broken line spoils only
 * itself (docs/decisions/005-payments-and-statements.md). Never throws; runs in linear time.
 */
export function* readCsv(text: string, delimiter: string): Generator<CsvRecord> {
  const plain = new RegExp(`[^${delimiter === '\t' ? '\\t' : delimiter}\\r\\n]*`, 'y');
  const read: Reading = { text, delimiter, plain, at: 0, line: 1 };
  while (read.at < text.length) {
    const { line } = read;
    yield { line, cells: readRecord(read) };
  }
}

type Reading = { text: string; delimiter: string; plain: RegExp; at: number; line: number };

function readRecord(read: Reading): string[] {
  const { text, delimiter } = read;
  const cells: string[] = [];
  let quotesCount = true;
  for (;;) {
    const quoted: string | undefined =
      quotesCount && text[read.at] === '"' ? readQuoted(read) : undefined;
    quotesCount &&= quoted !== undefined || text[read.at] !== '"';
    const cell = quoted ?? readPlain(read);
    if (cells.length < CELLS_MAX) cells.push(cell);
    else if (cells.length === CELLS_MAX) cells.push('');
    if (text[read.at] !== delimiter) break;
    read.at += 1;
  }
  read.at += text.startsWith('\r\n', read.at) ? 2 : 1;
  read.line += 1;
  return cells;
}

function readPlain(read: Reading): string {
  read.plain.lastIndex = read.at;
  const [cell = ''] = read.plain.exec(read.text) ?? [];
  read.at += cell.length;
  return cell;
}

function readQuoted(read: Reading): string | undefined {
  const { at, delimiter } = read;
  const near = read.text.slice(at + 1, at + 1 + QUOTED_CHARS_MAX);
  for (let quote = near.indexOf('"'); quote !== -1; quote = near.indexOf('"', quote + 1)) {
    if (near[quote + 1] === '"') {
      quote += 1;
      continue;
    }
    const after = near[quote + 1] ?? read.text[at + quote + 2];
    if (after !== undefined && after !== delimiter && after !== '\r' && after !== '\n') continue;
    const cell = near.slice(0, quote);
    const lines = cell.match(newline)?.length ?? 0;
    if (lines > QUOTED_LINES_MAX) return undefined;
    read.at = at + quote + 2;
    read.line += lines;
    return cell.replaceAll('""', '"');
  }
  return undefined;
}

/** Decodes UTF-8 or UTF-16 by BOM, else valid UTF-8, else a Windows code page. */
export function decodeCsv(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
