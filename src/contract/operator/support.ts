import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { WholeNumber } from '#contract/base/numbers.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { QuickReply, ReplyName, ReplyText } from '#contract/messages/sending.ts';
import { SupportDoing, SupportSide, SupportStatus } from '#contract/events.ts';
import { SupportMessage, SupportThread, supportContent } from '#contract/support.ts';

/**
 * `waiting`: the customer wrote last, longest waiting first; `mine`: open and assigned to the caller; `open`: all open
 * ones; newest first except for `waiting`.
 */
export const InboxFilter = schema(() => z.enum(['waiting', 'mine', 'open', 'snoozed', 'closed']));
export type InboxFilter = Output<typeof InboxFilter>;

const Assignee = schema(() => z.object({ id: Id('user'), name: z.string(), mine: z.boolean() }));

export const InboxRow = schema(() =>
  z.object({
    account_id: Id('account'),
    account_name: z.string(),
    status: SupportStatus(),
    /** Since when the customer waits for an answer; null if none is due. */
    waiting_since: z.nullable(z.coerce.date()),
    /** In whole minutes of opening hours; null if no answer is due. */
    waited_minutes: z.nullable(z.int()),
    snoozed_until: z.nullable(z.coerce.date()),
    assignee: z.nullable(Assignee()),
    last: z.object({ side: SupportSide(), preview: z.string(), at: z.coerce.date() }),
    unread: z.int(),
  }),
);
export type InboxRow = Output<typeof InboxRow>;

export const listInbox = act({
  name: 'operator_support_list',
  by: 'operator',
  roles: ['support'],
  list: 'default',
  input: () => ({
    ...paging(['last_at']),
    filter: z.optional(InboxFilter()),
    /** Words of the messages, or the beginning of a customer's name or number; then in every status. */
    q: z.optional(z.string().check(z.trim(), z.maxLength(60))),
  }),
  output: InboxRow,
});

export const countInbox = act({
  name: 'operator_support_counts',
  by: 'operator',
  roles: ['support'],
  output: () =>
    z.object({
      waiting: z.int(),
      mine: z.int(),
      open: z.int(),
      snoozed: z.int(),
      oldest: z.nullable(z.coerce.date()),
    }),
});

export const OperatorThread = schema(() =>
  z.extend(SupportThread(), {
    account_id: Id('account'),
    account_name: z.string(),
    phone: z.string(),
    waiting_since: z.nullable(z.coerce.date()),
    waited_minutes: z.nullable(z.int()),
    snoozed_until: z.nullable(z.coerce.date()),
    assignee: z.nullable(Assignee()),
    operators: z.array(z.object({ id: Id('user'), name: z.string() })),
    customer: z.object({
      since: z.coerce.date(),
      status: z.enum(['active', 'suspended', 'closed']),
      available: z.int(),
      plan: z.string(),
      tokens: z.array(z.object({ id: Id('token'), name: z.string(), status: z.string() })),
      failed: z.int(),
    }),
  }),
);
export type OperatorThread = Output<typeof OperatorThread>;

const ofAccount = () => ({ account_id: IdInput('account') });

export const getInboxThread = act({
  name: 'operator_support_get',
  by: 'operator',
  roles: ['support'],
  input: ofAccount,
  output: OperatorThread,
});

/** Newest first, internal notes included; `start` counts from the newest. */
export const inboxMessages = act({
  name: 'operator_support_messages',
  by: 'operator',
  roles: ['support'],
  list: 'manual',
  input: () => ({ ...paging(['at']), account_id: IdInput('account') }),
  output: SupportMessage,
});

/** Answers, or with `internal` adds a note that only operators see. An answer ends the waiting. */
export const sendInbox = act({
  name: 'operator_support_send',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    ...supportContent(),
    internal: z.optional(z.literal('1')),
  }),
  output: SupportMessage,
  refuses: ['upload_gone', 'support_empty', 'account_ended'],
});

export const readInbox = act({
  name: 'operator_support_read',
  by: 'operator',
  roles: ['support'],
  changes: true,
  outlivesSession: false,
  input: () => ({ account_id: IdInput('account'), seq: WholeNumber({ minimum: 0 }) }),
  output: OperatorThread,
});

/**
 * Notifies other operators of what the caller does in a thread, and the customer if they type an answer; not stored.
 * Default: types an answer.
 */
export const typeInbox = act({
  name: 'operator_support_typing',
  by: 'operator',
  roles: ['support'],
  input: () => ({
    account_id: IdInput('account'),
    doing: z.optional(SupportDoing()),
  }),
  output: () => z.object({}),
});

/** Without `operator_id` the thread is unassigned. */
export const assignInbox = act({
  name: 'operator_support_assign',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({
    account_id: IdInput('account'),
    operator_id: z.optional(IdInput('user')),
  }),
  output: OperatorThread,
});

/** Postpones it until a time within 30 days; a message of the customer reopens it earlier. */
export const snoozeInbox = act({
  name: 'operator_support_snooze',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({ account_id: IdInput('account'), until: z.iso.datetime() }),
  output: OperatorThread,
});

/** Closes the thread and requests a rating from the customer. */
export const closeInbox = act({
  name: 'operator_support_close',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: ofAccount,
  output: OperatorThread,
});

export const reopenInbox = act({
  name: 'operator_support_reopen',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: ofAccount,
  output: OperatorThread,
});

/** The thread as a text file without internal notes, at a signed address. */
export const inboxTranscript = act({
  name: 'operator_support_transcript',
  by: 'operator',
  roles: ['support'],
  audited: true,
  input: ofAccount,
  output: () => z.object({ url: z.string() }),
});

/** By name, not paged: a hundred at most. `{nama}` in a text is replaced by the customer's name. */
export const listCanned = act({
  name: 'operator_canned_list',
  by: 'operator',
  roles: ['support'],
  output: () => z.object({ replies: z.array(QuickReply()) }),
});

/** Creates a canned answer, or replaces the text of an existing one. */
export const saveCanned = act({
  name: 'operator_canned_save',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({
    name: ReplyName(),
    text: ReplyText(),
  }),
  output: QuickReply,
  refuses: ['canned_too_many'],
});

export const deleteCanned = act({
  name: 'operator_canned_delete',
  by: 'operator',
  roles: ['support'],
  changes: true,
  audited: true,
  input: () => ({ name: ReplyName() }),
  output: () => z.object({}),
});
