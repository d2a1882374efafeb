import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id } from '#contract/base/ids.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Connection } from '#contract/tokens/connection.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { Failure } from '#contract/messages.ts';

/** The networks that a number is truly connected to. */
export const RealChannel = schema(() => z.enum(['cloud', 'web']));
export type RealChannel = Output<typeof RealChannel>;

/** How connected numbers are looked for. */
export const NumberState = schema(() => z.enum(['connected', 'parted', 'restricted', 'paused']));
export type NumberState = Output<typeof NumberState>;

/** A number of a customer, or of the installation itself, in a real network. */
export const ConnectedNumber = schema(() =>
  z.extend(Connection(), {
    account_id: Id('account'),
    account_name: z.string(),
    /** The installation's own, which is no customer's. */
    is_system: z.boolean(),
    token_id: Id('token'),
    token_name: z.string(),
    status: TokenStatus(),
    /** Without its middle; null while it has none. */
    phone: z.nullable(z.string()),
  }),
);
export type ConnectedNumber = Output<typeof ConnectedNumber>;

/** The numbers of all customers: those that are parted first, then the restricted ones, unless sorted. */
export const listNumbers = act({
  name: 'operator_number_list',
  by: 'operator',
  roles: ['support'],
  list: 'default',
  input: () => ({
    ...paging(['since']),
    channel: z.optional(RealChannel()),
    state: z.optional(NumberState()),
  }),
  output: ConnectedNumber,
});

/** What networks answered where it was no success, by code: the most first. */
export const ProviderAnswers = schema(() =>
  z.object({
    answers: z.array(
      z.object({
        channel: ChannelName(),
        code: z.string(),
        count: z.int(),
        /** How many numbers it was told to. */
        numbers: z.int(),
        last_at: z.coerce.date(),
        /** What is done about it here; null: the code is not known. */
        does: z.nullable(z.enum(['fail', 'later', 'part', 'verify', 'pause', 'rest'])),
        /** Why the message failed, or was put off, in the words of `failures`. */
        failure: z.nullable(Failure()),
      }),
    ),
  }),
);
export type ProviderAnswers = Output<typeof ProviderAnswers>;

export const listProviderAnswers = act({
  name: 'operator_answer_list',
  by: 'operator',
  roles: ['support'],
  input: () => ({ days: z.enum(['1', '7']) }),
  output: ProviderAnswers,
});
