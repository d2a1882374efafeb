import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { TopupStatus } from '#contract/saldo.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Reason } from '#contract/operator/reason.ts';

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
