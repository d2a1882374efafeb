import { writtenPeer } from '#contract/messages/peer.ts';
import {
  queryOptions,
  replaceEqualDeep,
  type QueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { rises, type ConversationMessage } from '#contract/messages.ts';
import {
  conversationMessages,
  getConversation,
  listConversations,
  readConversation,
  type Conversation,
} from '#contract/messages/conversations.ts';
import { perform } from '#web/api/act.ts';
import { threadKey, unreadKey } from '#web/features/messages/queryKeys.ts';
import { withRead } from '#web/features/messages/livePatches.ts';
import {
  merged,
  readNewest,
  readOlder,
  type Flat,
  type FlatPage,
  type Source,
} from '#web/api/lists/flatList.ts';

export type Which = { tokenId: string; peer: string };

export const sameConversation = ({ token, peer }: Conversation, which: Which): boolean =>
  token.id === which.tokenId && peer === which.peer;

/** Pinned first, then unread, then newest; `held` keeps the place it had while unread. */
export const conversationOrder =
  (held?: Which) =>
  (a: Conversation, b: Conversation): number => {
    const unread = (one: Conversation) =>
      one.unread > 0 || (held && sameConversation(one, held)) ? 1 : 0;
    return (
      Number(b.pinned) - Number(a.pinned) ||
      unread(b) - unread(a) ||
      b.last_at.getTime() - a.last_at.getTime()
    );
  };

/** `q` is the beginning of a number or name; `unread` keeps only conversations with unread messages. */
export type ListFilter = { q: string; unread?: '1' | undefined };

const conversations = ({ q, unread }: ListFilter, signal?: AbortSignal): Source<Conversation> => ({
  page: (start) => perform(listConversations, { start, q: q || undefined, unread }, { signal }),
  keyOf: ({ token, peer }) => `${token.id} ${peer}`,
  order: conversationOrder(),
});

const conversationsKey = ({ q, unread }: ListFilter) =>
  ['conversations', 'list', q, ...(unread ? ['unread'] : [])] as const;

/** The conversations that match; all of them by an empty filter. */
export const conversationsQuery = (filter: ListFilter) => {
  const queryKey = conversationsKey(filter);
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) =>
      readNewest(conversations(filter, signal), known<Conversation>(client, queryKey)),
  });
};

/** One conversation, even if no list contains it; null while there is none. */
export const conversationQuery = ({ tokenId, peer }: Which) =>
  queryOptions({
    queryKey: ['conversations', 'one', tokenId, peer],
    queryFn: ({ signal }) =>
      perform(getConversation, { token_id: tokenId, peer: writtenPeer(peer) }, { signal }),
  });

/** The number of unread messages of a conversation, from the lists in the cache. */
export function unreadIn(client: QueryClient, which: Which): number {
  const lists = client.getQueriesData<Flat<Conversation>>({
    queryKey: conversationsKey({ q: '' }).slice(0, 2),
  });
  const row = lists
    .flatMap(([, list]) => list?.rows ?? [])
    .find((one) => sameConversation(one, which));
  return row?.unread ?? 0;
}

/** A part of a thread: before a message, or from one on, the nearest first. */
export type Bounds = { before: string } | { from: string };

/** Ten messages of a thread from an offset on, and those of a part of it. */
export const threadPage = (
  { tokenId, peer }: Which,
  { start = 0, bounds, signal }: { start?: number; bounds?: Bounds; signal?: AbortSignal },
): Promise<FlatPage<ConversationMessage>> =>
  perform(
    conversationMessages,
    {
      start,
      token_id: tokenId,
      peer: writtenPeer(peer),
      ...bounds,
      ...(bounds && 'from' in bounds && { sort_type: 'asc' }),
    },
    { signal },
  );

/** Merges messages of a thread: newest first, each with its furthest known status. */
export const threadOrder = {
  keyOf: ({ id }: ConversationMessage) => id,
  // Ids increase with time.
  order: (a: ConversationMessage, b: ConversationMessage) =>
    a.id < b.id ? 1 : a.id > b.id ? -1 : 0,
  // An unchanged message keeps its object identity, so that it is not rendered again.
  newer: (before: ConversationMessage, fresh: ConversationMessage) =>
    replaceEqualDeep(
      before,
      rises(fresh.status, before.status) ? { ...fresh, status: before.status } : fresh,
    ),
};

const thread = (which: Which, signal?: AbortSignal): Source<ConversationMessage> => ({
  page: (start) => threadPage(which, { start, ...(signal && { signal }) }),
  behind: ({ id }) => threadPage(which, { bounds: { before: id } }),
  ...threadOrder,
});

export const threadQuery = (which: Which) => {
  const queryKey = threadKey(which.tokenId, which.peer);
  return queryOptions({
    queryKey,
    queryFn: ({ client, signal }) =>
      readNewest(thread(which, signal), known<ConversationMessage>(client, queryKey)),
    // Rows are compared as they arrive; comparing a whole long list with each page would take too long.
    structuralSharing: false,
  });
};

const known =
  <Row>(client: QueryClient, key: QueryKey) =>
  () =>
    client.getQueryData<Flat<Row>>(key);

async function more<Row>(client: QueryClient, key: QueryKey, source: Source<Row>): Promise<void> {
  const longer = await readOlder(source, known<Row>(client, key));
  if (longer) client.setQueryData(key, longer);
}

export const readOlderMessages = (client: QueryClient, which: Which): Promise<void> =>
  more(client, threadKey(which.tokenId, which.peer), thread(which));

export const readMoreConversations = (client: QueryClient, filter: ListFilter): Promise<void> =>
  more(client, conversationsKey(filter), conversations(filter));

export function addToThread(client: QueryClient, message: ConversationMessage): void {
  const queryKey = threadKey(message.token.id, message.peer);
  const add = () => {
    client.setQueryData<Flat<ConversationMessage>>(queryKey, (old) =>
      old ? { ...old, rows: merged(old.rows, [message], threadOrder) } : old,
    );
  };
  add();
  // An answer that is on its way may be older than the message.
  client
    .getQueryCache()
    .find({ queryKey, exact: true })
    ?.promise?.then(add, () => undefined);
  void client.invalidateQueries({ queryKey: ['conversations'] });
}

/** Shows one's own reaction at its message; an empty one removes it. */
export function showReaction(
  client: QueryClient,
  { tokenId, peer }: Which,
  { messageId, emoji }: { messageId: string; emoji: string },
): void {
  client.setQueryData<Flat<ConversationMessage>>(
    threadKey(tokenId, peer),
    (old) =>
      old && {
        ...old,
        rows: old.rows.map((row) => (row.id === messageId ? withReaction(row, emoji) : row)),
      },
  );
}

export const withReaction = (row: ConversationMessage, emoji: string): ConversationMessage => ({
  ...row,
  reactions: [
    ...row.reactions.filter(({ direction }) => direction !== 'out'),
    ...(emoji === '' ? [] : [{ direction: 'out' as const, emoji }]),
  ],
});

/** Reports to the server that a conversation was seen, and marks it as read here. */
export async function markSeen(client: QueryClient, { tokenId, peer }: Which): Promise<void> {
  const answer = await perform(readConversation, { token_id: tokenId, peer: writtenPeer(peer) });
  client.setQueryData(unreadKey, { total: answer.unread_total });
  client.setQueriesData({ queryKey: ['conversations', 'list'] }, (list: unknown) =>
    withRead(list, { token_id: tokenId, peer }),
  );
}
