import type { Invoice, InvoiceDetail, InvoiceKind, InvoiceStatus } from '#contract/billing.ts';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type TopupMethod, topupMethodLabel } from '#contract/saldo.ts';
import { type TaxRate, taxOf } from '#server/domains/pricing/pricing.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import type { InvoiceLine } from './issue.ts';
import { terbilang } from './terbilang.ts';

export type Party = InvoiceDetail['seller'];

export type InvoiceRow = {
  account_id: string;
  invoice_id: string;
  kind: InvoiceKind;
  status: InvoiceStatus;
  doc_ref: string;
  number: string | null;
  title: string;
  period_start: Date | null;
  period_end: Date | null;
  lines: readonly InvoiceLine[];
  base: number;
  ppn: number;
  unique_code: number;
  total: number;
  tax: { num: number; den: number; dpp_num: number; dpp_den: number } | null;
  seller: Party & { adds_ppn: boolean };
  buyer: Party;
  topup_id: string | null;
  credits: string | null;
  paid_with: string | null;
  paid_ref: string | null;
  note: string | null;
  created_at: Date;
  due_at: Date | null;
  paid_at: Date | null;
};

export const invoiceColumns = (sql: Sql | Tx): Fragment => sql`
  account_id, invoice_id, kind, status, doc_ref, number, title, period_start, period_end, lines, base,
  ppn, unique_code, total, tax, seller, buyer, topup_id, credits, paid_with, paid_ref, note,
  created_at, due_at, paid_at`;

/** Finds an invoice of an account. @throws Refusal `not_found`, also for another account's. */
export async function findInvoice(
  sql: Sql | Tx,
  { accountId, invoiceId }: { accountId: string; invoiceId: string },
): Promise<InvoiceRow> {
  const [row] = await sql<InvoiceRow[]>`
    select ${invoiceColumns(sql)} from invoices
    where account_id = ${accountId} and invoice_id = ${invoiceId}`;
  if (!row) throw new Refusal('not_found', { what: 'Tagihan' });
  return row;
}

export const invoiceOf = (row: InvoiceRow): Invoice => ({
  id: publicId('invoice', row.invoice_id),
  kind: row.kind,
  status: row.status,
  number: row.number,
  title: row.title,
  period_start: row.period_start,
  period_end: row.period_end,
  base: rupiah(row.base),
  ppn: rupiah(row.ppn),
  unique_code: rupiah(row.unique_code),
  total: rupiah(row.total),
  created_at: row.created_at,
  due_at: row.due_at,
  paid_at: row.paid_at,
  topup_id: row.topup_id === null ? null : publicId('topup', row.topup_id),
});

/** DPP nilai lain, 11/12 of the base, rounded half up: printed beside the PPN only. Null without PPN. */
export function dppOf({ base, ppn, tax }: Pick<InvoiceRow, 'base' | 'ppn' | 'tax'>) {
  if (ppn === 0 || tax === null) return null;
  const share: TaxRate = {
    num: BigInt(tax.dpp_num),
    den: BigInt(tax.dpp_den),
    dppNum: 1n,
    dppDen: 1n,
  };
  return taxOf(rupiah(base), share);
}

const otherWays: Readonly<Record<string, string>> = {
  saldo: 'Saldo Kabari',
  credit: 'Nota kredit',
};

export function paymentWords({ paid_with: way }: Pick<InvoiceRow, 'paid_with'>): string | null {
  if (way === null) return null;
  return topupMethodLabel[way as TopupMethod] ?? otherWays[way] ?? way;
}

/** Printed on invoices without PPN, which was collected with the top-up. */
export const PPN_PREPAID = 'PPN sudah dipungut saat isi saldo.';

export function notesOf(row: InvoiceRow): string[] {
  const isPrepaid = row.kind === 'plan' && row.ppn === 0 && row.seller.adds_ppn;
  return [
    ...(isPrepaid ? [PPN_PREPAID] : []),
    ...(row.note === null || row.note === '' ? [] : [row.note]),
  ];
}

const partyOf = ({ name, npwp, address, email, phone }: Party): Party => ({
  name,
  npwp,
  address,
  email,
  phone,
});

export const verifyUrlOf = (origin: string, docRef: string): string => `${origin}/faktur/${docRef}`;

export const detailOf = (row: InvoiceRow, origin: string): InvoiceDetail => ({
  ...invoiceOf(row),
  seller: partyOf(row.seller),
  buyer: partyOf(row.buyer),
  lines: row.lines.map(({ text, quantity, price, amount }) => ({ text, quantity, price, amount })),
  dpp: dppOf(row),
  in_words: `${terbilang(row.total)} rupiah`,
  paid_with: paymentWords(row),
  note: notesOf(row).join(' ') || null,
  verify_url: row.status === 'paid' ? verifyUrlOf(origin, row.doc_ref) : null,
});
