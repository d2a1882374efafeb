import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { CivilDay } from '#contract/base/days.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** Where the audit log is not as it was written: a line, or a seal, by its number. */
export const AuditFinding = schema(() =>
  z.object({
    /**
     * `missing`: the line is gone. `added`: it stands where none was written. `erased`: emptied without
     * leave. `head`: the chain's newest line is another one than its head says. `seal`: the seal of a day
     * is gone or changed.
     */
    kind: z.enum(['changed', 'missing', 'added', 'erased', 'head', 'seal']),
    /** Whose chain; null for people who were not signed in, and for seals. */
    account_id: z.nullable(Id('account')),
    seq: z.int(),
    /** The day of the line before it, or of the seal; null where there is none. */
    day: z.nullable(z.string()),
  }),
);
export type AuditFinding = Output<typeof AuditFinding>;

/** A verification of all chains, as it was stored. */
export const AuditCheck = schema(() =>
  z.object({
    /** Lines of before this instant were verified. */
    at: z.coerce.date(),
    ok: z.boolean(),
    lines: z.int(),
    chains: z.int(),
    findings: z.array(AuditFinding()),
    /** How long it took, in milliseconds. */
    millis: z.int(),
  }),
);
export type AuditCheck = Output<typeof AuditCheck>;

/** A line of the audit log. */
export const AuditLine = schema(() =>
  z.object({
    id: Id('audit'),
    /** Its number in its account's chain, and its hash. */
    seq: z.int(),
    hash: z.string(),
    at: z.coerce.date(),
    /** Whose chain; null for people who were not signed in. */
    account: z.nullable(
      z.object({
        account_id: Id('account'),
        name: z.string(),
        /** True for the installation's own, which operators belong to. */
        ours: z.boolean(),
      }),
    ),
    /** Who it was; null for people who were not signed in. */
    person: z.nullable(z.object({ user_id: Id('user'), name: z.string() })),
    /** The customer an operator's act was about, where it names one. */
    about: z.nullable(z.object({ account_id: Id('account'), name: z.string() })),
    /** The person an act named: an operator who was invited, or removed. */
    whom: z.nullable(z.object({ user_id: Id('user'), name: z.string() })),
    act: z.string(),
    /** `ok`, or the refusal's code. */
    outcome: z.string(),
    /** '' where it was erased. */
    ip: z.string(),
    request: z.string(),
    /** Ids only, by the names of their fields. */
    facts: z.record(z.string(), z.string()),
    /** True when address and facts were erased with their account, or after seven days. */
    erased: z.boolean(),
  }),
);
export type AuditLine = Output<typeof AuditLine>;

export const AuditOutcome = schema(() => z.enum(['ok', 'refused']));
export type AuditOutcome = Output<typeof AuditOutcome>;

const filter = () => ({
  from: z.optional(CivilDay()),
  to: z.optional(CivilDay()),
  /** Not `act`, which is the envelope's. */
  act_name: z.optional(z.string().check(z.maxLength(60), z.regex(/^[a-z_]*$/))),
  user_id: z.optional(IdInput('user')),
  /** The lines of its chain, and what operators did for it. */
  account_id: z.optional(IdInput('account')),
  outcome: z.optional(AuditOutcome()),
});

/** More lines than this are not counted, nor paged through: another day has to be chosen. */
export const AUDIT_COUNT_MAX = 1_000;

/** The audit log, the newest line first. */
export const listAudit = act({
  name: 'operator_audit_list',
  by: 'operator',
  list: 'default',
  input: () => ({ ...paging(['at']), ...filter() }),
  output: AuditLine,
});

/** The newest verification of all chains, and the operators whose lines can be asked for. */
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
 * Verifies all chains now, and stores the result, as `npm run ledger:check` does. A long log takes longer than
 * an answer may: then there is none yet, and the state has it once it is done.
 */
export const verifyAudit = act({
  name: 'operator_audit_verify',
  by: 'operator',
  changes: true,
  audited: true,
  output: () => z.object({ check: z.nullable(AuditCheck()) }),
  refuses: ['check_running'],
});

/** A signed link to the lines of a filter as CSV, good for minutes; three a day. */
export const exportAudit = act({
  name: 'operator_audit_export',
  by: 'operator',
  changes: true,
  audited: true,
  requiresRecentPassword: true,
  input: filter,
  output: () => z.object({ url: z.string(), filename: z.string() }),
  refuses: ['export_limit'],
});
