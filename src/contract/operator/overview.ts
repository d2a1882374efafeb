import * as z from 'zod/mini';
import { act, operatorRoles, paging } from '#contract/base/act.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Failure } from '#contract/messages.ts';
import { Pause, Connection } from '#contract/channels.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { Id } from '#contract/base/ids.ts';

/** A backup as the newest one ended. */
const LastBackup = schema(() =>
  z.object({
    at: z.coerce.date(),
    /** False also when it is older than 26 hours: then `error` is `overdue`. */
    is_ok: z.boolean(),
    bytes: z.nullable(z.int()),
    path: z.nullable(z.string()),
    error: z.nullable(z.string()),
  }),
);

/** Whether all is well with the installation; beside it `operator_money_overview` says how the money stands. */
export const OperatorOverview = schema(() =>
  z.object({
    at: z.coerce.date(),
    /** Messages accepted in each of the last 60 minutes, the oldest first; the last is this minute so far. */
    minutes: z.array(z.int()),
    /** Messages accepted in the last 24 hours. */
    accepted: z.int(),
    /** Why messages that were accepted in the last 24 hours failed, by their tokens' present channel; the most first. */
    failures: z.array(z.object({ channel: ChannelName(), failure: Failure(), messages: z.int() })),
    queue: z.object({
      /** Messages that wait to leave; with `more` there are more than are counted. */
      waiting: z.int(),
      more: z.boolean(),
      /** For how many seconds the lane that has been due longest has been so; lanes without a phone too. */
      age_seconds: z.number(),
    }),
    /** `unowned`: due for more than ten seconds, and nobody sends from it. */
    lanes: z.object({ running: z.int(), unowned: z.int() }),
    /** Numbers that stand still although they are connected: their network is silent or refuses every message. */
    pauses: z.array(z.object({ reason: Pause(), numbers: z.int() })),
    /** Events on their way to live streams, webhooks and counts; `set_aside`: could not be published. */
    events: z.object({ lag_seconds: z.number(), set_aside: z.int() }),
    /** Jobs of which a turn failed in the last 24 hours; `is_over`: a later turn went well. */
    jobs: z.array(z.object({ name: z.string(), failed_at: z.coerce.date(), is_over: z.boolean() })),
    /** Jobs of which no turn has succeeded for too long, by name. */
    jobs_late: z.array(z.string()),
    /** Changes of safeguards of money that wait for a second admin; null for who is no admin. */
    settings_waiting: z.nullable(
      z.array(z.object({ label: z.string(), effective_at: z.coerce.date() })),
    ),
    /** Notices of payment gateways that were given up. */
    dead_notices: z.int(),
    database: z.object({
      version: z.string(),
      bytes: z.int(),
      connections: z.int(),
      connections_max: z.int(),
      /** For how many seconds the oldest transaction has been open. */
      oldest_transaction_seconds: z.number(),
    }),
    disk: z.object({
      /** Free where the data folder is; null where it cannot be told. */
      free_bytes: z.nullable(z.int()),
      /** What is full: the data folder, or the database. */
      full: z.array(z.string()),
    }),
    app: z.object({
      version: z.string(),
      build: z.string(),
      uptime_seconds: z.int(),
      /** Processes that serve or work, of this installation. */
      nodes: z.int(),
    }),
    /** Whether codes reach anybody: their token is linked, and by the Cloud API has a template for them. */
    codes_go_out: z.boolean(),
    /** Null while no backup was made, or nothing here makes any. */
    backup: z.nullable(LastBackup()),
    /** Threads that wait for an answer; null for who does not answer customers. */
    support: z.nullable(z.object({ waiting: z.int(), oldest: z.nullable(z.coerce.date()) })),
  }),
);
export type OperatorOverview = Output<typeof OperatorOverview>;

/** Every operator sees it; each sees what their roles are for. */
export const operatorOverview = act({
  name: 'operator_overview',
  by: 'operator',
  roles: operatorRoles,
  output: OperatorOverview,
});

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
