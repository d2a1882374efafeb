import * as z from 'zod/mini';
import { act } from './base/act.ts';
import { Id } from './base/ids.ts';
import { Direction, MessageStatus } from './messages.ts';
import { Rupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { Phone } from './base/phone.ts';
import { type Output, schema } from './base/schema.ts';

const messageFacts = () => ({
  id: Id('message'),
  token_id: Id('token'),
  peer: Phone(),
  direction: Direction(),
  status: MessageStatus(),
});

/** What the server sends to an open tab; webhooks and push are made from the same. */
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
    z.object({ kind: z.literal('conversation.read'), token_id: Id('token'), peer: Phone() }),
    z.object({ kind: z.literal('token.changed'), token_id: Id('token') }),
    z.object({ kind: z.literal('saldo.changed'), available: Rupiah(), held: Rupiah() }),
    z.object({
      kind: z.literal('subscription.changed'),
      plan: z.string(),
      status: z.string(),
    }),
    z.object({ kind: z.literal('topup.changed'), topup_id: Id('topup'), status: z.string() }),
    z.object({
      kind: z.literal('invoice.changed'),
      invoice_id: Id('invoice'),
      status: z.string(),
    }),
  ]),
);
export type LiveEvent = Output<typeof LiveEvent>;
export type LiveKind = LiveEvent['kind'];

/**
 * The live stream: a streaming reply, read by fetch so that `token` stays in the body.
 *
 * `id:` is the account's event position, `event:` the kind, `data:` a LiveEvent. A frame of kind
 * `reset` (data: the newest position) says that too much was missed: refetch everything.
 */
export const events = act({
  name: 'events',
  by: 'customer',
  streams: true,
  input: () => ({ since: z.optional(WholeNumber({ minimum: 0 })) }),
  output: LiveEvent,
});
