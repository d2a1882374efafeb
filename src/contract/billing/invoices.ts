import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { PublicName } from '#contract/base/names.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { TopupMethod } from '#contract/saldo.ts';

export const InvoiceStatus = schema(() => z.enum(['draft', 'open', 'paid', 'void', 'expired']));
export type InvoiceStatus = Output<typeof InvoiceStatus>;

/** Statuses in the interface's words. */
export const invoiceStatusLabel: Record<InvoiceStatus, string> = {
  draft: 'Draf',
  open: 'Belum dibayar',
  paid: 'Lunas',
  void: 'Batal',
  expired: 'Kedaluwarsa',
};

export const InvoiceKind = schema(() => z.enum(['topup', 'plan', 'credit_note']));
export type InvoiceKind = Output<typeof InvoiceKind>;

/** Kinds in the interface's words. */
export const invoiceKindLabel: Record<InvoiceKind, string> = {
  topup: 'Isi saldo',
  plan: 'Paket',
  credit_note: 'Nota kredit',
};

/** An invoice as lists show it. */
export const Invoice = schema(() =>
  z.object({
    id: Id('invoice'),
    kind: InvoiceKind(),
    status: InvoiceStatus(),
    /** `INV/2026/11/000123`, given at payment; null before. */
    number: z.nullable(z.string()),
    /** What it is for, in a line: `Paket Usaha`. */
    title: z.string(),
    /** The period it pays for, of a plan. */
    period_start: z.nullable(z.coerce.date()),
    period_end: z.nullable(z.coerce.date()),
    base: Rupiah(),
    ppn: Rupiah(),
    unique_code: Rupiah(),
    total: Rupiah(),
    created_at: z.coerce.date(),
    due_at: z.nullable(z.coerce.date()),
    paid_at: z.nullable(z.coerce.date()),
    /** The top-up that pays, or would pay it. */
    topup_id: z.nullable(Id('topup')),
  }),
);
export type Invoice = Output<typeof Invoice>;

export const listInvoices = act({
  name: 'invoice_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    status: z.optional(InvoiceStatus()),
    kind: z.optional(InvoiceKind()),
  }),
  output: Invoice,
});

const Party = () =>
  z.object({
    name: z.string(),
    npwp: z.nullable(z.string()),
    address: z.nullable(z.string()),
    email: z.nullable(z.string()),
    phone: z.nullable(z.string()),
  });

/** An invoice whole, as its document has it. */
export const InvoiceDetail = schema(() =>
  z.extend(Invoice(), {
    seller: Party(),
    buyer: Party(),
    lines: z.array(
      z.object({ text: z.string(), quantity: z.int(), price: Rupiah(), amount: Rupiah() }),
    ),
    /** DPP nilai lain, printed beside the PPN; null without PPN. */
    dpp: z.nullable(Rupiah()),
    /** The total in words: `dua ratus lima puluh ribu rupiah`. */
    in_words: z.string(),
    /** How it was paid, in words. */
    paid_with: z.nullable(z.string()),
    note: z.nullable(z.string()),
    /** The page that verifies the document, for everybody who has its QR. */
    verify_url: z.nullable(z.url()),
  }),
);
export type InvoiceDetail = Output<typeof InvoiceDetail>;

export const getInvoice = act({
  name: 'invoice_get',
  by: 'customer',
  input: () => ({ invoice_id: IdInput('invoice') }),
  output: InvoiceDetail,
});

/** A signed link to the PDF, good for minutes. */
export const invoicePdf = act({
  name: 'invoice_pdf',
  by: 'customer',
  input: () => ({ invoice_id: IdInput('invoice') }),
  output: () => z.object({ url: z.string(), filename: z.string() }),
  refuses: ['invoice_unpaid'],
});

/**
 * Pays an open invoice of a plan: from saldo (no `method`) at once, or through a method of top-ups, which
 * then carries its PPN.
 */
export const payInvoice = act({
  name: 'invoice_pay',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ invoice_id: IdInput('invoice'), method: z.optional(TopupMethod()) }),
  output: () => z.object({ invoice: Invoice(), topup_id: z.nullable(Id('topup')) }),
  refuses: [
    'invoice_closed',
    'saldo_short',
    'wallet_frozen',
    'account_suspended',
    'topup_too_many',
    'topup_too_often',
    'topup_amount_busy',
    'topup_amount_unfit',
    'gateway_down',
  ],
});

/** An NPWP as people write it, with dots, dashes and blanks: 15 digits, or 16 of the new form. */
const Npwp = () =>
  z.pipe(
    z.string().check(z.maxLength(40)),
    z.pipe(
      z.transform((text: string) => text.replace(/[.\-\s]/g, '')),
      z.string().check(z.regex(/^(\d{15}|\d{16})?$/, 'NPWP terdiri dari 15 atau 16 angka.')),
    ),
  );

/** The buyer as invoices name it; null is left out, or the account's own. */
export const BillingProfile = schema(() =>
  z.object({
    name: z.nullable(z.string()),
    npwp: z.nullable(z.string()),
    address: z.nullable(z.string()),
    email: z.nullable(z.string()),
  }),
);
export type BillingProfile = Output<typeof BillingProfile>;

/** Whom invoices are made out to. */
export const getBillingProfile = act({
  name: 'billing_profile_get',
  by: 'customer',
  output: BillingProfile,
});

/** Changes it for the invoices that come; those issued keep whom they name. Empty fields are left out. */
export const saveBillingProfile = act({
  name: 'billing_profile_save',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({
    name: PublicName({ max: 120, tooLong: 'Nama paling panjang 120 huruf.' }),
    npwp: Npwp(),
    address: z.string().check(z.trim(), z.maxLength(300, 'Alamat paling panjang 300 huruf.')),
    email: z.string().check(
      z.trim(),
      // What is too long is not searched: the search takes time that grows with the square of the length.
      z.maxLength(254, { abort: true }),
      z.regex(/^([^\s@]+@[^\s@]+\.[^\s@]+)?$/, 'Tulis alamat email yang lengkap.'),
    ),
  }),
  output: BillingProfile,
});
