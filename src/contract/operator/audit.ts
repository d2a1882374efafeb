import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { CivilDay } from '#contract/base/days.ts';
import { type Output, schema } from '#contract/base/schema.ts';

export const AuditFinding = schema(() =>
  z.object({
    /**
     * `missing`: the entry is gone. `added`: an entry that was never written. `erased`: emptied without permission.
     * `head`: the newest entry differs from the chain's head. `seal`: the seal of a day is gone or changed.
     */
    kind: z.enum(['changed', 'missing', 'added', 'erased', 'head', 'seal']),
    /** The account of the chain; null for anonymous callers, and for seals. */
    account_id: z.nullable(Id('account')),
    seq: z.int(),
    /** The day of the preceding entry, or of the seal; null if there is none. */
    day: z.nullable(z.string()),
  }),
);
export type AuditFinding = Output<typeof AuditFinding>;

export const AuditCheck = schema(() =>
  z.object({
    /** Entries before this instant were verified. */
    at: z.coerce.date(),
    ok: z.boolean(),
    lines: z.int(),
    chains: z.int(),
    findings: z.array(AuditFinding()),
    millis: z.int(),
  }),
);
export type AuditCheck = Output<typeof AuditCheck>;

export const AuditEntry = schema(() =>
  z.object({
    id: Id('audit'),
    /** Its number in its account's chain, and its hash. */
    seq: z.int(),
    hash: z.string(),
    at: z.coerce.date(),
    /** The account of the chain; null for anonymous callers. */
    account: z.nullable(
      z.object({
        account_id: Id('account'),
        name: z.string(),
        ours: z.boolean(),
      }),
    ),
    /** The caller; null if anonymous. */
    person: z.nullable(z.object({ user_id: Id('user'), name: z.string() })),
    /** The customer whom an operator's act concerned, if it names one. */
    about: z.nullable(z.object({ account_id: Id('account'), name: z.string() })),
    /** The operator whom an act named, such as an invited or removed one. */
    whom: z.nullable(z.object({ user_id: Id('user'), name: z.string() })),
    act: z.string(),
    outcome: z.string(),
    /** '' if it was erased. */
    ip: z.string(),
    request: z.string(),
    /** Ids only, by field name. */
    facts: z.record(z.string(), z.string()),
    /** True if address and facts were erased with their account, or after seven days. */
    erased: z.boolean(),
  }),
);
export type AuditEntry = Output<typeof AuditEntry>;

export const AuditOutcome = schema(() => z.enum(['ok', 'refused']));
export type AuditOutcome = Output<typeof AuditOutcome>;

const filter = () => ({
  from: z.optional(CivilDay()),
  to: z.optional(CivilDay()),
  /** Not `act`, which the envelope uses. */
  act_name: z.optional(z.string().check(z.maxLength(60), z.regex(/^[a-z_]*$/))),
  user_id: z.optional(IdInput('user')),
  /** Entries of the account's chain, and of operators' acts for it. */
  account_id: z.optional(IdInput('account')),
  outcome: z.optional(AuditOutcome()),
});

/** Further entries are neither counted nor paged: select another day. */
export const AUDIT_COUNT_MAX = 1_000;

export const listAudit = act({
  name: 'operator_audit_list',
  by: 'operator',
  list: 'default',
  input: () => ({ ...paging(['at']), ...filter() }),
  output: AuditEntry,
});

export const auditState = act({
  name: 'operator_audit_state',
  by: 'operator',
  output: () =>
    z.object({
      check: z.nullable(AuditCheck()),
      operators: z.array(z.object({ user_id: Id('user'), name: z.string(), removed: z.boolean() })),
    }),
});

/**
 * Verifies all chains now, and stores the result, as `npm run ledger:check` does. For a long log the response comes
 * first without a result; `operator_audit_state` has it later.
 */
export const verifyAudit = act({
  name: 'operator_audit_verify',
  by: 'operator',
  changes: true,
  audited: true,
  output: () => z.object({ check: z.nullable(AuditCheck()) }),
  refuses: ['check_running'],
});

/** A signed link to the entries of a filter as CSV, valid for minutes; three a day. */
export const exportAudit = act({
  name: 'operator_audit_export',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: 'to_make',
  input: filter,
  output: () => z.object({ url: z.string(), filename: z.string() }),
  refuses: ['export_limit'],
});
