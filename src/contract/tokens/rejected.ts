import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';

/** Rejected calls are shown for so many days, then erased. */
export const REJECTED_DAYS = 7;

/**
 * What is kept of a refusal's facts: what tells its owner what to do. Never a text, a phone number or a
 * reference of theirs.
 */
export const RejectedFacts = schema(() =>
  z.object({
    /** The fields that were wrong, as they are called. */
    fields: z.optional(z.array(z.string())),
    scope: z.optional(z.string()),
    day: z.optional(z.string()),
    allow: z.optional(z.string()),
    what: z.optional(z.string()),
    status: z.optional(z.string()),
    limit: z.optional(z.number()),
    seconds: z.optional(z.number()),
    required: z.optional(z.number()),
    available: z.optional(z.number()),
  }),
);
export type RejectedFacts = Output<typeof RejectedFacts>;

/** Calls of the API that were refused for the same reason within an hour. */
export const RejectedCall = schema(() =>
  z.object({
    id: z.string(),
    token: z.object({ id: Id('token'), name: z.string() }),
    /** Which way of calling: Kabari's own, or that of another service. */
    dialect: z.string(),
    method: z.string(),
    /** The endpoint's address, without what was in its place. */
    path: z.string(),
    /** Why, as `docs/errors.md` names it, and the HTTP status that was answered. */
    code: z.string(),
    status: z.int(),
    /** Where the calls came from; empty where it is not known. */
    address: z.string(),
    facts: RejectedFacts(),
    /** How many there were. */
    calls: z.int(),
    first_at: z.coerce.date(),
    last_at: z.coerce.date(),
  }),
);
export type RejectedCall = Output<typeof RejectedCall>;

/** The calls with the account's keys that were refused in the last seven days, the newest first. */
export const listRejectedCalls = act({
  name: 'rejected_call_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['last_at', 'calls'] as const),
    token_id: z.optional(IdInput('token')),
    code: z.optional(z.string().check(z.regex(/^[a-z_]{1,40}$/, 'Alasan ini tidak dikenal.'))),
  }),
  output: RejectedCall,
});
