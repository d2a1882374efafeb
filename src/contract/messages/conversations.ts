import * as z from 'zod/mini';
import { act, paging } from '#contract/base/act.ts';
import { Id, IdInput } from '#contract/base/ids.ts';
import { TypedName } from '#contract/base/names.ts';
import { Peer, TypedPeer } from '#contract/messages/peer.ts';
import { type Output, schema } from '#contract/base/schema.ts';
import { ConversationMessage, Direction, MessageStatus, MessageType } from '#contract/messages.ts';
import { ChannelName, TokenStatus } from '#contract/tokens.ts';

export const CONVERSATION_QUERY_MAX = 60;

export const PINS_MAX = 20;
export const CONTACT_NAME_MAX = 60;

export const Conversation = schema(() =>
  z.object({
    token: z.object({
      id: Id('token'),
      name: z.string(),
      status: TokenStatus(),
      channel: ChannelName(),
    }),
    peer: Peer(),
    /** The contact name, else the name that the peer uses. */
    peer_name: z.nullable(z.string()),
    contact_name: z.nullable(z.string()),
    pinned: z.boolean(),
    type: MessageType(),
    preview: z.string(),
    direction: Direction(),
    status: MessageStatus(),
    unread: z.int(),
    last_at: z.coerce.date(),
    /** When the phone last wrote; null: never. The Cloud API's window is open for 24 hours from then. */
    last_in_at: z.nullable(z.coerce.date()),
  }),
);
export type Conversation = Output<typeof Conversation>;

/**
 * Pinned first, then unread, then newest; `q` is the beginning of a number, of a name, or of a later word of a recent
 * name.
 */
export const listConversations = act({
  name: 'conversation_list',
  by: 'customer',
  list: 'manual',
  input: () => ({
    ...paging(['last_at']),
    q: z.optional(z.string().check(z.trim(), z.maxLength(CONVERSATION_QUERY_MAX))),
    /** Only those with unread messages. */
    unread: z.optional(z.literal('1')),
  }),
  output: Conversation,
});

/** Null while there is no conversation with that phone. */
export const getConversation = act({
  name: 'conversation_get',
  by: 'customer',
  input: () => ({ token_id: IdInput('token'), peer: TypedPeer() }),
  output: () => z.nullable(Conversation()),
});

/**
 * The messages with one phone, newest first. `before` and `from` are cursors: rows beyond them cost nothing, while
 * `start` scans the rows it skips.
 */
export const conversationMessages = act({
  name: 'conversation_messages',
  by: 'customer',
  list: 'manual',
  input: () => ({
    ...paging(['created_at']),
    token_id: IdInput('token'),
    peer: TypedPeer(),
    /** Only messages older than this one, which need not exist. */
    before: z.optional(IdInput('message')),
    /** Only this message and newer ones: with `sort_type` `asc` those that follow it. */
    from: z.optional(IdInput('message')),
  }),
  output: ConversationMessage,
});

/** Marks a conversation as read; everyone who may read messages may call it. */
export const readConversation = act({
  name: 'conversation_read',
  by: 'customer',
  changes: true,
  outlivesSession: false,
  input: () => ({ token_id: IdInput('token'), peer: TypedPeer() }),
  output: () => z.object({ unread_total: z.int() }),
});

export const unreadConversations = act({
  name: 'conversation_unread',
  by: 'customer',
  output: () => z.object({ total: z.int() }),
});

/** Pins a conversation above all others, or unpins it, for all users of the account. */
export const pinConversation = act({
  name: 'conversation_pin',
  by: 'customer',
  changes: true,
  input: () => ({
    token_id: IdInput('token'),
    peer: TypedPeer(),
    pinned: z.enum(['1', '0']),
  }),
  output: () => z.object({}),
  refuses: ['not_found', 'pins_full'],
});

const ContactName = schema(() => TypedName({ max: CONTACT_NAME_MAX }));

/** Names a number in all conversations of the account, for all its users. */
export const nameContact = act({
  name: 'contact_name',
  by: 'customer',
  changes: true,
  input: () => ({ peer: TypedPeer(), name: ContactName() }),
  output: () => z.object({ peer: Peer(), name: z.nullable(z.string()) }),
  refuses: ['not_found'],
});
