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
    /** A support message; customers receive no internal ones. */
    z.object({
      kind: z.literal('support.message'),
      account_id: Id('account'),
      id: Id('support'),
      seq: z.int(),
      side: SupportSide(),
      name: z.string(),
      at: z.coerce.date(),
    }),
    z.object({
      kind: z.literal('support.changed'),
      account_id: Id('account'),
      status: SupportStatus(),
      customer_read: z.int(),
      operator_read: z.int(),
    }),
    /** Someone is typing. Without a position: it is not stored, and offline clients miss it. */
    z.object({
      kind: z.literal('support.typing'),
      account_id: Id('account'),
      side: SupportSide(),
      user_id: z.nullable(Id('user')),
      /** Customers receive this for answers only; left out: an answer. */
      doing: z.optional(SupportDoing()),
      name: z.string(),
    }),
  ] as const;

/**
 * Events that the server sends to an open tab. Webhooks and push use the same outbox, which also has kinds for programs
 * alone (docs/contributing.md#a-webhook-event).
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
    z.object({ kind: z.literal('message.edited'), ...messageFacts() }),
    z.object({ kind: z.literal('message.revoked'), ...messageFacts() }),
    z.object({
      kind: z.literal('message.rescheduled'),
      id: Id('message'),
      token_id: Id('token'),
      peer: Peer(),
    }),
    z.object({ kind: z.literal('view.changed'), user_id: Id('user') }),
    z.object({ kind: z.literal('conversation.read'), token_id: Id('token'), peer: Peer() }),
    z.object({ kind: z.literal('conversation.changed'), peer: Peer() }),
    z.object({
      kind: z.literal('optout.added'),
      token_id: Id('token'),
      peer: Peer(),
      source: OptoutSource(),
    }),
    z.object({ kind: z.literal('optout.removed'), token_id: Id('token'), peer: Peer() }),
    z.object({ kind: z.literal('token.changed'), token_id: Id('token') }),
    z.object({ kind: z.literal('campaign.changed'), campaign_id: Id('campaign') }),
    /**
     * An export of rows was created, started, finished, cancelled or deleted: its owner and, unless deleted, its state.
     */
    z.object({
      kind: z.literal('export.changed'),
      user_id: z.optional(Id('user')),
      status: z.optional(z.string()),
    }),
    z.object({ kind: z.literal('template.changed') }),
    z.object({ kind: z.literal('quick_reply.changed') }),
    z.object({ kind: z.literal('webhook.changed'), token_id: Id('token') }),
    z.object({ kind: z.literal('saldo.changed'), available: Rupiah(), held: Rupiah() }),
    z.object({
      kind: z.literal('subscription.changed'),
      plan: z.string(),
      status: z.string(),
    }),
    z.object({ kind: z.literal('topup.changed'), topup_id: Id('topup'), status: z.string() }),
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
 * The live stream of the caller's account, or of all operators for an operator: a streaming reply, read by fetch so
 * that `token` stays in the body.
 *
 * `id:` is the account's event position, `event:` the kind, `data:` a LiveEvent. A frame of kind `reset` (data: the
 * newest position) means that too much was missed: refetch everything.
 */
export const events = act({
  name: 'events',
  by: 'anyone_signed_in',
  whileSuspended: true,
  streams: true,
  input: () => ({ since: z.optional(WholeNumber({ minimum: 0 })) }),
  output: LiveEvent,
});

/** `open`: may need an action; `snoozed`: postponed by an operator until a time or the next message. */
export const SupportStatus = schema(() => z.enum(['open', 'snoozed', 'closed']));
export type SupportStatus = Output<typeof SupportStatus>;

export const SupportSide = schema(() => z.enum(['customer', 'operator', 'system']));
export type SupportSide = Output<typeof SupportSide>;

/** The present activity of a user in a thread: writing an answer, writing a note, or viewing it. */
export const SupportDoing = schema(() => z.enum(['answer', 'note', 'look']));
export type SupportDoing = Output<typeof SupportDoing>;
