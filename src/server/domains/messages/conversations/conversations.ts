import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import {
  type ConversationMessage,
  type Direction,
  type MessageStatus,
  type MessageType,
} from '#contract/messages.ts';
import {
  type Conversation,
  conversationMessages,
  getConversation,
  listConversations,
  readConversation,
  unreadConversations,
} from '#contract/messages/conversations.ts';
import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { keptFiles } from '#server/domains/media/media.ts';
import { type Body, type FileLink, excerptOf, filesIn } from '#server/domains/messages/content.ts';
import { idsWhere, readAsAccount } from '#server/domains/messages/history/pages.ts';
import { reactionsTo } from './reactions.ts';
import { conversationMessage, readMessages } from '#server/domains/messages/history/rows.ts';
import { digitsOf, likeBeginning } from '#server/domains/messages/history/search.ts';

/** What the acts of conversations need. */
export type ConversationDeps = { sql: Sql; fileLink: FileLink };

/** The acts of conversations: the list, one of them, its messages, marking it read, and the unread count. */
export const conversationActs = ({ sql, fileLink }: ConversationDeps): readonly ActHandler[] => [
  handle(listConversations, ({ caller }, input) => conversationList(sql, caller.accountId, input)),
  handle(getConversation, ({ caller: { accountId } }, key) =>
    asAccount(sql, accountId, async (tx) => {
      const [stored] = await readConversations(tx, accountId, [key]);
      return stored ? conversationOf(stored) : null;
    }),
  ),
  handle(conversationMessages, ({ caller }, input) =>
    messagesWith(sql, caller.accountId, input, fileLink),
  ),
  handle(readConversation, ({ caller }, input) => markRead(sql, caller.accountId, input)),
  handle(unreadConversations, ({ caller: { accountId } }) =>
    asAccount(sql, accountId, async (tx) => ({ total: await unreadOf(tx, accountId) })),
  ),
];

type Stored = {
  token_id: string;
  token_name: string;
  token_status: TokenStatus;
  channel: ChannelName;
  peer: string;
  peer_name: string | null;
  unread: number;
  last_at: Date;
  last_in_at: Date | null;
  direction: Direction;
  type: MessageType;
  body: Body;
  status: MessageStatus;
};

/**
 * Conversations from `start` on: unread ones first, then the newest; by time alone when sorted so.
 *
 * `total` is at least how many there are: one more than shown says that the list goes on. A list that
 * grows by scrolling needs no count, and a shop may have 100,000 of them.
 */
export function conversationList(
  sql: Sql,
  accountId: string,
  input: InputOf<typeof listConversations>,
): Promise<PageOf<Conversation>> {
  const start = input.start ?? 0;
  return readAsAccount(sql, accountId, async (tx) => {
    const found = await readConversations(tx, accountId, await keysOf(tx, accountId, input));
    return { rows: found.slice(0, PAGE_SIZE).map(conversationOf), total: start + found.length };
  });
}

type Key = { token_id: string; peer: string };

/** Which conversations a page shows, in order, and one more. */
async function keysOf(
  tx: Tx,
  accountId: string,
  { start = 0, q, sort_by, sort_type }: InputOf<typeof listConversations>,
): Promise<Key[]> {
  const matches = q ? matchesName(tx, q) : tx``;
  const keysWhere = (also: Fragment, order: Fragment, skip: number, limit: number) => tx<Key[]>`
    select token_id, peer from conversations
    where account_id = ${accountId} ${also} ${matches}
    order by last_at ${order}, peer, token_id offset ${skip} limit ${limit}`;
  const rowsMax = PAGE_SIZE + 1;
  if (sort_by !== undefined) {
    return keysWhere(tx``, sort_type === 'asc' ? tx`asc` : tx`desc`, start, rowsMax);
  }
  // Two index scans: sorting all by "is unread" would read all of them for every page.
  const unread = await keysWhere(tx`and unread > 0`, tx`desc`, start, rowsMax);
  if (unread.length === rowsMax) return unread;
  const [count] = await tx<{ unread: number }[]>`
    select count(*) as unread from conversations
    where account_id = ${accountId} and unread > 0 ${matches}`;
  const skip = Math.max(0, start - (count?.unread ?? 0));
  return [
    ...unread,
    ...(await keysWhere(tx`and unread = 0`, tx`desc`, skip, rowsMax - unread.length)),
  ];
}

