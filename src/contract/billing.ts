import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { PublicName } from '#contract/base/names.ts';
import { TopupMethod } from '#contract/saldo.ts';

export const PLAN_CODE = /^[a-z][a-z0-9-]{1,30}$/;

export const PlanCode = schema(() => z.string().check(z.regex(PLAN_CODE, 'Paket tidak dikenali.')));
export type PlanCode = Output<typeof PlanCode>;

/** One revision of a plan: its price and limits. A customer keeps their revision until the renewal. */
export const Plan = schema(() =>
  z.object({
    code: PlanCode(),
    revision: z.int(),
    name: z.string(),
    description: z.string(),
    /** Per month, in advance; 0 is free. */
    price: Rupiah(),
    /** The maximum number of tokens. */
    tokens: z.int(),
    /** Messages included per month. */
    quota: z.int(),
    /** The price of a message beyond the quota. */
    overage: Rupiah(),
  }),
);
export type Plan = Output<typeof Plan>;

export const listPlans = act({
  name: 'plan_list',
  by: 'customer',
  output: () => z.object({ plans: z.array(Plan()) }),
});

export const SubscriptionStatus = schema(() =>
  z.enum(['active', 'past_due', 'suspended', 'cancelled']),
);
export type SubscriptionStatus = Output<typeof SubscriptionStatus>;

export const subscriptionStatusLabel: Record<SubscriptionStatus, string> = {
  active: 'Aktif',
  past_due: 'Menunggu pembayaran',
  suspended: 'Ditangguhkan',
  cancelled: 'Berhenti',
};

export const Subscription = schema(() =>
  z.object({
    plan: Plan(),
    status: SubscriptionStatus(),
    /** The period `[start, end)`; both are midnights in WIB. */
    period_start: z.coerce.date(),
    period_end: z.coerce.date(),
    /** Null if the plan ends with the period or costs nothing. */
    next_charge: z.nullable(z.object({ at: z.coerce.date(), amount: Rupiah() })),
    next_plan: z.nullable(Plan()),
    /** True if it was cancelled: at the end of the period it becomes the free plan. */
    cancel_at_period_end: z.boolean(),
    /** While it is past due: until when the included services remain. */
    grace_until: z.nullable(z.coerce.date()),
    /** The amount missing for the charge that is due; null if none is due or missing. */
    shortage: z.nullable(Rupiah()),
    usage: z.object({
      used: z.int(),
      quota: z.int(),
      beyond: z.int(),
      beyond_amount: Rupiah(),
      /** The expected number of messages by the end of the period at the present pace; null on its first day. */
      forecast: z.nullable(z.int()),
    }),
    tokens_used: z.int(),
  }),
);
export type Subscription = Output<typeof Subscription>;

export const getSubscription = act({
  name: 'subscription_get',
  by: 'customer',
  output: Subscription,
});

/** The exact effect of a change of plan: `subscription_change` does the same. */
export const SubscriptionPreview = schema(() =>
  z.object({
    from: Plan(),
    to: Plan(),
    /**
     * `now`: begins at once, prorated (an upgrade, or from the free plan). `period_end`: begins with the
     * next period (a downgrade).
     */
    when: z.enum(['now', 'period_end']),
    starts_at: z.coerce.date(),
    /** Given back for the remaining days of the present plan. */
    credit: Rupiah(),
    /** For the remaining days with the new plan; its full price if a period begins today. */
    charge: Rupiah(),
    /** `charge - credit`: the amount taken from the saldo now; negative is given back. */
    total: Rupiah(),
    days_left: z.int(),
    days_in_period: z.int(),
    /** Messages that the period then includes, used ones counted; prorated like the price. */
    quota: z.int(),
    next_charge: z.nullable(z.object({ at: z.coerce.date(), amount: Rupiah() })),
    available: Rupiah(),
    shortage: Rupiah(),
    /** Tokens in use beyond the limit of the new plan: they stay, but no more can be created. */
    tokens_over: z.int(),
    /** Identifies this preview; valid until midnight in WIB, and while its facts are unchanged. */
    quote: z.string(),
  }),
);
export type SubscriptionPreview = Output<typeof SubscriptionPreview>;

export const previewSubscription = act({
  name: 'subscription_preview',
  by: 'customer',
  input: () => ({ plan: PlanCode() }),
  output: SubscriptionPreview,
  refuses: ['plan_same'],
});

