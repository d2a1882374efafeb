import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Rupiah } from '#contract/base/money.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { PublicName } from '#contract/base/names.ts';
import { TopupMethod } from '#contract/saldo.ts';

/** How the short name of a plan is written. */
export const PLAN_CODE = /^[a-z][a-z0-9-]{1,30}$/;

/** The short name of a plan, in addresses and calls: `gratis`, `usaha`, `bisnis`. */
export const PlanCode = schema(() => z.string().check(z.regex(PLAN_CODE, 'Paket tidak dikenali.')));
export type PlanCode = Output<typeof PlanCode>;

/** One revision of a plan: what it costs and includes. A customer keeps theirs until the renewal. */
export const Plan = schema(() =>
  z.object({
    code: PlanCode(),
    revision: z.int(),
    name: z.string(),
    description: z.string(),
    /** For a month, in advance; 0 is free. */
    price: Rupiah(),
    /** How many tokens an account may have. */
    tokens: z.int(),
    /** Messages included in a month. */
    quota: z.int(),
    /** What a message costs beyond them. */
    overage: Rupiah(),
  }),
);
export type Plan = Output<typeof Plan>;

/** The plans on offer, cheapest first. */
export const listPlans = act({
  name: 'plan_list',
  by: 'customer',
  output: () => z.object({ plans: z.array(Plan()) }),
});

export const SubscriptionStatus = schema(() =>
  z.enum(['active', 'past_due', 'suspended', 'cancelled']),
);
export type SubscriptionStatus = Output<typeof SubscriptionStatus>;

/** Statuses in the interface's words. */
export const subscriptionStatusLabel: Record<SubscriptionStatus, string> = {
  active: 'Aktif',
  past_due: 'Menunggu pembayaran',
  suspended: 'Ditangguhkan',
  cancelled: 'Berhenti',
};

/** An account's subscription: its plan, the period, and what has been used of it. */
export const Subscription = schema(() =>
  z.object({
    /** What it has now, by the revision that it began the period with. */
    plan: Plan(),
    status: SubscriptionStatus(),
    /** The period `[start, end)`; both are midnights in WIB. */
    period_start: z.coerce.date(),
    period_end: z.coerce.date(),
    /** What is charged next, when; null when it ends with the period or costs nothing. */
    next_charge: z.nullable(z.object({ at: z.coerce.date(), amount: Rupiah() })),
    /** The plan that begins with the next period, where that is another. */
    next_plan: z.nullable(Plan()),
    /** True when it was cancelled: at the end of the period it becomes the free plan. */
    cancel_at_period_end: z.boolean(),
    /** Until when what it includes stays, while it is past due. */
    grace_until: z.nullable(z.coerce.date()),
    /** What is missing for the charge that is due; null when nothing is due or missing. */
    shortage: z.nullable(Rupiah()),
    usage: z.object({
      /** Messages of the quota that this period has used. */
      used: z.int(),
      quota: z.int(),
      /** Messages beyond the quota in this period, and what they cost. */
      beyond: z.int(),
      beyond_amount: Rupiah(),
      /** How many messages the period will have had by its end, at the pace so far; null on its first day. */
      forecast: z.nullable(z.int()),
    }),
    /** Tokens in use, of `plan.tokens`. */
    tokens_used: z.int(),
  }),
);
export type Subscription = Output<typeof Subscription>;

export const getSubscription = act({
  name: 'subscription_get',
  by: 'customer',
  output: Subscription,
});

/** What a change of plan would do, to the rupiah; `subscription_change` does exactly this. */
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
    /** Given back for the days left of the plan now. */
    credit: Rupiah(),
    /** Charged for the days left with the new one; the whole price where a period begins today. */
    charge: Rupiah(),
    /** `charge - credit`: what leaves the saldo now; negative is given back. */
    total: Rupiah(),
    days_left: z.int(),
    days_in_period: z.int(),
    /** Messages that the period includes then, those that are used counted; prorated like the price. */
    quota: z.int(),
    /** The end of the period that begins or goes on, and what is charged then. */
    next_charge: z.nullable(z.object({ at: z.coerce.date(), amount: Rupiah() })),
    available: Rupiah(),
    /** What the saldo lacks; 0 when it reaches. */
    shortage: Rupiah(),
    /** Tokens in use beyond what the new plan allows: they stay, but no more can be made. */
    tokens_over: z.int(),
    /** Names this preview; good until midnight in WIB, and while nothing it says has changed. */
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

/** Ends the plan with its period; it becomes the free plan then. */
export const cancelSubscription = act({
  name: 'subscription_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  output: Subscription,
  refuses: ['subscription_not_running'],
});

/** Takes a cancelling or a planned change back, or starts a suspended plan again, charged today. */
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
