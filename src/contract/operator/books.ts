import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Rupiah, RUPIAH_MAX } from '#contract/base/money.ts';
import { TypedName } from '#contract/base/names.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { PriceCategory } from '#contract/channels.ts';
import { PLAN_CODE, Plan } from '#contract/billing.ts';
import { Reason } from './operators.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { bankReference } from '#contract/base/text.ts';

export const LedgerCheck = schema(() =>
  z.object({
    at: z.coerce.date(),
    ok: z.boolean(),
    millis: z.int(),
    findings: z.array(
      z.object({
        invariant: z.string(),
        description: z.string(),
        ok: z.boolean(),
        broken: z.int(),
        examples: z.array(z.string()),
      }),
    ),
  }),
);
export type LedgerCheck = Output<typeof LedgerCheck>;

/** A day's seal: all entries up to midnight in WIB, hashed with the previous seal. */
export const Seal = schema(() =>
  z.object({
    number: z.int(),
    day: z.string(),
    hash: z.string(),
    entries: z.int(),
    bookings: z.int(),
    at: z.coerce.date(),
  }),
);
export type Seal = Output<typeof Seal>;

export const FindingCode = schema(() =>
  z.enum([
    'transfer_without_line',
    'line_amount_differs',
    'line_unused',
    'statements_differ',
    'statement_gap',
    'lines_exceed_statement',
    'payment_unverified',
    'gateway_differs',
    'gateway_silent',
    'clearing_open',
    'suspense_open',
    'holds_old',
  ]),
);
export type FindingCode = Output<typeof FindingCode>;

export const ReconciliationFinding = schema(() =>
  z.object({
    code: FindingCode(),
    /** `red`: the ledger and the bank disagree. `attention`: an operator has to look. */
    severity: z.enum(['red', 'attention']),
    count: z.int(),
    amount: Rupiah(),
    examples: z.array(z.string()),
  }),
);
export type ReconciliationFinding = Output<typeof ReconciliationFinding>;

export const Reconciliation = schema(() =>
  z.object({
    at: z.coerce.date(),
    ok: z.boolean(),
    findings: z.array(ReconciliationFinding()),
  }),
);
export type Reconciliation = Output<typeof Reconciliation>;

/** Work of one kind that waits for an operator; all kinds are read at one instant. */
const MoneyWork = schema(() =>
  z.object({ count: z.int(), amount: Rupiah(), oldest: z.nullable(z.coerce.date()) }),
);

export const SellerFact = schema(() => z.enum(['npwp', 'address']));
export type SellerFact = Output<typeof SellerFact>;

export const MoneyOverview = schema(() =>
  z.object({
    /** All saldo that customers may still use: available and held. */
    float: Rupiah(),
    held: Rupiah(),
    /** Paid since midnight in WIB, by method. */
    topups_today: z.array(z.object({ method: z.string(), count: z.int(), amount: Rupiah() })),
    waiting: z.object({
      /** Top-ups in review, and transfers with a slip, a proposal or a bank entry near their total. */
      topups: MoneyWork(),
      /** Bank entries without a top-up that were not dismissed. */
      bank_lines: MoneyWork(),
      suspense: MoneyWork(),
      withdrawn: MoneyWork(),
      refunds: MoneyWork(),
    }),
    check: z.nullable(LedgerCheck()),
    audit: z.nullable(z.object({ at: z.coerce.date(), ok: z.boolean() })),
    seal: z.nullable(Seal()),
    reconciliation: z.nullable(Reconciliation()),
    seller: z.object({ missing: z.array(SellerFact()), invoices_waiting: z.int() }),
    /** Proposals that wait for a second operator: all, and those that the caller may decide. */
    proposals: z.object({ count: z.int(), for_you: z.int() }),
    /** Confirmations of top-ups that the caller may complete as the second operator. */
    topups_for_you: z.int(),
  }),
);
export type MoneyOverview = Output<typeof MoneyOverview>;

