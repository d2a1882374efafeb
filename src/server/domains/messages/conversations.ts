import { likeText } from '#server/infra/postgres/sql.ts';
import { type InputOf, PAGE_SIZE, type PageOf } from '#contract/base/act.ts';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import type {
  ConversationMessage,
  Direction,
  MessageStatus,
  MessageType,
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
import type { Identified } from '#server/domains/channels/channels.ts';
import { appendEvent, renameQueuedPeer } from '#server/domains/events/events.ts';
import { requireToken } from '#server/domains/tokens/tokens.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { type Fragment, type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { contactName, joinContacts, shownName } from './contacts.ts';
import { findExistingFiles } from '#server/domains/media/media.ts';
import { type Body, type FileLink, excerptOf, filesIn } from '#server/domains/messages/content.ts';
import { idsWhere, readAsAccount } from '#server/domains/messages/history/pages.ts';
import {
  conversationMessage,
  readMessages,
  type Reaction,
} from '#server/domains/messages/history/rows.ts';
import { beginsWith, peersNamed, readingsOf } from '#server/domains/messages/history/search.ts';

/**
 * The acts of conversations: the list, one of them, its messages, marking it read, and the unread count.
 */
export const conversationActs = ({
  sql,
  fileLink,
}: {
  sql: Sql;
  fileLink: FileLink;
}): readonly ActHandler[] => [
  handle(listConversations, ({ caller }, input) => conversationList(sql, caller.accountId, input)),
  handle(getConversation, ({ caller: { accountId } }, key) =>
    asAccount(sql, accountId, async (tx) => {
      await requireToken(tx, accountId, key.token_id, { alsoDeleted: true });
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

/**
 * Records the number of a peer whose number was hidden: one conversation then holds all messages of both.
 * Locks the account's statuses, the queue's rows and messages (`rename_peer`), then events that are not published yet,
 * and the conversations in peer order.
 *
 * @param sql of all accounts.
 */
export async function joinHidden(
  sql: Sql,
  { accountId, tokenId, hidden, peer }: Identified,
): Promise<void> {
  await asAccount(sql, accountId, async (tx) => {
    const [renamed] = await tx<{ hasMessages: boolean }[]>`
      select rename_peer(${accountId}, ${tokenId}, ${hidden}, ${peer}) as "hasMessages"`;
    if (!renamed?.hasMessages) return;
    await renameQueuedPeer(tx, accountId, { from: hidden, to: peer });
    await joinConversations(tx, { accountId, tokenId, hidden, peer });
    for (const one of [hidden, peer]) {
      await appendEvent(tx, { accountId, kind: 'conversation.changed', data: { peer: one } });
    }
  });
}

/**
 * Joins two conversations with their pin, opt-out and contact; if both have a pin or an opt-out, the number's stays.
 */
async function joinConversations(
  tx: Tx,
  { accountId, tokenId, hidden, peer }: Identified,
): Promise<void> {
  const mine = tx`account_id = ${accountId} and token_id = ${tokenId}`;
  await tx`
    select from conversations where ${mine} and peer in (${hidden}, ${peer})
    order by peer for no key update`;
  await tx`
    insert into conversations as c (
      account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread, last_in_at
    )
    select account_id, token_id, ${peer}, peer_name, seq, last_message_id, last_at, unread, last_in_at
    from conversations where ${mine} and peer = ${hidden}
    on conflict (account_id, token_id, peer) do update
      set seq = c.seq + excluded.seq,
        peer_name = coalesce(c.peer_name, excluded.peer_name),
        unread = c.unread + excluded.unread,
        last_message_id = greatest(c.last_message_id::text, excluded.last_message_id::text)::uuid,
        last_at = greatest(c.last_at, excluded.last_at),
        last_in_at = greatest(c.last_in_at, excluded.last_in_at)`;
  await tx`
    insert into pinned_conversations (account_id, token_id, peer, pinned_at)
    select account_id, token_id, ${peer}, pinned_at from pinned_conversations
    where ${mine} and peer = ${hidden}
    on conflict (account_id, token_id, peer) do nothing`;
  await tx`delete from pinned_conversations where ${mine} and peer = ${hidden}`;
  await tx`delete from conversations where ${mine} and peer = ${hidden}`;
  await tx`
    update optouts set peer = ${peer} where ${mine} and peer = ${hidden} and not exists (
      select from optouts where ${mine} and peer = ${peer}
    )`;
  await tx`delete from optouts where ${mine} and peer = ${hidden}`;
  await joinContacts(tx, { accountId, hidden, peer });
}

type Stored = {
  token_id: string;
  token_name: string;
  token_status: TokenStatus;
  channel: ChannelName;
  peer: string;
  peer_name: string | null;
  contact_name: string | null;
  pinned: boolean;
  unread: number;
  last_at: Date;
  last_in_at: Date | null;
  direction: Direction;
  type: MessageType;
  body: Body;
  status: MessageStatus;
};

/**
 * Conversations from `start` on: unread ones first, then the newest; or by time alone.
 * `total` is a lower bound: one more than shown means that the list continues. An infinite list needs no exact count,
 * and a shop may have 100,000 conversations.
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

/** Above this many matching phones, nearly every conversation scanned matches. */
const NAMED_MAX = 1_000;
/**
 * Later words of a name are searched in this many of the newest conversations; in the others only its prefix.
 */
const LATER_WORDS_OF = 10_000;

async function keysOf(
  tx: Tx,
  accountId: string,
  { start = 0, q, unread: onlyUnread, sort_by, sort_type }: InputOf<typeof listConversations>,
): Promise<Key[]> {
  const { matches } = await matching(tx, accountId, q);
  const keysWhere = (also: Fragment, order: Fragment, skip: number, limit: number) => tx<Key[]>`
    select token_id, peer from conversations c
    where account_id = ${accountId} ${also} ${matches}
    order by last_at ${order}, peer, token_id offset ${skip} limit ${limit}`;
  const rowsMax = PAGE_SIZE + 1;
  if (sort_by !== undefined) {
    return keysWhere(tx``, sort_type === 'asc' ? tx`asc` : tx`desc`, start, rowsMax);
  }
  if (onlyUnread) return keysWhere(tx`and unread > 0`, tx`desc`, start, rowsMax);
  const pins = await pinsOf(tx, accountId, matches);
  const shownPins = pins.slice(start, start + rowsMax);
  const skipped = Math.max(0, start - pins.length);
  const notPinned = tx`
    and (token_id, peer) not in (
      select token_id, peer from pinned_conversations where account_id = ${accountId}
    )`;
  // Two index scans: sorting by "is unread" would read all conversations for every page.
  const left = rowsMax - shownPins.length;
  const unread = await keysWhere(tx`and unread > 0 ${notPinned}`, tx`desc`, skipped, left);
  if (unread.length === left) return [...shownPins, ...unread];
  const [count] = await tx<{ unread: number }[]>`
    select count(*) as unread from conversations c
    where account_id = ${accountId} and unread > 0 ${notPinned} ${matches}`;
  const skip = Math.max(0, skipped - (count?.unread ?? 0));
  return [
    ...shownPins,
    ...unread,
    ...(await keysWhere(tx`and unread = 0 ${notPinned}`, tx`desc`, skip, left - unread.length)),
  ];
}

const pinsOf = (tx: Tx, accountId: string, matches: Fragment): Promise<Key[]> => tx<Key[]>`
  select c.token_id, c.peer
  from pinned_conversations p
  join conversations c using (account_id, token_id, peer)
  where p.account_id = ${accountId} ${matches}
  order by c.last_at desc, c.peer, c.token_id`;

/**
 * An `and` for the prefix of a number, or of a word of a name, for conversations `c`. Wrapped: awaiting a bare query
 * would send it.
 */
async function matching(
  tx: Tx,
  accountId: string,
  q: string | undefined,
): Promise<{ matches: Fragment }> {
  if (!q) return { matches: tx`` };
  const readings = readingsOf(q);
  if (readings.length > 0) return { matches: tx`and (${beginsWith(tx, tx`c.peer`, readings)})` };
  const peers = await peersNamed(tx, accountId, q, NAMED_MAX);
  const beginning = `${likeText(q.toLowerCase())}%`;
  const own = contactName(tx, accountId, tx`c.peer`);
  if (peers.length < NAMED_MAX) {
    // Names often begin with "Bu" or "Pak", and users search for the word after it.
    const newest = await tx<{ peer: string }[]>`
      select distinct c.peer from (
        select peer, peer_name from conversations where account_id = ${accountId}
        order by last_at desc limit ${LATER_WORDS_OF}
      ) c
      where lower(c.peer_name) like ${`% ${beginning}`} or lower(${own}) like ${`% ${beginning}`}
      limit ${NAMED_MAX}`;
    const found = [...peers, ...newest.map(({ peer }) => peer)];
    return { matches: tx`and c.peer = any (${found}::text[])` };
  }
  return {
    matches: tx`and (lower(c.peer_name) like ${beginning} or lower(${own}) like ${beginning})`,
  };
}

const readConversations = (tx: Tx, accountId: string, keys: readonly Key[]): Promise<Stored[]> =>
  tx<Stored[]>`
    select c.token_id, t.name as token_name, t.status as token_status, t.channel, c.peer,
      ${shownName(tx, accountId, tx`c.peer`)} as peer_name, ${contactName(tx, accountId, tx`c.peer`)} as contact_name,
      p.pinned_at is not null as pinned, c.unread, c.last_at, c.last_in_at, m.direction, m.type, m.body, m.status
    from unnest(
      ${keys.map((key) => key.token_id)}::uuid[], ${keys.map((key) => key.peer)}::text[]
    ) with ordinality as k(token_id, peer, place)
    join conversations c
      on c.account_id = ${accountId} and c.token_id = k.token_id and c.peer = k.peer
    join tokens t on t.account_id = ${accountId} and t.token_id = c.token_id
    left join pinned_conversations p
      on p.account_id = ${accountId} and p.token_id = c.token_id and p.peer = c.peer
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
  contact_name: stored.contact_name,
  pinned: stored.pinned,
  type: stored.type,
  preview: excerptOf(stored.type, stored.body),
  direction: stored.direction,
  status: stored.status,
  unread: stored.unread,
  last_at: stored.last_at,
  last_in_at: stored.last_in_at,
});

/**
 * The messages of one token with one phone from `start` on, newest first by default; or those before or from a message.
 * `total` is a lower bound, as in `conversationList`.
 */
export function messagesWith(
  sql: Sql,
  accountId: string,
  { token_id: tokenId, peer, start = 0, ...input }: InputOf<typeof conversationMessages>,
  fileLink: FileLink,
): Promise<PageOf<ConversationMessage>> {
  const { before, from } = input;
  const order = input.sort_type === 'asc' ? 'oldest' : 'newest';
  const query = {
    accountId,
    filter: { tokenId },
    order,
    offset: start,
    limit: PAGE_SIZE + 1,
  } as const;
  return readAsAccount(sql, accountId, async (tx) => {
    await requireToken(tx, accountId, tokenId, { alsoDeleted: true });
    const also = tx`
      and m.peer = ${peer} and m.type <> 'reaction'
      ${before === undefined ? tx`` : tx`and m.message_id < ${before}`}
      ${from === undefined ? tx`` : tx`and m.message_id >= ${from}`}`;
    const ids = idsWhere(tx, query, also);
    const found = await readMessages(tx, { accountId, ids, order });
    const shown = found.slice(0, PAGE_SIZE);
    const shownIds = shown.map(({ message_id }) => message_id);
    const reactions = await reactionsTo(tx, { accountId, tokenId, peer }, shownIds);
    const existingFiles = await findExistingFiles(tx, accountId, filesIn(shown));
    return {
      rows: shown.map((stored) =>
        conversationMessage(stored, {
          accountId,
          fileLink,
          existingFiles,
          reactions: reactions.get(stored.message_id),
        }),
      ),
      total: start + found.length,
    };
  });
}

/** Marks a conversation as read; publishes an event when it had unread messages. */
export function markRead(
  sql: Sql,
  accountId: string,
  { token_id: tokenId, peer }: InputOf<typeof readConversation>,
): Promise<{ unread_total: number }> {
  return asAccount(sql, accountId, async (tx) => {
    await requireToken(tx, accountId, tokenId, { alsoDeleted: true });
    const facts = { token_id: publicId('token', tokenId), peer };
    const read = await tx`
      update conversations set unread = 0
      where account_id = ${accountId} and token_id = ${tokenId} and peer = ${peer} and unread > 0`;
    if (read.count > 0)
      await appendEvent(tx, { accountId, kind: 'conversation.read', data: facts });
    return { unread_total: await unreadOf(tx, accountId) };
  });
}

export async function unreadOf(tx: Tx, accountId: string): Promise<number> {
  const [sum] = await tx<{ unread: number }[]>`
    select coalesce(sum(unread), 0)::bigint as unread from conversations
    where account_id = ${accountId} and unread > 0`;
  return sum?.unread ?? 0;
}

/**
 * The reactions to messages of a conversation, by their ids: of each side the newest that did not fail. An empty one
 * removes the previous.
 */
async function reactionsTo(
  tx: Tx,
  { accountId, tokenId, peer }: { accountId: string; tokenId: string; peer: string },
  messageIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Reaction[]>> {
  const named = messageIds.map((id) => publicId('message', id));
  const found = await tx<{ about: string; direction: Direction; emoji: string }[]>`
    select distinct on (about, direction) about, direction, emoji
    from (
      select m.body->>'message_id' as about, m.direction, m.body->>'emoji' as emoji, m.message_id
      from messages m
      where m.account_id = ${accountId} and m.type = 'reaction'
        and m.body->>'message_id' = any (${named}::text[])
        and m.token_id = ${tokenId} and m.peer = ${peer}
        and m.status not in ('failed', 'cancelled', 'expired', 'scheduled')
    ) r
    order by about, direction, message_id desc`;
  const reactions = new Map<string, Reaction[]>();
  for (const { about, direction, emoji } of found) {
    const id = uuidOf('message', about);
    if (id === undefined || !emoji) continue;
    const both = reactions.get(id) ?? [];
    reactions.set(id, [...both, { direction, emoji }]);
  }
  return reactions;
}
