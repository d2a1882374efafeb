import * as z from 'zod/mini';
import { act, operatorRoles, paging } from '#contract/base/act.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Failure } from '#contract/messages.ts';
import { Pause, Connection } from '#contract/channels.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { Id } from '#contract/base/ids.ts';

const LastBackup = schema(() =>
  z.object({
    at: z.coerce.date(),
    /** False also if it is older than 26 hours: then `error` is `overdue`. */
    is_ok: z.boolean(),
    bytes: z.nullable(z.int()),
    path: z.nullable(z.string()),
    error: z.nullable(z.string()),
  }),
);

export const OperatorOverview = schema(() =>
  z.object({
    at: z.coerce.date(),
    /** Messages accepted in each of the last 60 minutes, the oldest first; the last minute is incomplete. */
    minutes: z.array(z.int()),
    /** Messages accepted in the last 24 hours. */
    accepted: z.int(),
    /**
     * Failures of messages accepted in the last 24 hours, by their tokens' present channel; the most frequent first.
     */
    failures: z.array(z.object({ channel: ChannelName(), failure: Failure(), messages: z.int() })),
    queue: z.object({
      waiting: z.int(),
      /** True if there are more than were counted. */
      more: z.boolean(),
      /** For how many seconds the longest due lane has been due; lanes without a phone included. */
      age_seconds: z.number(),
    }),
    /** `unowned`: due for more than ten seconds without an owning process. */
    lanes: z.object({ running: z.int(), unowned: z.int() }),
    pauses: z.array(z.object({ reason: Pause(), numbers: z.int() })),
    /** Events not yet delivered to live streams, webhooks and counts; `set_aside`: could not be published. */
    events: z.object({ lag_seconds: z.number(), set_aside: z.int() }),
    /** Jobs with a failed run in the last 24 hours; `is_over`: a later run succeeded. */
    jobs: z.array(z.object({ name: z.string(), failed_at: z.coerce.date(), is_over: z.boolean() })),
    jobs_late: z.array(z.string()),
    /** Changes of safeguards of money that wait for a second admin; null unless the caller is an admin. */
    settings_waiting: z.nullable(
      z.array(z.object({ label: z.string(), effective_at: z.coerce.date() })),
    ),
    dead_notices: z.int(),
    database: z.object({
      version: z.string(),
      bytes: z.int(),
      connections: z.int(),
      connections_max: z.int(),
      oldest_transaction_seconds: z.number(),
    }),
    disk: z.object({
      /** On the disk of the data folder; null if unknown. */
      free_bytes: z.nullable(z.int()),
      full: z.array(z.string()),
    }),
    app: z.object({
      version: z.string(),
      build: z.string(),
      uptime_seconds: z.int(),
      nodes: z.int(),
    }),
    /** Whether codes can be sent: their token is linked, and on the Cloud API has a template for them. */
    codes_go_out: z.boolean(),
    /** Null before the first backup, or if none are configured. */
    backup: z.nullable(LastBackup()),
    /** Threads that wait for an answer; null for operators who do not answer customers. */
    support: z.nullable(z.object({ waiting: z.int(), oldest: z.nullable(z.coerce.date()) })),
  }),
);
export type OperatorOverview = Output<typeof OperatorOverview>;

/** Open to every operator; the fields depend on their roles. */
export const operatorOverview = act({
  name: 'operator_overview',
  by: 'operator',
  roles: operatorRoles,
  output: OperatorOverview,
});

export const RealChannel = schema(() => z.enum(['cloud', 'web']));
export type RealChannel = Output<typeof RealChannel>;

export const NumberState = schema(() => z.enum(['connected', 'parted', 'restricted', 'paused']));
export type NumberState = Output<typeof NumberState>;

export const ConnectedNumber = schema(() =>
  z.extend(Connection(), {
    account_id: Id('account'),
    account_name: z.string(),
    is_system: z.boolean(),
    token_id: Id('token'),
    token_name: z.string(),
    status: TokenStatus(),
    phone: z.nullable(z.string()),
  }),
);
export type ConnectedNumber = Output<typeof ConnectedNumber>;

/** The numbers of all customers: disconnected ones first, then restricted ones, unless sorted. */
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

export const ProviderAnswers = schema(() =>
  z.object({
    answers: z.array(
      z.object({
        channel: ChannelName(),
        code: z.string(),
        count: z.int(),
        numbers: z.int(),
        last_at: z.coerce.date(),
        does: z.nullable(z.enum(['fail', 'later', 'part', 'verify', 'pause', 'rest'])),
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