/** An `and` for the prefix of a number, or of a name. */
function matchesName(tx: Tx, q: string): Fragment {
  const digits = digitsOf(q);
  return digits === undefined
    ? tx`and lower(peer_name) like ${likeBeginning(q.toLowerCase())}`
    : tx`and peer ~>=~ ${digits} and peer ~<~ ${`${digits}:`}`;
}

const readConversations = (tx: Tx, accountId: string, keys: readonly Key[]): Promise<Stored[]> =>
  tx<Stored[]>`
    select c.token_id, t.name as token_name, t.status as token_status, t.channel, c.peer,
      c.peer_name, c.unread, c.last_at, c.last_in_at, m.direction, m.type, m.body, m.status
    from unnest(
      ${keys.map((key) => key.token_id)}::uuid[], ${keys.map((key) => key.peer)}::text[]
    ) with ordinality as k(token_id, peer, place)
    join conversations c
      on c.account_id = ${accountId} and c.token_id = k.token_id and c.peer = k.peer
    join tokens t on t.account_id = ${accountId} and t.token_id = c.token_id
    cross join lateral (
      select * from messages x
      where x.account_id = ${accountId} and x.message_id = c.last_message_id limit 1
    ) m
    order by k.place`;

const conversationOf = (stored: Stored): Conversation => ({
  token: {
    id: publicId('token', stored.token_id),
    name: stored.token_name,
    status: stored.token_status,
    channel: stored.channel,
  },
  peer: stored.peer,
  peer_name: stored.peer_name,
  preview: excerptOf(stored.type, stored.body),
  direction: stored.direction,
  status: stored.status,
  unread: stored.unread,
  last_at: stored.last_at,
  last_in_at: stored.last_in_at,
});

/**
 * The messages of one token with one phone from `start` on, newest first unless sorted otherwise.
 * `total` is at least how many there are, as in `conversationList`.
 */
export function messagesWith(
  sql: Sql,
  accountId: string,
  { token_id: tokenId, peer, start = 0, sort_type }: InputOf<typeof conversationMessages>,
  fileLink: FileLink,
): Promise<PageOf<ConversationMessage>> {
  const order = sort_type === 'asc' ? 'oldest' : 'newest';
  const query = {
    accountId,
    filter: { tokenId },
    order,
    offset: start,
    limit: PAGE_SIZE + 1,
  } as const;
  return readAsAccount(sql, accountId, async (tx) => {
    // A reaction stands at the message that it is about.
    const ids = idsWhere(tx, query, tx`and m.peer = ${peer} and m.type <> 'reaction'`);
    const found = await readMessages(tx, { accountId, ids, order });
    const shown = found.slice(0, PAGE_SIZE);
    const shownIds = shown.map(({ message_id }) => message_id);
    const reactions = await reactionsTo(tx, { accountId, tokenId, peer }, shownIds);
    const kept = await keptFiles(tx, accountId, filesIn(shown));
    return {
      rows: shown.map((stored) =>
        conversationMessage(stored, {
          accountId,
          fileLink,
          kept,
          reactions: reactions.get(stored.message_id),
        }),
      ),
      total: start + found.length,
    };
  });
}

/** Marks a conversation as read; publishes an event when something was unread. */
export function markRead(
  sql: Sql,
  accountId: string,
  { token_id: tokenId, peer }: InputOf<typeof readConversation>,
): Promise<{ unread_total: number }> {
  return asAccount(sql, accountId, async (tx) => {
    const facts = { token_id: publicId('token', tokenId), peer };
    const read = await tx`
      update conversations set unread = 0
      where account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer} and unread > 0`;
    if (read.count > 0)
      await appendEvent(tx, { accountId, kind: 'conversation.read', data: facts });
    return { unread_total: await unreadOf(tx, accountId) };
  });
}

/** Unread messages of an account, in all conversations. */
export async function unreadOf(tx: Tx, accountId: string): Promise<number> {
  const [sum] = await tx<{ unread: number }[]>`
    select coalesce(sum(unread), 0)::bigint as unread from conversations
    where account_id = ${accountId} and unread > 0`;
  return sum?.unread ?? 0;
}
