import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ConversationMessage } from '#contract/messages.ts';
import { lookOnReturn } from '#web/browser/tab/lookedAt.ts';
import { markSeen, type Which } from '#web/features/messages/conversations/queries.ts';
import { isSeen, shownConversation } from '#web/features/messages/conversations/thread/seen.ts';

/**
 * Reports to the server that a conversation was seen: when its newest message is in view and the tab is looked at, or
 * when the person comes back to it.
 *
 * @param inView the newest message is.
 */
export function useSeen(
  which: Which,
  messages: readonly ConversationMessage[] | undefined,
  inView: boolean,
): void {
  const client = useQueryClient();
  const reported = useRef<string>(undefined);
  const { tokenId, peer } = which;
  const newest = messages && (messages.find(({ direction }) => direction === 'in')?.id ?? '');

  useEffect(() => {
    shownConversation.set({ token_id: tokenId, peer });
    return () => shownConversation.set(undefined);
  }, [tokenId, peer]);

  useEffect(() => {
    if (!inView) return undefined;
    const look = () => {
      if (newest === undefined || reported.current === newest) return;
      if (!isSeen({ token_id: tokenId, peer })) return;
      reported.current = newest;
      markSeen(client, { tokenId, peer }).catch(() => {
        // Unread is better than wrongly read: the next look reports it again.
        reported.current = undefined;
      });
    };
    return lookOnReturn(look);
  }, [client, inView, newest, peer, tokenId]);
}
