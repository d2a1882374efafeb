import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { TopupStatus, Topup } from '#contract/saldo.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Reason } from './operators.ts';
import { Rupiah } from '#contract/base/money.ts';
import { BankEntryOrReference, PaymentRefund, Adjustment, BankReference, Payee } from './books.ts';
import { OperatorCustomerDetail } from '#contract/operator/customers.ts';

const BankEntryInput = schema(() =>
  z.string().check(z.regex(/^[0-9a-f]{64}$/, 'Mutasi bank tidak dikenali.')),
);

export const OperatorBankEntry = schema(() =>
  z.object({
    line: z.string(),
    amount: z.int(),
    description: z.string(),
    reference: z.string(),
    /** When the bank booked it; a statement may give the day only. */
    at: z.coerce.date(),
    received_at: z.coerce.date(),
    /**
     * `second`: it came for a top-up that was already paid, and is in suspense. `twin`: another entry has its day and
     * amount, and no operator has confirmed both at the bank yet.
     */
    state: z.enum(['unmatched', 'matched', 'second', 'dismissed', 'twin']),
    twin: z.nullable(z.object({ description: z.string(), at: z.coerce.date() })),
    topup: z.nullable(z.object({ id: Id('topup'), account_name: z.string() })),
    dismissed: z.nullable(z.object({ by: z.string(), reason: z.string(), at: z.coerce.date() })),
    candidates: z.array(
      z.object({
        topup_id: Id('topup'),
        account_name: z.string(),
        total: z.int(),
        status: TopupStatus(),
        created_at: z.coerce.date(),
      }),
    ),
  }),
);
export type OperatorBankEntry = Output<typeof OperatorBankEntry>;

export const BankEntryFilter = schema(() => z.enum(['unmatched', 'all']));
export type BankEntryFilter = Output<typeof BankEntryFilter>;

/** The entries of our bank account, the newest first; only unsettled ones unless all are requested. */
export const listBankEntries = act({
  name: 'operator_bank_line_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({
    ...paging(['at']),
    filter: z.optional(BankEntryFilter()),
    amount: z.optional(
      WholeNumber({
        sentence: 'Tulis jumlah dengan angka saja, dalam rupiah bulat.',
        minimum: 1,
        maximum: 9_000_000_000_000,
      }),
    ),
  }),
  output: OperatorBankEntry,
});

/** Dismisses an entry that pays no top-up. It can still be matched by hand. */
export const dismissBankEntry = act({
  name: 'operator_bank_line_dismiss',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ line: BankEntryInput(), reason: Reason() }),
  output: OperatorBankEntry,
  refuses: ['bank_line_used'],
});

/**
 * Confirms that the bank has both entries of the same day and amount; the second then pays its top-up. Above the limit
 * of one operator, the operator who imported it cannot confirm it.
 */
export const confirmBothEntries = act({
  name: 'operator_bank_line_both',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ line: BankEntryInput(), reason: Reason() }),
  output: OperatorBankEntry,
  refuses: ['bank_line_used', 'operator_limit_reached'],
});

/**
 * The outcome of a statement row:
 * pays: pays its top-up · joins: the row of a payment that was already confirmed by its reference · second: its top-up
 * is already paid · twin: kept, because another row has its day and amount, until an operator has seen both at the bank
 * · near: kept, and a top-up has nearly its amount · kept: kept without a match · known: already imported · debit,
 * pending, unreadable: left out
 */
export const StatementOutcome = schema(() =>
  z.enum([
    'pays',
    'joins',
    'second',
    'twin',
    'near',
    'kept',
    'known',
    'debit',
    'pending',
    'unreadable',
  ]),
);
export type StatementOutcome = Output<typeof StatementOutcome>;

export const STATEMENT_ROWS_SHOWN = 1_000;

export const StatementLine = schema(() =>
  z.object({
    number: z.int(),
    outcome: StatementOutcome(),
    day: z.nullable(z.string()),
    amount: z.nullable(z.int()),
    description: z.string(),
    topup: z.nullable(z.object({ id: Id('topup'), account_name: z.string() })),
    reason: z.nullable(z.string()),
  }),
);
export type StatementLine = Output<typeof StatementLine>;

export const StatementReport = schema(() =>
  z.object({
    /** The hash of the file: exactly the previewed file is imported. */
    sha256: z.string(),
    format: z.string(),
    /** The bank account that it names; null if none: an operator has to check. */
    account: z.nullable(z.string()),
    period: z.nullable(z.object({ from: z.string(), to: z.string() })),
    counts: z.record(StatementOutcome(), z.int()),
    pays: z.int(),
    lines: z.array(StatementLine()),
    left_out: z.int(),
  }),
);
export type StatementReport = Output<typeof StatementReport>;

