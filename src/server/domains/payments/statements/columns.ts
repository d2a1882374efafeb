import { cleanCell } from './values.ts';

export type Field =
  | 'date'
  | 'time'
  | 'description'
  | 'amount'
  | 'way'
  | 'debit'
  | 'credit'
  | 'balance'
  | 'reference'
  | 'account';

/** The columns of a statement by index; several may hold parts of the description. */
export type Columns = {
  at: Partial<Record<Field, readonly number[]>>;
  count: number;
  format: StatementFormat;
};

export const statementFormats = {
  bca: 'KlikBCA Individu',
  bca_business: 'KlikBCA Bisnis',
  mandiri: 'Mandiri',
  bri: 'BRI',
  bni: 'BNI',
  other: 'Bank lain',
} as const;
export type StatementFormat = keyof typeof statementFormats;

const words: Readonly<Record<Field, RegExp>> = {
  date: /^(tanggal|tgl|date|(tanggal|tgl) (transaksi|tran|posting)|(transaction|trx|post|posting) date)$/,
  time: /^(jam|waktu|time|jam tran|jam transaksi|transaction time)$/,
  description:
    /^(keterangan|deskripsi|uraian|description|remarks?|desk tran|(uraian|keterangan|deskripsi) (transaksi|mutasi)|transaction (description|details?))$/,
  amount: /^(jumlah|nominal|amount|mutasi|nilai|(jumlah|nominal) transaksi|transaction amount)$/,
  way: /^(db cr|cr db|d k|k d|d c|dk|dc|db kr|type|tipe|jenis|jenis transaksi|type d k)$/,
  debit: /^(debet|debit|mutasi debet|mutasi debit|debits?( amount)?)$/,
  credit: /^(kredit|credit|mutasi kredit|credits?( amount)?)$/,
  balance: /^(saldo|balance|saldo akhir|saldo akhir mutasi|(ending|running|closing) balance)$/,
  reference:
    /^(reference|referensi|no (referensi|ref|jurnal)|(reference|ref|journal) (no|number)|journal|jurnal)$/,
  account: /^(norek|account( no| number)?|(no|nomor) (rek|rekening)|rekening)$/,
};

const wordOf = (cell: string): string =>
  cleanCell(cell)
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z]+/g, ' ')
    .trim()
    // Mandiri adds the currency to the amount's column name.
    .replace(/ (?:idr|rp)$/, '');

export function readColumns(cells: readonly string[]): Columns | undefined {
  const heads = cells.map(wordOf);
  const at: Partial<Record<Field, number[]>> = {};
  for (const [place, head] of heads.entries()) {
    const found = Object.entries(words).find(([, word]) => word.test(head));
    if (!found) continue;
    const field = found[0] as Field;
    // A second column of a kind would be ambiguous; only descriptions come in parts.
    if (field === 'description' || at[field] === undefined) (at[field] ??= []).push(place);
  }
  // KlikBCA leaves the name of the DB/CR column empty.
  const next = (at.amount?.[0] ?? -2) + 1;
  if (at.way === undefined && heads[next] === '' && next < heads.length - 1) at.way = [next];
  const hasMoney = at.amount !== undefined || (at.debit !== undefined && at.credit !== undefined);
  if (at.date === undefined || at.description === undefined || !hasMoney) return undefined;
  const count = heads.findLastIndex((head) => head !== '') + 1;
  return { at, count, format: formatOf(heads, at) };
}

function formatOf(
  heads: readonly string[],
  at: Partial<Record<Field, readonly number[]>>,
): StatementFormat {
  const has = (...names: string[]) => names.some((name) => heads.includes(name));
  if (has('norek', 'desk tran', 'teller')) return 'bri';
  if (has('val date', 'value date') && at.debit) return 'mandiri';
  if (has('journal no', 'journal', 'no jurnal', 'post date', 'posting date', 'type d k'))
    return 'bni';
  if (!has('cabang', 'branch') || at.amount === undefined) return 'other';
  return at.way === undefined ? 'bca_business' : 'bca';
}