export const changeSubscription = act({
  name: 'subscription_change',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ plan: PlanCode(), quote: z.string().check(z.maxLength(200)) }),
  output: Subscription,
  refuses: ['plan_same', 'quote_stale', 'saldo_short', 'wallet_frozen', 'account_suspended'],
});

/** Ends the plan with its period; the free plan follows. */
export const cancelSubscription = act({
  name: 'subscription_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  output: Subscription,
  refuses: ['subscription_not_running'],
});

/** Undoes a cancellation or a planned change, or restarts a suspended plan, charged today. */
export const resumeSubscription = act({
  name: 'subscription_resume',
  by: 'customer',
  changes: true,
  audited: true,
  output: Subscription,
  refuses: ['subscription_not_running', 'saldo_short', 'wallet_frozen', 'account_suspended'],
});

export const InvoiceStatus = schema(() => z.enum(['draft', 'open', 'paid', 'void', 'expired']));
export type InvoiceStatus = Output<typeof InvoiceStatus>;

export const invoiceStatusLabel: Record<InvoiceStatus, string> = {
  draft: 'Draf',
  open: 'Belum dibayar',
  paid: 'Lunas',
  void: 'Batal',
  expired: 'Kedaluwarsa',
};

export const InvoiceKind = schema(() => z.enum(['topup', 'plan', 'credit_note']));
export type InvoiceKind = Output<typeof InvoiceKind>;

export const invoiceKindLabel: Record<InvoiceKind, string> = {
  topup: 'Isi saldo',
  plan: 'Paket',
  credit_note: 'Nota kredit',
};

export const Invoice = schema(() =>
  z.object({
    id: Id('invoice'),
    kind: InvoiceKind(),
    status: InvoiceStatus(),
    /** `INV/2026/11/000123`, assigned at payment; null before. */
    number: z.nullable(z.string()),
    title: z.string(),
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

export const InvoiceDetail = schema(() =>
  z.extend(Invoice(), {
    seller: Party(),
    buyer: Party(),
    lines: z.array(
      z.object({ text: z.string(), quantity: z.int(), price: Rupiah(), amount: Rupiah() }),
    ),
    /** DPP nilai lain, printed beside the PPN; null without PPN. */
    dpp: z.nullable(Rupiah()),
    in_words: z.string(),
    paid_with: z.nullable(z.string()),
    note: z.nullable(z.string()),
    /** The public page that verifies the document, linked by its QR. */
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

/** A signed link to the PDF, valid for minutes. */
export const invoicePdf = act({
  name: 'invoice_pdf',
  by: 'customer',
  input: () => ({ invoice_id: IdInput('invoice') }),
  output: () => z.object({ url: z.string(), filename: z.string() }),
  refuses: ['invoice_unpaid'],
});

/**
 * Pays an open invoice of a plan: from saldo (no `method`) at once, or through a top-up method, which then includes its
 * PPN.
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

/** An NPWP with dots, dashes and blanks: 15 digits, or 16 of the new form. */
const Npwp = () =>
  z.pipe(
    z.string().check(z.maxLength(40)),
    z.pipe(
      z.transform((text: string) => text.replace(/[.\-\s]/g, '')),
      z.string().check(z.regex(/^(\d{15}|\d{16})?$/, 'NPWP terdiri dari 15 atau 16 angka.')),
    ),
  );

/** The buyer as invoices name it. Null fields are left out, or the account's own. */
export const BillingProfile = schema(() =>
  z.object({
    name: z.nullable(z.string()),
    npwp: z.nullable(z.string()),
    address: z.nullable(z.string()),
    email: z.nullable(z.string()),
  }),
);
export type BillingProfile = Output<typeof BillingProfile>;

export const getBillingProfile = act({
  name: 'billing_profile_get',
  by: 'customer',
  output: BillingProfile,
});

/** Applies to future invoices; issued ones do not change. Empty fields are left out of them. */
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
      // Longer input is refused before the search, whose time grows with the square of the length.
      z.maxLength(254, { abort: true }),
      z.regex(/^([^\s@]+@[^\s@]+\.[^\s@]+)?$/, 'Tulis alamat email yang lengkap.'),
    ),
  }),
  output: BillingProfile,
});