/** Parses a statement, an upload of the purpose `statement`, and previews the import. Writes nothing. */
export const previewStatement = act({
  name: 'operator_statement_preview',
  by: 'operator',
  roles: ['money'],
  limit: 'write',
  input: () => ({ upload: IdInput('upload') }),
  output: StatementReport,
  refuses: [
    'upload_gone',
    'statement_unknown',
    'bank_statement_too_long',
    'statement_unbalanced',
    'statement_other_account',
  ],
});

/**
 * Imports exactly the previewed file, and deletes the file. It can be repeated and interrupted at any row: a row counts
 * once.
 */
export const importStatement = act({
  name: 'operator_statement_import',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    upload: IdInput('upload'),
    sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'Berkas tidak dikenali.')),
  }),
  output: StatementReport,
  refuses: [
    'upload_gone',
    'statement_unknown',
    'bank_statement_too_long',
    'statement_unbalanced',
    'statement_other_account',
    'statement_changed',
    'statement_imported',
  ],
});

export const OperatorTopup = schema(() =>
  z.extend(Topup(), {
    account_name: z.string(),
    /** Unused bank entries of this amount or near it, nearest first; `line` is a `reference`. */
    candidates: z.array(
      z.object({
        line: z.string(),
        amount: z.int(),
        description: z.string(),
        at: z.coerce.date(),
        /** True if the caller imported it: they cannot then be its second operator. */
        mine: z.boolean(),
      }),
    ),
    /** The slip from its owner. It is never proof of money. */
    slip: z.nullable(
      z.object({
        url: z.string(),
        name: z.string(),
        mime: z.string(),
        at: z.coerce.date(),
        /** Another top-up for which the same file was sent before. */
        used_before: z.nullable(
          z.object({ topup_id: Id('topup'), account_name: z.string(), at: z.coerce.date() }),
        ),
      }),
    ),
    gateway: z.nullable(
      z.object({
        provider: z.string(),
        /** The gateway's own id: of the payment, or of the order while it is unpaid. */
        reference: z.nullable(z.string()),
        flag: z.nullable(
          z.object({
            kind: PaymentFlagKind(),
            returned: z.nullable(Rupiah()),
            settled: z.nullable(
              z.object({ by: z.string(), reason: z.string(), at: z.coerce.date() }),
            ),
          }),
        ),
      }),
    ),
    refund: z.nullable(PaymentRefund()),
    /** True if a second operator must agree, unless a bank entry of exactly the total is selected. */
    needs_two: z.boolean(),
    /** The proposal of one operator that another has to complete; `mine`: the caller cannot. */
    proposal: z.nullable(
      z.object({
        by: z.string(),
        mine: z.boolean(),
        reference: z.string(),
        reason: z.string(),
        at: z.coerce.date(),
      }),
    ),
  }),
);
export type OperatorTopup = Output<typeof OperatorTopup>;

/** `open`: needs an action; `gateway`: waits for its payment at a gateway. */
export const OperatorTopupFilter = schema(() =>
  z.union([TopupStatus(), z.enum(['open', 'gateway'])]),
);
export type OperatorTopupFilter = Output<typeof OperatorTopupFilter>;

export const operatorTopups = act({
  name: 'operator_topup_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']), status: z.optional(OperatorTopupFilter()) }),
  output: OperatorTopup,
});

/**
 * Confirms by hand: with a bank entry's `line`, or the reference typed from the bank statement; each can pay one top-up
 * only. An entry up to Rp 999 off is credited with its own amount. Above the limit, without an entry of exactly the
 * total, it becomes a proposal (`proposal`), which another operator completes with the same reference.
 */
export const confirmTopup = act({
  name: 'operator_topup_confirm',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    topup_id: IdInput('topup'),
    reference: BankEntryOrReference(),
    reason: Reason(),
  }),
  output: OperatorTopup,
  refuses: [
    'topup_already_paid',
    'topup_closed',
    'topup_decided',
    'topup_needs_another',
    'operator_not_independent',
    'topup_at_gateway',
    'topup_amount_mismatch',
    'bank_line_used',
    'bank_line_twin',
  ],
});

export const checkTopupAtGateway = act({
  name: 'operator_topup_check',
  by: 'operator',
  roles: ['money'],
  input: () => ({ topup_id: IdInput('topup') }),
  output: OperatorTopup,
  refuses: ['gateway_down'],
});

export const rejectTopup = act({
  name: 'operator_topup_reject',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ topup_id: IdInput('topup'), reason: Reason() }),
  output: OperatorTopup,
  refuses: ['topup_already_paid', 'topup_closed', 'topup_decided'],
});

