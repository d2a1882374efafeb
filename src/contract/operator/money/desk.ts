import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { RUPIAH_MAX, Rupiah } from '#contract/base/money.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { bankReference } from '#contract/base/text.ts';
import { Reason } from '#contract/operator/reason.ts';

const DeskAmount = schema(() =>
  WholeNumber({
    missing: 'Tulis nominalnya.',
    sentence: 'Tulis nominal dengan angka saja, dalam rupiah bulat.',
    minimum: 1,
    tooSmall: 'Nominal paling sedikit Rp 1.',
    maximum: 1_000_000_000,
    tooBig: 'Nominal paling banyak Rp 1.000.000.000.',
  }),
);

/** A reference in its one spelling: printable ASCII, so that no letter only looks the same. */
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

/** The bank's own reference of a transfer that was made. */
export const BankReference = schema(() =>
  reference(bankReference, 'Tulis referensi transfer dari bank.'),
);

const LINE_HASH = /^[0-9a-f]{64}$/;

/** A bank line, by its hash, or the reference typed from the bank statement. */
export const LineOrReference = schema(() =>
  reference(
    (typed) => (LINE_HASH.test(typed.trim()) ? typed.trim() : bankReference(typed)),
    'Tulis referensi dari mutasi bank.',
  ),
);

/** Whose bank account money went to. */
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

/** Kinds in the interface's words. */
export const adjustmentKindLabel: Record<AdjustmentKind, string> = {
  adjust: 'Penyesuaian saldo',
  refund: 'Pengembalian biaya pesan',
  payout: 'Pencairan saldo',
  suspense_credit: 'Dana dimasukkan ke saldo',
  suspense_return: 'Dana dikembalikan ke pengirim',
  payment_refund: 'Pengembalian pembayaran',
};

/** What an adjustment is booked against: our own expense, or a mistake put right. */
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

/** Statuses in the interface's words. */
export const adjustmentStatusLabel: Record<AdjustmentStatus, string> = {
  pending: 'Menunggu operator kedua',
  done: 'Dibukukan',
  refused: 'Ditolak',
  withdrawn: 'Ditarik kembali',
  expired: 'Kedaluwarsa',
};

/** `done`: given back; `gateway`: its gateway is asked; `manual`: somebody has to transfer it. */
export const PaymentRefund = schema(() => z.enum(['done', 'gateway', 'manual']));
export type PaymentRefund = Output<typeof PaymentRefund>;

/** How far in the interface's words. */
export const paymentRefundLabel: Record<PaymentRefund, string> = {
  done: 'Sudah dikembalikan',
  gateway: 'Diminta ke gerbang pembayaran',
  manual: 'Menunggu transfer manual',
};

/** What an operator wants to book by hand, and what became of it. */
export const Adjustment = schema(() =>
  z.object({
    id: Id('adjustment'),
    account_id: Id('account'),
    account_name: z.string(),
    kind: AdjustmentKind(),
    /** What an adjustment is booked against; null for the other kinds. */
    cause: z.nullable(AdjustCause()),
    /** What the saldo changes by; of money that goes back to its payer, what leaves our bank. */
    amount: Rupiah(),
    status: AdjustmentStatus(),
    reason: z.string(),
    /** True when a second operator has to decide. */
    needs_second: z.boolean(),
    reference: z.nullable(z.string()),
    payee: z.nullable(z.string()),
    message_id: z.nullable(Id('message')),
    /** The top-up whose payment is given back. */
    topup_id: z.nullable(Id('topup')),
    /** How far such a payment has come back to its payer, once that is booked. */
    refund: z.nullable(PaymentRefund()),
    proposed_by: z.string(),
    proposed_at: z.coerce.date(),
    /** Whether the caller proposed it: they may withdraw it, and not approve it. */
    is_own: z.boolean(),
    /** Whether the caller is a second operator for it. */
    can_approve: z.boolean(),
    expires_at: z.coerce.date(),
    decided_by: z.nullable(z.string()),
    decided_at: z.nullable(z.coerce.date()),
    decision_note: z.nullable(z.string()),
  }),
);
export type Adjustment = Output<typeof Adjustment>;

/** Puts a saldo right, up or down, against a fixed account of ours. */
export const adjustSaldo = act({
  name: 'operator_adjust',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    direction: z.enum(['add', 'subtract'], 'Pilih menambah atau mengurangi.'),
    amount: DeskAmount(),
    cause: AdjustCause(),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: ['adjustment_saldo_short', 'account_ended'],
});

/** The price of a message back to its sender's saldo, whole or in part; once for each message. */
export const refundMessage = act({
  name: 'operator_refund',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    message_id: IdInput('message'),
    /** Left out: all that was charged for it. */
    amount: z.optional(DeskAmount()),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: ['refund_too_large', 'refund_done', 'account_ended'],
});

/** Unused saldo back to the customer's own bank account: the transfer was made, and is booked with this. */
export const payOut = act({
  name: 'operator_payout',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    amount: DeskAmount(),
    reference: BankReference(),
    /** Whose bank account it went to: the same name as the customer's. */
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

/** The word of a second operator on a proposal, or its proposer's to take it back. */
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

/** The largest price and rate an operator may set. */
export const DeskPrice = schema(() =>
  WholeNumber({
    missing: 'Tulis harganya.',
    sentence: 'Tulis harga dengan angka saja, dalam rupiah bulat.',
    minimum: 0,
    maximum: Math.min(RUPIAH_MAX, 10_000_000),
    tooBig: 'Harga paling banyak Rp 10.000.000.',
  }),
);
