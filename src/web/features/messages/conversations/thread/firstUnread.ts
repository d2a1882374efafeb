import type { ConversationMessage } from '#contract/messages.ts';

/**
 * The first unread message: the n-th incoming one from the newest.
 *
 * @param messages newest first
 */
export function firstUnread(
  messages: readonly Pick<ConversationMessage, 'id' | 'direction'>[],
  unread: number,
): string | undefined {
  const incoming = messages.filter(({ direction }) => direction === 'in');
  return unread > 0 ? incoming[Math.min(unread, incoming.length) - 1]?.id : undefined;
}
