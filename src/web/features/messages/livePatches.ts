import { rises, statusRank, type MessageStatus } from '#contract/messages.ts';
import {
  messageKey,
  quickRepliesKey,
  threadKey,
  unreadKey,
  viewsKey,
} from '#web/features/messages/queryKeys.ts';
import {
  isRecord,
  keyIsAbout,
  keyStarts,
  replaceIn,
  type CacheChanges,
  type LivePatches,
} from '#web/live/patches.ts';

type Change = { id: string; status: MessageStatus };

/**
 * Raises a message's status everywhere in cached data. A message that arrived after all has not failed.
 */
export const withStatus = <T>(data: T, { id, status }: Change): T =>
  replaceIn(data, (bag) => {
    if (bag['id'] !== id || typeof bag['status'] !== 'string') return undefined;
    if (!rises(bag['status'] as MessageStatus, status)) return bag;
    const isFailed = typeof bag['failure'] === 'string' && statusRank[status] <= statusRank.failed;
    return { ...bag, status, ...('failure' in bag && !isFailed && { failure: null }) };
  }) as T;

type Conversation = { token_id: string; peer: string };

export const withRead = <T>(data: T, { token_id, peer }: Conversation): T =>
  replaceIn(data, (bag) => {
    if (bag['peer'] !== peer || typeof bag['unread'] !== 'number') return undefined;
    const token = bag['token'];
    if (!isRecord(token) || token['id'] !== token_id) return undefined;
    return bag['unread'] === 0 ? bag : { ...bag, unread: 0 };
  }) as T;

const messages = keyIsAbout('messages', 'message_');
const optoutLists = keyIsAbout('optouts', 'optout_');
const conversations = keyIsAbout('conversations', 'conversation_');

function refetchLists({ refetch }: CacheChanges): void {
  refetch(messages);
  refetch(conversations);
}

const refetchOptouts = (_event: unknown, cache: CacheChanges) => cache.refetch(optoutLists);

function refetchMessage(
  { id, token_id, peer }: Conversation & { id: string },
  cache: CacheChanges,
) {
  cache.refetch(messageKey(id));
  cache.refetch(threadKey(token_id, peer));
  refetchLists(cache);
}

export const messagePatches: LivePatches = {
  follows: (key) =>
    messages(key) ||
    conversations(key) ||
    key[0] === 'thread' ||
    key[0] === 'one_message' ||
    key[0] === 'views' ||
    optoutLists(key) ||
    key[0] === quickRepliesKey[0],
  inBackground: keyStarts(unreadKey),
  on: {
    'message.changed': (event, cache) => {
      cache.update((data) => withStatus(data, event));
      cache.refetch(messageKey(event.id));
      // The event lacks the reason of the failure.
      if (event.status === 'failed') cache.refetch(threadKey(event.token_id, event.peer));
      refetchLists(cache);
    },
    'message.rescheduled': refetchMessage,
    'message.accepted': ({ token_id, peer }, cache) => {
      cache.refetch(threadKey(token_id, peer));
      refetchLists(cache);
    },
    'message.received': ({ token_id, peer }, cache) => {
      cache.refetch(threadKey(token_id, peer));
      // It may have been STOP, or START.
      cache.refetch(optoutLists);
      refetchLists(cache);
    },
    'message.edited': refetchMessage,
    'message.revoked': refetchMessage,
    'optout.added': refetchOptouts,
    'optout.removed': refetchOptouts,
    'quick_reply.changed': (_event, cache) => cache.refetch(quickRepliesKey),
    'conversation.read': (event, cache) => {
      cache.update((data) => withRead(data, event), conversations);
      cache.refetch(conversations);
    },
    'conversation.changed': (_event, cache) => {
      refetchLists(cache);
      // Open message details show the number's name.
      cache.refetch(keyStarts(messageKey('').slice(0, 1)));
    },
    'view.changed': (_event, cache) => cache.refetch(viewsKey),
    'token.changed': (_event, cache) => cache.refetch(conversations),
  },
};
