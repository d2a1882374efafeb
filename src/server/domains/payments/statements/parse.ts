import { type Rupiah, rupiah } from '#contract/base/money.ts';
import { storable } from '#contract/base/text.ts';
import { type CsvRecord, decodeCsv, readCsv } from '#server/infra/csv-reader.ts';
import { type BookedRow, type DayBalance, readBalances } from './balances.ts';
import { type Columns, type Field, type StatementFormat, readColumns } from './columns.ts';
import {
  type Amount,
  type Period,
  cleanCell,
  lately,
  readAmount,
  readMoment,
  readPeriod,
  readDirection,
} from './values.ts';

export type CreditLine = {
  kind: 'credit';
  number: number;
  /** In WIB. */
  day: string;
  at: Date;
  amount: Rupiah;
  description: string;
  reference: string;
  /** Distinguishes equal lines of a day: the balance after the line, and its index among its equals. */
  place: string;
};

export type StatementLine =
  | CreditLine
  /** A debit: negative, without sen. For display only. */
  | { kind: 'debit'; number: number; day: string; amount: Rupiah; description: string }
  | { kind: 'pending'; number: number; day: string | undefined; description: string }
  | { kind: 'unreadable'; number: number; reason: string; description: string };

export type Statement = {
  format: StatementFormat;
  account: string | undefined;
  period: Period | undefined;
  lines: readonly StatementLine[];
  days: readonly DayBalance[];
};

export type NoStatement =
  | { no: 'unknown' }
  | { no: 'too long' }
  | { no: 'unbalanced'; line: number }
  | { no: 'other account'; account: string };

export type Reading = { bank: string; today: string };

export const LINES_MAX = 20_000;
const LINES_A_STEP = 250;
const DESCRIPTION_MAX = 500;
const REFERENCE_MAX = 100;
const HEAD_RECORDS_MAX = 60;
const delimiters = [',', ';', '\t', '|'] as const;

/**
 * Parses a CSV statement from a bank's website: BCA, KlikBCA Bisnis, Mandiri, BRI, BNI, and others with usual column
 * names (docs/money.md#bank-lines). Never throws: an unreadable row becomes a line with a reason.
 *
 * @param read.bank our account's number; a statement of another account is refused.
 * @param read.today in WIB, for KlikBCA Individu, which writes neither years nor a period.
 */