export const moneyOverview = act({
  name: 'operator_money_overview',
  by: 'operator',
  roles: ['money'],
  output: MoneyOverview,
});

export const listSeals = act({
  name: 'operator_seal_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: Seal,
});

/** Hashes the newest seal's rows again and compares. The whole chain: `npm run ledger:check`. */
export const verifySeal = act({
  name: 'operator_seal_verify',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  output: () => z.object({ ok: z.boolean(), day: z.string(), why: z.nullable(z.string()) }),
  refuses: ['nothing_sealed'],
});

export const runCheck = act({
  name: 'operator_ledger_check',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  output: LedgerCheck,
  refuses: ['check_running'],
});

/** Compares the ledger with the bank and the gateways now, and stores the result. */
export const runReconciliation = act({
  name: 'operator_reconcile',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  output: Reconciliation,
  refuses: ['check_running'],
});

const isBefore2200 = (at: string): boolean => new Date(at).getTime() < Date.UTC(2200, 0);

const From = () =>
  z.optional(
    z.iso
      .datetime({ offset: true, error: 'Pilih tanggal dan jamnya.' })
      .check(z.refine(isBefore2200, 'Pilih tanggal sebelum tahun 2200.')),
  );

const datedFields = () => ({
  valid_from: z.coerce.date(),
  /** `past`: replaced; `now`: in force; `future`: has not begun. */
  state: z.enum(['past', 'now', 'future']),
  set_by: z.nullable(z.string()),
  set_at: z.nullable(z.coerce.date()),
  reason: z.nullable(z.string()),
});

export const PriceTables = schema(() =>
  z.object({
    prices: z.array(z.object({ ...datedFields(), category: PriceCategory(), price: Rupiah() })),
    rates: z.array(
      z.object({
        ...datedFields(),
        num: z.int(),
        den: z.int(),
        dpp_num: z.int(),
        dpp_den: z.int(),
      }),
    ),
    ppn: z.boolean(),
  }),
);
export type PriceTables = Output<typeof PriceTables>;

export const getPrices = act({
  name: 'operator_price_list',
  by: 'operator',
  roles: ['money'],
  output: PriceTables,
});

/** Sets a new list price; messages accepted before keep their price. */
export const setPrice = act({
  name: 'operator_price_set',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({
    category: PriceCategory(),
    price: OperatorPrice(),
    valid_from: From(),
    reason: Reason(),
  }),
  output: PriceTables,
  refuses: ['valid_from_past', 'valid_from_taken'],
});

const Fraction = (minimum: number) =>
  WholeNumber({ minimum, maximum: 1_000, sentence: 'Tulis angka bulat dari 1 sampai 1.000.' });

/** Sets a new rate of PPN: `num/den` on `dpp_num/dpp_den` of the price. */
export const setPpn = act({
  name: 'operator_ppn_set',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({
    num: Fraction(0),
    den: Fraction(1),
    dpp_num: Fraction(1),
    dpp_den: Fraction(1),
    valid_from: From(),
    reason: Reason(),
  }),
  output: PriceTables,
  refuses: ['valid_from_past', 'valid_from_taken'],
});

export const PlanDetails = schema(() =>
  z.extend(Plan(), {
    is_offered: z.boolean(),
  }),
);
export type PlanDetails = Output<typeof PlanDetails>;

export const listPlanDetails = act({
  name: 'operator_plan_list',
  by: 'operator',
  roles: ['support', 'money'],
  output: () => z.object({ plans: z.array(PlanDetails()) }),
});

