import * as z from 'zod/mini';
import { act } from './base/act.ts';
import { Id } from './base/ids.ts';
import { Direction, MessageStatus } from './messages.ts';
import { OptoutSource } from './messages/optouts.ts';
import { Rupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { Peer } from './messages/peer.ts';
import { type Output, schema } from './base/schema.ts';

const messageFacts = () => ({
  id: Id('message'),
  token_id: Id('token'),
  peer: Peer(),
  direction: Direction(),
  status: MessageStatus(),
});

const supportEvents = () =>
  [
    /** A line of customer service; its own account's stream has no internal ones, that of operators all. */
    z.object({
      kind: z.literal('support.message'),
      account_id: Id('account'),
      id: Id('support'),
      seq: z.int(),
      side: SupportSide(),
      /** Who wrote, as the other side knows them. */
      name: z.string(),
      at: z.coerce.date(),
    }),
    /** Read marks, status, or assignment became different. */
    z.object({
      kind: z.literal('support.changed'),
      account_id: Id('account'),
      status: SupportStatus(),
      customer_read: z.int(),
      operator_read: z.int(),
    }),
    /** Somebody is typing. Without a position: it is stored nowhere, and missed by who is not there. */
    z.object({
      kind: z.literal('support.typing'),
      account_id: Id('account'),
      side: SupportSide(),
      /** The operator's, for other operators' collision warning. */
      user_id: z.nullable(Id('user')),
      /** Customers hear of answers alone; left out: one. */
      doing: z.optional(SupportDoing()),
      name: z.string(),
    }),
  ] as const;

/**
 * What the server sends to an open tab. Webhooks and push are made from the same outbox, which has kinds for programs
 * alone, too (docs/contributing.md#a-webhook-event).
 */
export const LiveEvent = schema(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('message.accepted'), ...messageFacts() }),
    z.object({ kind: z.literal('message.changed'), ...messageFacts() }),
    z.object({
      kind: z.literal('message.received'),
      ...messageFacts(),
      peer_name: z.nullable(z.string()),
      preview: z.string(),
    }),
    /** Its sender changed, or deleted, a message that came in. */
    z.object({ kind: z.enum(['message.edited', 'message.revoked']), ...messageFacts() }),
    /** A planned message got another time. */
    z.object({
      kind: z.literal('message.rescheduled'),
      id: Id('message'),
      token_id: Id('token'),
      peer: Peer(),
    }),
    /** Somebody saved, renamed or deleted a view of their messages. */
    z.object({ kind: z.literal('view.changed'), user_id: Id('user') }),
    z.object({ kind: z.literal('conversation.read'), token_id: Id('token'), peer: Peer() }),
    /** Conversations with a phone were pinned, let go, or named. */
    z.object({ kind: z.literal('conversation.changed'), peer: Peer() }),
    z.object({
      kind: z.literal('optout.added'),
      token_id: Id('token'),
      peer: Peer(),
      source: OptoutSource(),
    }),
    /** A token may write to a phone again. */
    z.object({ kind: z.literal('optout.removed'), token_id: Id('token'), peer: Peer() }),
    z.object({ kind: z.literal('token.changed'), token_id: Id('token') }),
    /** A message to many was begun, started, paused, ended or deleted. */
    z.object({ kind: z.literal('campaign.changed'), campaign_id: Id('campaign') }),
    /** A file with rows was asked for, begun, made, given up or deleted: whose it is and how it stands, unless it is deleted. */
    z.object({
      kind: z.literal('export.changed'),
      user_id: z.optional(Id('user')),
      status: z.optional(z.string()),
    }),
    /** A template was handed in or deleted. */
    z.object({ kind: z.literal('template.changed') }),
    /** A quick reply was saved or deleted. */
    z.object({ kind: z.literal('quick_reply.changed') }),
    /** The webhook of a token was saved, or switched off or on. */
    z.object({ kind: z.literal('webhook.changed'), token_id: Id('token') }),
    z.object({ kind: z.literal('saldo.changed'), available: Rupiah(), held: Rupiah() }),
    z.object({
      kind: z.literal('subscription.changed'),
      plan: z.string(),
      status: z.string(),
    }),
    z.object({ kind: z.literal('topup.changed'), topup_id: Id('topup'), status: z.string() }),
    /** What operators tell customers has changed. */
    z.object({ kind: z.literal('broadcast.changed') }),
    z.object({
      kind: z.literal('invoice.changed'),
      invoice_id: Id('invoice'),
      status: z.string(),
    }),
    ...supportEvents(),
  ]),
);
export type LiveEvent = Output<typeof LiveEvent>;
export type LiveKind = LiveEvent['kind'];

/**
 * The live stream of the caller's account, of all operators for an operator: a streaming reply, read by fetch so that `token` stays in the body.
 *
 * `id:` is the account's event position, `event:` the kind, `data:` a LiveEvent. A frame of kind
 * `reset` (data: the newest position) says that too much was missed: refetch everything.
 */
export const events = act({
  name: 'events',
  by: 'anyone_signed_in',
  whileSuspended: true,
  streams: true,
  input: () => ({ since: z.optional(WholeNumber({ minimum: 0 })) }),
  output: LiveEvent,
});

/** `open`: somebody may have to act; `snoozed`: put off by an operator until a time or the next message. */
export const SupportStatus = schema(() => z.enum(['open', 'snoozed', 'closed']));
export type SupportStatus = Output<typeof SupportStatus>;

/** Who wrote it; `system` for what happened to the thread. */
export const SupportSide = schema(() => z.enum(['customer', 'operator', 'system']));
export type SupportSide = Output<typeof SupportSide>;

/** What somebody does in a thread right now: writes an answer, writes a note, or has it before their eyes. */
export const SupportDoing = schema(() => z.enum(['answer', 'note', 'look']));
export type SupportDoing = Output<typeof SupportDoing>;
