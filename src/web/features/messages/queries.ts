import { queryOptions } from '@tanstack/react-query';
import { getMessage } from '#contract/messages.ts';
import { unreadConversations } from '#contract/messages/conversations.ts';
import type { Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { messageKey, unreadKey } from '#web/features/messages/queryKeys.ts';

/** What a waiting message waits for is reported by no event: it is asked for again this often. */
const WAITING_MS = 3_000;

/** One message with its timeline. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: messageKey(id),
    queryFn: ({ signal }) => perform(getMessage, { message_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || data?.status === 'sending' ? WAITING_MS : false,
  });

/** How many messages wait to be read, in all conversations. */
export const unreadQuery = queryOptions({
  queryKey: unreadKey,
  queryFn: ({ signal }) => perform(unreadConversations, {}, { signal }),
});

/** True when messages can be sent from it: also while its phone is away, they wait for it. */
export const canSend = ({ status }: Pick<Token, 'status'>): boolean =>
  status === 'linked' || status === 'disconnected';
