import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { TopupStatus, Topup } from '#contract/saldo.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Reason } from './operators.ts';
import { Rupiah } from '#contract/base/money.ts';
import { LineOrReference, PaymentRefund, Adjustment, BankReference, Payee } from './books.ts';
import { DeskCustomerDetail } from '#contract/operator/customers.ts';

/** A bank line, by its hash. */
const LineInput = schema(() =>
  z.string().check(z.regex(/^[0-9a-f]{64}$/, 'Mutasi bank tidak dikenali.')),
);

/** Money that came in on our bank account, and what became of it. */
export const OperatorBankLine = schema(() =>
  z.object({
    /** Its hash: the `reference` of a confirmation. */
    line: z.string(),
    amount: z.int(),
    description: z.string(),
    reference: z.string(),
    /** When the bank says it came; a statement may know the day only. */
    at: z.coerce.date(),
    received_at: z.coerce.date(),
    /**
     * `second`: it came for a top-up that was paid already, and rests in suspense. `twin`: another line has its day
     * and amount, and no operator has confirmed both at the bank yet.
     */
    state: z.enum(['unmatched', 'matched', 'second', 'dismissed', 'twin']),
    /** The line of its day and amount that was known before. */
    twin: z.nullable(z.object({ description: z.string(), at: z.coerce.date() })),
    topup: z.nullable(z.object({ id: Id('topup'), account_name: z.string() })),
    dismissed: z.nullable(z.object({ by: z.string(), reason: z.string(), at: z.coerce.date() })),
    /** Of an unused line: top-ups of this amount or near it, nearest first. */
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
export type OperatorBankLine = Output<typeof OperatorBankLine>;

export const BankLineFilter = schema(() => z.enum(['unmatched', 'all']));
export type BankLineFilter = Output<typeof BankLineFilter>;

/** The lines of our bank account, the newest first; those that nobody has settled unless asked for all. */
export const listBankLines = act({
  name: 'operator_bank_line_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({
    ...paging(['at']),
    filter: z.optional(BankLineFilter()),
    amount: z.optional(
      WholeNumber({
        sentence: 'Tulis jumlah dengan angka saja, dalam rupiah bulat.',
        minimum: 1,
        maximum: 9_000_000_000_000,
      }),
    ),
  }),
  output: OperatorBankLine,
});

/** Sets a line aside that is no payment of a top-up. It can still be matched by hand. */
export const dismissBankLine = act({
  name: 'operator_bank_line_dismiss',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ line: LineInput(), reason: Reason() }),
  output: OperatorBankLine,
  refuses: ['bank_line_used'],
});

/**
 * Says that the bank has this line and the other one of its day and amount; it then pays what it would have paid.
 * Above what one operator may give alone, it is for another operator than who imported it.
 */
export const confirmBothLines = act({
  name: 'operator_bank_line_both',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ line: LineInput(), reason: Reason() }),
  output: OperatorBankLine,
  refuses: ['bank_line_used', 'operator_limit_reached'],
});

/**
 * What a line of a statement is, or would become:
 * pays: pays its top-up · joins: the line of a payment that was confirmed by its reference before ·
 * second: its top-up is paid already · twin: kept, for another line has its day and amount, until an operator has seen
 * both at the bank · near: kept, and some top-up is near its amount · kept: kept, and
 * matches nobody · known: was read before · debit, pending, unreadable: left out
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

/** Lines of a statement that are shown; those that matter most, when it has more. */
export const STATEMENT_LINES_SHOWN = 1_000;

export const StatementLine = schema(() =>
  z.object({
    /** The line of the file. */
    number: z.int(),
    outcome: StatementOutcome(),
    /** `YYYY-MM-DD`. */
    day: z.nullable(z.string()),
    /** Negative where it went out. */
    amount: z.nullable(z.int()),
    description: z.string(),
    topup: z.nullable(z.object({ id: Id('topup'), account_name: z.string() })),
    /** Why it cannot be read. */
    reason: z.nullable(z.string()),
  }),
);
export type StatementLine = Output<typeof StatementLine>;

/** A statement and what becomes of its lines. */
export const StatementReport = schema(() =>
  z.object({
    /** Of the file: what is imported is what was looked at. */
    sha256: z.string(),
    /** Whose form it has: `KlikBCA Individu`. */
    format: z.string(),
    /** The account it names; null when it names none, and a person has to be sure. */
    account: z.nullable(z.string()),
    period: z.nullable(z.object({ from: z.string(), to: z.string() })),
    /** How many lines are of each outcome, and the money of those that pay. */
    counts: z.record(StatementOutcome(), z.int()),
    pays: z.int(),
    lines: z.array(StatementLine()),
    /** Lines that are counted and not shown. */
    left_out: z.int(),
  }),
);
export type StatementReport = Output<typeof StatementReport>;

/** Reads a statement, an upload of the purpose `statement`, and says what an import would do. Writes nothing. */
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
 * Imports exactly the file that was looked at, and forgets the file. May be repeated and broken off at any
 * line: a line counts once.
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