/** Creates a new revision of a plan, or a new plan. Customers keep their revision until they renew. */
export const savePlan = act({
  name: 'operator_plan_save',
  by: 'operator',
  changes: true,
  audited: true,
  input: () => ({
    code: z
      .string()
      .check(
        z.regex(
          PLAN_CODE,
          'Tulis kodenya dengan huruf kecil, angka, dan tanda hubung, misalnya usaha-plus.',
        ),
      ),
    name: TypedName({ min: 2, max: 40, missing: 'Tulis nama paketnya.' }),
    description: z.string().check(z.trim(), z.maxLength(200)),
    price: OperatorPrice(),
    tokens: WholeNumber({ minimum: 1, maximum: 1_000, sentence: 'Tulis dari 1 sampai 1.000.' }),
    quota: WholeNumber({ minimum: 0, maximum: 100_000_000 }),
    overage: OperatorPrice(),
    offered: z.enum(['yes', 'no']),
    reason: Reason(),
  }),
  output: PlanDetails,
});

const OperatorAmount = schema(() =>
  WholeNumber({
    missing: 'Tulis nominalnya.',
    sentence: 'Tulis nominal dengan angka saja, dalam rupiah bulat.',
    minimum: 1,
    tooSmall: 'Nominal minimal Rp 1.',
    maximum: 1_000_000_000,
    tooBig: 'Nominal paling banyak Rp 1.000.000.000.',
  }),
);

/** Printable ASCII only, so that look-alike letters cannot make a second reference. */
const reference = (spell: (typed: string) => string, missing: string) =>
  z
    .string()
    .check(
      z.maxLength(200, 'Referensi paling panjang 100 karakter.'),
      z.overwrite(spell),
      z.minLength(3, missing),
      z.maxLength(100, 'Referensi paling panjang 100 karakter.'),
      z.regex(/^[!-~]*$/, 'Tulis referensi dengan huruf latin, angka, dan tanda baca biasa.'),
    );

export const BankReference = schema(() =>
  reference(bankReference, 'Tulis referensi transfer dari bank.'),
);

const BANK_ENTRY_HASH = /^[0-9a-f]{64}$/;

export const BankEntryOrReference = schema(() =>
  reference(
    (typed) => (BANK_ENTRY_HASH.test(typed.trim()) ? typed.trim() : bankReference(typed)),
    'Tulis referensi dari mutasi bank.',
  ),
);

export const Payee = schema(() =>
  z
    .string()
    .check(
      z.trim(),
      z.minLength(3, 'Tulis nama pemilik rekening tujuan.'),
      z.maxLength(100, 'Nama paling panjang 100 karakter.'),
    ),
);

export const AdjustmentKind = schema(() =>
  z.enum(['adjust', 'refund', 'payout', 'suspense_credit', 'suspense_return', 'payment_refund']),
);
export type AdjustmentKind = Output<typeof AdjustmentKind>;

export const adjustmentKindLabel: Record<AdjustmentKind, string> = {
  adjust: 'Penyesuaian saldo',
  refund: 'Pengembalian biaya pesan',
  payout: 'Pencairan saldo',
  suspense_credit: 'Dana dimasukkan ke saldo',
  suspense_return: 'Dana dikembalikan ke pengirim',
  payment_refund: 'Pengembalian pembayaran',
};

export const AdjustCause = schema(() => z.enum(['goodwill', 'correction']));
export type AdjustCause = Output<typeof AdjustCause>;

/** Causes in the interface's words. */
export const adjustCauseLabel: Record<AdjustCause, string> = {
  goodwill: 'Kompensasi (beban kami)',
  correction: 'Koreksi kesalahan',
};

export const AdjustmentStatus = schema(() =>
  z.enum(['pending', 'done', 'refused', 'withdrawn', 'expired']),
);
export type AdjustmentStatus = Output<typeof AdjustmentStatus>;

export const adjustmentStatusLabel: Record<AdjustmentStatus, string> = {
  pending: 'Menunggu operator kedua',
  done: 'Dibukukan',
  refused: 'Ditolak',
  withdrawn: 'Ditarik kembali',
  expired: 'Kedaluwarsa',
};

/** `done`: refunded; `gateway`: requested from its gateway; `manual`: an operator has to transfer it. */
export const PaymentRefund = schema(() => z.enum(['done', 'gateway', 'manual']));
export type PaymentRefund = Output<typeof PaymentRefund>;