export function parseStatement(bytes: Uint8Array, read: Reading): Statement | NoStatement {
  const steps = statementSteps(bytes, read);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** `parseStatement` in steps of some hundred lines, for callers that share the event loop. */
export function* statementSteps(
  bytes: Uint8Array,
  { bank, today }: Reading,
): Generator<undefined, Statement | NoStatement> {
  const text = decodeCsv(bytes);
  for (const delimiter of delimiters) {
    const head = readHead(text, delimiter);
    if (head)
      return yield* readTable(readCsv(text, delimiter), head, { bank: digitsOf(bank), today });
  }
  return { no: 'unknown' };
}

type Head = {
  columns: Columns;
  cells: readonly string[];
  line: number;
  account: string | undefined;
  period: Period | undefined;
};

const accountWords = /\b(?:no|nomor)\.? *rek|account *(?:no|number)|\brekening\b/i;
const periodWords = /\bperiode?\b/i;

function readHead(text: string, delimiter: string): Head | undefined {
  let account: string | undefined;
  let period: Period | undefined;
  let read = 0;
  for (const { line, cells } of readCsv(text, delimiter)) {
    const columns = readColumns(cells);
    if (columns) return { columns, cells, line, account, period };
    const words = cells.map(cleanCell).join(' ').slice(0, 400);
    if (accountWords.test(words)) account ??= accountIn(words);
    if (periodWords.test(words)) period ??= readPeriod(words);
    if ((read += 1) >= HEAD_RECORDS_MAX) return undefined;
  }
  return undefined;
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** A long number that Excel has rounded: `8,80012E+09`. It no longer identifies an account. */
const rounded = /\d(?:[.,]\d+)?e\+\d+/i;

const accountOf = (text: string): string => (rounded.test(text) ? '' : digitsOf(text));

function accountIn(words: string): string | undefined {
  if (rounded.test(words)) return undefined;
  const [found] = /\d[\d .-]{3,30}\d/.exec(words) ?? [];
  return found === undefined ? undefined : digitsOf(found);
}

function* readTable(
  records: Iterable<CsvRecord>,
  head: Head,
  { bank, today }: Reading,
): Generator<undefined, Statement | NoStatement> {
  const { columns, period } = head;
  const days = period ?? lately(today);
  let account = head.account;
  if (account !== undefined && account !== bank) return { no: 'other account', account };
  const lines: StatementLine[] = [];
  const booked: BookedRow[] = [];
  for (const record of joined(records, head)) {
    const row = new Row(record, columns);
    const own = accountOf(row.text('account'));
    if (own !== '' && own !== bank && lines.length === 0) {
      return { no: 'other account', account: own };
    }
    if (own === bank) account = bank;
    if (own !== '' && own !== bank) {
      lines.push(row.unreadable('Baris ini milik rekening lain.'));
    } else {
      const line = readRow(row, days);
      lines.push(line);
      if (line.kind !== 'pending') booked.push(bookedRow(row, line, days));
    }
    if (lines.length > LINES_MAX) return { no: 'too long' };
    if (lines.length % LINES_A_STEP === 0) yield;
  }
  const balances = readBalances(booked);
  if ('unbalanced' in balances) return { no: 'unbalanced', line: balances.unbalanced };
  return { format: columns.format, account, period, lines: placed(lines), days: balances.days };
}

const footer =
  /^(saldo (awal|akhir)|mutasi (debet|debit|kredit|cr|db)|(starting|opening|ending|closing) balance|credits?|debits?|debet|kredit|total|jumlah|subtotal|generated|dicetak|halaman|page)\b/i;

/** The rows of the table, without head, blank rows and footers; wrapped rows are joined. */
function* joined(records: Iterable<CsvRecord>, { columns, cells, line: first }: Head) {
  const names = cells.join('\t');
  let open: CsvRecord | undefined;
  const isPart = (row: Row) =>
    row.text('date') === '' && row.text('description') !== '' && !row.hasMoney();
  for (const record of records) {
    if (record.line <= first) continue;
    const filled = record.cells.filter((cell) => cleanCell(cell) !== '');
    if (filled.length === 0 || record.cells.join('\t') === names) continue;
    // Mandiri repeats its head in English.
    if (!filled.some((cell) => /\d/.test(cell)) && readColumns(record.cells)) continue;
    if (footer.test(cleanCell(filled[0] ?? ''))) {
      if (open) yield open;
      open = undefined;
      continue;
    }
    const row = new Row(record, columns);
    if (open && isPart(row)) {
      const place = columns.at.description?.[0] ?? 0;
      const whole = `${open.cells[place] ?? ''} ${row.text('description')}`;
      // Ignores text beyond the maximum length.
      if (whole.length <= 2 * DESCRIPTION_MAX) open.cells[place] = whole;
      continue;
    }
    if (open) yield open;
    open = record;
  }
  if (open) yield open;
}

class Row {
  readonly number: number;
  readonly #cells: readonly string[];
  readonly #columns: Columns;

  constructor({ line, cells }: CsvRecord, columns: Columns) {
    this.number = line;
    this.#cells = cells;
    this.#columns = columns;
  }
  has(field: Field): boolean {
    return this.#columns.at[field] !== undefined;
  }
  text(field: Field): string {
    const places = this.#columns.at[field] ?? [];
    const parts = places.map((place) => cleanCell((this.#cells[place] ?? '').slice(0, 4_000)));
    const words = parts.filter((part) => part !== '').join(' ');
    return /\s\s|[^\S ]/.test(words) ? words.replace(/\s+/g, ' ') : words;
  }
  hasMoney(): boolean {
    return ['amount', 'debit', 'credit'].some((field) => this.text(field as Field) !== '');
  }
  /** With more cells than columns, the amount cannot be located. */
  isTooWide(): boolean {
    return this.#cells
      .slice(Math.max(this.#columns.count, 1))
      .some((cell) => cleanCell(cell) !== '');
  }
  describe(): string {
    return plainText(this.text('description'), DESCRIPTION_MAX);
  }
  reference(): string {
    const word = plainText(this.text('reference'), REFERENCE_MAX);
    return /^[0-]*$/.test(word) ? '' : word;
  }
  unreadable(reason: string): StatementLine {
    return { kind: 'unreadable', number: this.number, reason, description: this.describe() };
  }
}

/** Removes control and format characters, and lone surrogates. */
function plainText(text: string, lengthMax: number): string {
  const short = text.slice(0, lengthMax);
  if (/^[\x20-\x7e]*$/.test(short)) return short.trim();
  return storable(short.replace(/[\p{Cc}\p{Cf}]+/gu, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

const pending = /^(pend|pending)$/i;

function readRow(row: Row, period: Period): StatementLine {
  const { number } = row;
  const description = row.describe();
  if (pending.test(row.text('date')))
    return { kind: 'pending', number, day: undefined, description };
  if (row.isTooWide()) return row.unreadable('Jumlah kolomnya tidak sama dengan judul tabel.');
  const moment = readMoment(`${row.text('date')} ${row.text('time')}`.trim(), period);
  const known = moment ?? readMoment(row.text('date'), period);
  if (known === undefined) {
    return row.unreadable('Tanggalnya tidak dapat dibaca. Urutannya harus hari, bulan, tahun.');
  }
  if (known === 'no year') {
    return row.unreadable(
      'Tahunnya tidak tertulis, dan tidak dapat ditentukan. Unduh mutasi yang menyebut periodenya.',
    );
  }
  const { day, time = '00:00:00' } = known;
  const money = moneyOf(row);
  if (typeof money === 'string') return row.unreadable(money);
  if (money.way === 'out') {
    return { kind: 'debit', number, day, amount: rupiah(-money.rupiah), description };
  }
  if (money.sen !== 0) {
    return row.unreadable('Jumlahnya memuat sen. Saldo hanya mengenal rupiah bulat.');
  }
  return {
    kind: 'credit',
    number,
    day,
    at: new Date(`${day}T${time}+07:00`),
    amount: rupiah(money.rupiah),
    description,
    reference: row.reference(),
    place: balanceOf(row),
  };
}

function bookedRow(row: Row, line: StatementLine, period: Period): BookedRow {
  const money = moneyOf(row);
  const isClear = typeof money !== 'string' && !row.isTooWide();
  const balance = readAmount(row.text('balance'));
  const change = isClear ? senOf(money) : undefined;
  return {
    number: row.number,
    day: 'day' in line ? line.day : dayOf(row, period),
    change: isClear && money.way === 'out' ? -(change ?? 0n) : change,
    balance: balance && (balance.negative ? -senOf(balance) : senOf(balance)),
    credit: line.kind === 'credit' ? line.amount : 0,
  };
}

function dayOf(row: Row, period: Period): string | undefined {
  const moment = readMoment(row.text('date'), period);
  return moment === undefined || moment === 'no year' ? undefined : moment.day;
}

const senOf = ({ rupiah: whole, sen }: Amount): bigint => BigInt(whole) * 100n + BigInt(sen);

type Money = Amount & { way: 'in' | 'out' };

/** The amount and direction of a row; a sentence if either is unclear. */
function moneyOf(row: Row): Money | string {
  if (row.has('debit') && row.has('credit')) {
    const [out, into] = [readSide(row.text('debit')), readSide(row.text('credit'))];
    if (out === undefined || into === undefined) return 'Jumlahnya tidak dapat dibaca.';
    const isOut = out.rupiah + out.sen > 0;
    const isIn = into.rupiah + into.sen > 0;
    if (isOut && isIn) return 'Baris ini memuat debit dan kredit sekaligus.';
    if (!isOut && !isIn) return 'Jumlahnya nol.';
    if (out.negative || into.negative) return 'Jumlahnya negatif.';
    return isIn ? { ...into, way: 'in' } : { ...out, way: 'out' };
  }
  const amount = readAmount(row.text('amount'));
  if (!amount) return 'Jumlahnya tidak dapat dibaca.';
  const way = directionOf(row, amount);
  if (way === undefined) return 'Tidak jelas apakah uang masuk atau keluar.';
  if (way === 'in' && amount.negative) return 'Jumlahnya negatif.';
  if (amount.rupiah + amount.sen === 0) return 'Jumlahnya nol.';
  return { ...amount, way };
}

/** The direction in the marks beside the amount and in their own column; undefined if unclear. */
function directionOf(row: Row, amount: Amount): 'in' | 'out' | undefined {
  const column = row.text('way');
  const marked = column === '' ? amount.way : readDirection(column);
  if (column !== '' && amount.way !== undefined && amount.way !== marked) return undefined;
  if (marked !== undefined || column !== '') return marked;
  return amount.negative ? 'out' : undefined;
}

const readSide = (text: string): Amount | undefined =>
  text === '' || text === '-'
    ? { rupiah: 0, sen: 0, negative: false, way: undefined }
    : readAmount(text);

function balanceOf(row: Row): string {
  const balance = readAmount(row.text('balance'));
  if (!balance) return '';
  const { rupiah: whole, sen, negative } = balance;
  return `${negative ? '-' : ''}${whole}.${String(sen).padStart(2, '0')}`;
}

/** Makes the `place` of equal credits unique by their index. */
function placed(lines: readonly StatementLine[]): StatementLine[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    if (line.kind !== 'credit') return line;
    const { day, amount, description, reference, place } = line;
    const same = JSON.stringify([day, amount, description.toLowerCase(), reference, place]);
    const before = seen.get(same) ?? 0;
    seen.set(same, before + 1);
    return { ...line, place: `${place}#${before}` };
  });
}
