import { queryOptions } from '@tanstack/react-query';
import { getMessage } from '#contract/messages.ts';
import { unreadConversations } from '#contract/messages/conversations.ts';
import type { Token } from '#contract/tokens.ts';
import { perform } from '#web/api/act.ts';
import { messageKey, unreadKey } from '#web/features/messages/queryKeys.ts';

/** The poll interval of a waiting message: no event reports the reason. */
const WAITING_MS = 3_000;

export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: messageKey(id),
    queryFn: ({ signal }) => perform(getMessage, { message_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'queued' || data?.status === 'sending' ? WAITING_MS : false,
  });

export const unreadQuery = queryOptions({
  queryKey: unreadKey,
  queryFn: ({ signal }) => perform(unreadConversations, {}, { signal }),
});

/** True when messages can be sent from it, even while its phone is offline: they wait for it. */
export const canSend = ({ status }: Pick<Token, 'status'>): boolean =>
  status === 'linked' || status === 'disconnected';