export const paymentRefundLabel: Record<PaymentRefund, string> = {
  done: 'Sudah dikembalikan',
  gateway: 'Diminta ke gerbang pembayaran',
  manual: 'Menunggu transfer manual',
};

/** A manual booking proposed by an operator, and its outcome. */
export const Adjustment = schema(() =>
  z.object({
    id: Id('adjustment'),
    account_id: Id('account'),
    account_name: z.string(),
    kind: AdjustmentKind(),
    cause: z.nullable(AdjustCause()),
    /** The change of the saldo; for refunds to the payer, the amount that leaves our bank. */
    amount: Rupiah(),
    status: AdjustmentStatus(),
    reason: z.string(),
    needs_second: z.boolean(),
    reference: z.nullable(z.string()),
    payee: z.nullable(z.string()),
    message_id: z.nullable(Id('message')),
    topup_id: z.nullable(Id('topup')),
    refund: z.nullable(PaymentRefund()),
    proposed_by: z.string(),
    proposed_at: z.coerce.date(),
    /** Whether the caller proposed it: they may withdraw it, but not approve it. */
    is_own: z.boolean(),
    /** Whether the caller can be its second operator. */
    can_approve: z.boolean(),
    expires_at: z.coerce.date(),
    decided_by: z.nullable(z.string()),
    decided_at: z.nullable(z.coerce.date()),
    decision_note: z.nullable(z.string()),
  }),
);
export type Adjustment = Output<typeof Adjustment>;

export const adjustSaldo = act({
  name: 'operator_adjust',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    direction: z.enum(['add', 'subtract'], 'Pilih menambah atau mengurangi.'),
    amount: OperatorAmount(),
    cause: AdjustCause(),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: ['adjustment_saldo_short', 'account_ended'],
});

/** Refunds the price of a message to its sender's saldo, whole or in part; once per message. */
export const refundMessage = act({
  name: 'operator_refund',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    message_id: IdInput('message'),
    amount: z.optional(OperatorAmount()),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: ['refund_too_large', 'refund_done', 'account_ended'],
});

/** Pays unused saldo out to the customer's own bank account: books a transfer that was made. */
export const payOut = act({
  name: 'operator_payout',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    amount: OperatorAmount(),
    reference: BankReference(),
    /** The holder of the bank account: the same name as the customer's. */
    payee: Payee(),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: [
    'adjustment_saldo_short',
    'account_ended',
    'wallet_frozen_payout',
    'books_red',
    'transfer_reference_used',
  ],
});

export const listAdjustments = act({
  name: 'operator_adjustment_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    status: z.optional(AdjustmentStatus()),
    account_id: z.optional(IdInput('account')),
  }),
  output: Adjustment,
});

export const AdjustmentDecision = schema(() => z.enum(['approve', 'refuse', 'withdraw']));
export type AdjustmentDecision = Output<typeof AdjustmentDecision>;

/** Approves or rejects a proposal as the second operator, or withdraws it as its proposer. */
export const decideAdjustment = act({
  name: 'operator_adjustment_decide',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    adjustment_id: IdInput('adjustment'),
    decision: AdjustmentDecision(),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: [
    'second_operator_needed',
    'operator_not_independent',
    'adjustment_closed',
    'adjustment_saldo_short',
    'account_ended',
    'wallet_frozen_payout',
    'refund_too_large',
    'refund_done',
    'suspense_resolved',
    'payment_refund_done',
    'payment_partly_returned',
    'payment_saldo_short',
    'books_red',
  ],
});

export const OperatorPrice = schema(() =>
  WholeNumber({
    missing: 'Tulis harganya.',
    sentence: 'Tulis harga dengan angka saja, dalam rupiah bulat.',
    minimum: 0,
    maximum: Math.min(RUPIAH_MAX, 10_000_000),
    tooBig: 'Harga paling banyak Rp 10.000.000.',
  }),
);
