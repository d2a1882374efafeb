import * as z from 'zod/mini';
import { Id } from '#contract/base/ids.ts';
import { Rupiah } from '#contract/base/money.ts';
import { ShownPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { Direction, MessageStatus, MessageType, TEXT_MAX } from '#contract/messages.ts';
import { Accepted } from '#contract/rest/messages.ts';
import { Recipient, fieldNotes } from '#contract/rest/notes.ts';

/** Messages in one answer, at most; fewer where they are long. */
export const SHOWN_MAX = 50;

/** A schema with the sentence that tells an assistant what to give. */
function described<Schema extends z.ZodMiniType>(one: Schema, description: string): Schema {
  const own = one.clone();
  const note = fieldNotes.get(one);
  if (note) fieldNotes.add(own, note);
  z.globalRegistry.add(own, { description });
  return own;
}

const PEER = 'The phone of the other side, as people write it: 0812-3456-7890 or 6281234567890.';

const paging = () => ({
  limit: described(
    z.optional(z.int().check(z.minimum(1), z.maximum(SHOWN_MAX))),
    'How many messages at most; 20 without it.',
  ),
  cursor: described(
    z.optional(Id('message')),
    'The next_cursor of the answer before, for older messages.',
  ),
});

export const FindInput = schema(() =>
  z.strictObject({
    peer: z.optional(described(Recipient(), PEER)),
    direction: z.optional(described(Direction(), 'in: received. out: sent.')),
    status: z.optional(described(MessageStatus(), 'Only messages in this state.')),
    ...paging(),
  }),
);
export type FindInput = Output<typeof FindInput>;

export const ConversationInput = schema(() =>
  z.strictObject({ peer: described(Recipient(), PEER), ...paging() }),
);
export type ConversationInput = Output<typeof ConversationInput>;

export const BalanceInput = schema(() => z.strictObject({}));

export const SendInput = schema(() =>
  z.strictObject({
    to: described(Recipient(), PEER),
    text: described(
      z.string().check(z.minLength(1), z.maxLength(TEXT_MAX)),
      'The text, exactly as the recipient is to read it.',
    ),
    ref: described(
      z.optional(z.string().check(z.regex(/^[ -~]{1,64}$/))),
      'A reference of your own, 1 to 64 ASCII characters: the same ref sends, and is charged, once. Give it, so that a repeated call is safe.',
    ),
  }),
);
export type SendInput = Output<typeof SendInput>;

const ShownMessage = schema(() =>
  z.object({
    id: Id('message'),
    direction: Direction(),
    peer: ShownPeer(),
    type: MessageType(),
    status: MessageStatus(),
    created_at: z.string(),
    /** Why it failed. */
    failure: z.nullable(z.object({ code: z.string(), detail: z.string() })),
    ref: z.nullable(z.string()),
    content: z.record(z.string(), z.unknown()),
  }),
);
export type ShownMessage = Output<typeof ShownMessage>;

export const ShownMessages = schema(() =>
  z.object({
    /** What whoever reads the texts has to know first. */
    note: z.string(),
    messages: z.array(ShownMessage()),
    next_cursor: z.nullable(Id('message')),
  }),
);
export type ShownMessages = Output<typeof ShownMessages>;

export const ShownBalance = schema(() =>
  z.object({ currency: z.literal('IDR'), available: Rupiah(), held: Rupiah() }),
);

export const Sent = schema(() => z.object(Accepted().shape));