export const SuspenseItem = schema(() =>
  z.object({
    provider: z.string(),
    txn: z.string(),
    account_id: Id('account'),
    account_name: z.string(),
    topup_id: Id('topup'),
    amount: Rupiah(),
    at: z.coerce.date(),
    notes: z.array(z.object({ note: z.string(), operator: z.string(), at: z.coerce.date() })),
    waiting: z.nullable(Id('adjustment')),
  }),
);
export type SuspenseItem = Output<typeof SuspenseItem>;

export const listSuspense = act({
  name: 'operator_suspense_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: SuspenseItem,
});

const suspenseItem = () => ({
  provider: z.string().check(z.maxLength(40)),
  txn: z.string().check(z.maxLength(200)),
});

export const creditSuspense = act({
  name: 'operator_suspense_credit',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ ...suspenseItem(), reason: Reason() }),
  output: Adjustment,
  refuses: ['suspense_resolved', 'account_ended'],
});

/** Returns it to its payer: books a transfer that was made. */
export const returnSuspense = act({
  name: 'operator_suspense_return',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    ...suspenseItem(),
    reference: BankReference(),
    payee: Payee(),
    reason: Reason(),
  }),
  output: Adjustment,
  refuses: ['suspense_resolved', 'books_red', 'transfer_reference_used'],
});

/** Leaves it in suspense, with a note of the reason. */
export const annotateSuspense = act({
  name: 'operator_suspense_keep',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ ...suspenseItem(), reason: Reason() }),
  output: SuspenseItem,
  refuses: ['suspense_resolved'],
});

/**
 * Refunds the whole payment of a paid top-up: it leaves the saldo and its invoice is credited. Then its gateway refunds
 * it, or an operator transfers it by hand; `refund` tells which. Above the limit it becomes a proposal.
 */
export const refundPayment = act({
  name: 'operator_payment_refund',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ topup_id: IdInput('topup'), reason: Reason() }),
  output: Adjustment,
  refuses: [
    'topup_unpaid',
    'payment_refund_done',
    'payment_refund_waits',
    'payment_partly_returned',
    'payment_saldo_short',
    'account_ended',
    'wallet_frozen_payout',
    'books_red',
  ],
});

export const OpenRefund = schema(() =>
  z.object({
    id: Id('adjustment'),
    account_id: Id('account'),
    account_name: z.string(),
    topup_id: Id('topup'),
    amount: Rupiah(),
    /** `gateway`: requested again each minute; `manual`: an operator has to transfer it. */
    way: z.enum(['gateway', 'manual']),
    operator: z.string(),
    since: z.coerce.date(),
  }),
);
export type OpenRefund = Output<typeof OpenRefund>;

export const listRefunds = act({
  name: 'operator_refund_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: OpenRefund,
});

/** Books a manual refund after its transfer was made; once. */
export const finishRefund = act({
  name: 'operator_refund_finish',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ refund_id: IdInput('adjustment'), reference: BankReference() }),
  output: schema(() => z.object({ id: Id('adjustment') })),
  refuses: ['refund_finished', 'refund_at_gateway', 'transfer_reference_used', 'books_red'],
});

/** `refunded`: refunded in full, or disputed; `partly_refunded`: in part. */
export const PaymentFlagKind = schema(() => z.enum(['refunded', 'partly_refunded']));
export type PaymentFlagKind = Output<typeof PaymentFlagKind>;

export const FlaggedPayment = schema(() =>
  z.object({
    topup_id: Id('topup'),
    account_id: Id('account'),
    account_name: z.string(),
    provider: z.string(),
    status: TopupStatus(),
    total: Rupiah(),
    credited: Rupiah(),
    kind: PaymentFlagKind(),
    returned: z.nullable(Rupiah()),
    at: z.coerce.date(),
  }),
);
export type FlaggedPayment = Output<typeof FlaggedPayment>;

/** Unsettled flags. Refunding the payment here too, rejecting it, or marking the flag as done settles it. */
export const listFlagged = act({
  name: 'operator_payment_flag_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: FlaggedPayment,
});

/** Marks a refund by a gateway as settled; no money moves. Later refunds are listed anew. */
export const settleFlag = act({
  name: 'operator_payment_flag_settle',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    topup_id: IdInput('topup'),
    /** `at` of the flag that the operator saw: a later one is not settled by this call. */
    flagged_at: z.iso.datetime().check(z.refine((at) => at >= '2000')),
    reason: Reason(),
  }),
  output: schema(() => z.object({ topup_id: Id('topup') })),
  refuses: ['payment_flag_changed'],
});

/** Lets the welcome bonus be spent on any number from now on. */
export const approveBonus = act({
  name: 'operator_bonus_approve',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ account_id: IdInput('account'), reason: Reason() }),
  output: OperatorCustomerDetail,
  refuses: ['account_ended', 'operator_limit_reached'],
});