/** A top-up as the operator sees it: whose it is, and the bank lines that could be its payment. */
export const OperatorTopup = schema(() =>
  z.extend(Topup(), {
    account_name: z.string(),
    /** Unused bank lines of this amount or near it, nearest first; `line` is a `reference`. */
    candidates: z.array(
      z.object({
        line: z.string(),
        amount: z.int(),
        description: z.string(),
        at: z.coerce.date(),
        /** Who asks imported it: it does not stand for a second operator. */
        mine: z.boolean(),
      }),
    ),
    /** The slip its owner sent, to look at beside the amount. It is never proof of money. */
    slip: z.nullable(
      z.object({
        url: z.string(),
        name: z.string(),
        mime: z.string(),
        at: z.coerce.date(),
        /** Another top-up that the very same file was sent for before. */
        used_before: z.nullable(
          z.object({ topup_id: Id('topup'), account_name: z.string(), at: z.coerce.date() }),
        ),
      }),
    ),
    /** Where it is paid; null for a bank transfer. */
    gateway: z.nullable(
      z.object({
        provider: z.string(),
        /** The gateway's own id: of the payment, or of the order while nothing has paid it. */
        reference: z.nullable(z.string()),
        /** What it gave back by itself, and who has settled that here. */
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
    /** How far its payment has come back to its payer; null while nobody has given it back. */
    refund: z.nullable(PaymentRefund()),
    /** True when a second operator must agree, unless a bank line of exactly the total is chosen. */
    needs_two: z.boolean(),
    /** What one operator has proposed, and another has to complete; `mine`: who asks cannot. */
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

/** `open`: on which somebody has to act; `gateway`: what waits for its payment at a gateway. */
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
 * Confirms by hand: with a bank line's `line`, or the reference typed from the bank statement; either
 * can pay one top-up only. A line up to Rp 999 off is credited as it came. Above the limit, without a
 * line of exactly the total, it is a proposal (`proposal`), which another operator completes with the
 * same reference.
 */
export const confirmTopup = act({
  name: 'operator_topup_confirm',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    topup_id: IdInput('topup'),
    reference: LineOrReference(),
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

/** Asks the gateway of a top-up now what became of it, also of one that is paid or rejected. */
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

/** A payment that lies in suspense: ours to hold, not ours to keep. */
export const SuspenseItem = schema(() =>
  z.object({
    provider: z.string(),
    txn: z.string(),
    account_id: Id('account'),
    account_name: z.string(),
    topup_id: Id('topup'),
    amount: Rupiah(),
    at: z.coerce.date(),
    /** What operators noted, newest first. */
    notes: z.array(z.object({ note: z.string(), operator: z.string(), at: z.coerce.date() })),
    /** The proposal about it that waits for a second operator. */
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

/** Into the saldo of the customer who paid twice. */
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

/** Back to whom it came from: the transfer was made, and is booked with this. */
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

/** Stays where it is, with a note of why. */
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
 * Gives the payment of a paid top-up back, all of it: it leaves the saldo and its invoice is credited. Then
 * its gateway is told, or somebody transfers it by hand; `refund` of the answer says which. Above the limit it
 * is a proposal.
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

/** Money of a payment that has left the saldo and has not reached its payer. */
export const OpenRefund = schema(() =>
  z.object({
    /** The adjustment that gave it back. */
    id: Id('adjustment'),
    account_id: Id('account'),
    account_name: z.string(),
    topup_id: Id('topup'),
    amount: Rupiah(),
    /** `gateway`: it is asked again each minute; `manual`: somebody has to transfer it. */
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

/** A refund by hand was transferred, and is booked with this; once. */
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

/** `refunded`: all of it went back, or is disputed; `partly_refunded`: a part of it. */
export const PaymentFlagKind = schema(() => z.enum(['refunded', 'partly_refunded']));
export type PaymentFlagKind = Output<typeof PaymentFlagKind>;

/** An order whose gateway gave the money back by itself, or says that it is disputed. */
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
    /** Of a part: how much, where the gateway says so. */
    returned: z.nullable(Rupiah()),
    at: z.coerce.date(),
  }),
);
export type FlaggedPayment = Output<typeof FlaggedPayment>;

/** Those that nobody has settled: given back here as well, rejected, or said to be done. */
export const listFlagged = act({
  name: 'operator_payment_flag_list',
  by: 'operator',
  roles: ['money'],
  list: 'default',
  input: () => ({ ...paging(['created_at']) }),
  output: FlaggedPayment,
});

/** All is done about what a gateway gave back by itself; no money moves. What it gives back later is listed anew. */
export const settleFlag = act({
  name: 'operator_payment_flag_settle',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({
    topup_id: IdInput('topup'),
    /** `at` of what was looked at: what came since is not settled with it. */
    flagged_at: z.iso.datetime().check(z.refine((at) => at >= '2000')),
    reason: Reason(),
  }),
  output: schema(() => z.object({ topup_id: Id('topup') })),
  refuses: ['payment_flag_changed'],
});

/** The welcome bonus may be spent on any number from now on. */
export const approveBonus = act({
  name: 'operator_bonus_approve',
  by: 'operator',
  roles: ['money'],
  changes: true,
  audited: true,
  input: () => ({ account_id: IdInput('account'), reason: Reason() }),
  output: DeskCustomerDetail,
  refuses: ['account_ended', 'operator_limit_reached'],
});
