import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { ConversationMessage } from '#contract/messages.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { useUser } from '#web/api/user.ts';
import {
  reactsTo,
  type Outgoing,
} from '#web/features/messages/conversations/thread/sending/outgoing.ts';
import {
  readOlderMessages,
  unreadIn,
  withReaction,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import {
  MessageLine,
  type ThreadBody,
} from '#web/features/messages/conversations/thread/MessageLine.tsx';
import { firstUnread } from '#web/features/messages/conversations/thread/firstUnread.ts';
import { ThreadList } from '#web/ui/chat/thread/ThreadList.tsx';
import { threadItems, type ThreadLine } from '#web/ui/chat/thread/threadItems.ts';

type Props = {
  which: Which;
  name: string;
  thread: Flat<ConversationMessage>;
  outgoing: readonly Outgoing[];
  /** Answers a message; left out where nothing can be sent. */
  onReply?: ((message: ConversationMessage) => void) | undefined;
};

/** The messages of a thread. */
export function ThreadMessages({ which, name, thread, outgoing, onReply }: Props) {
  const client = useQueryClient();
  const zone = useUser().timezone;
  const unreadFrom = useUnreadFrom(which, thread);
  const items = useMemo(
    () => threadItems({ lines: linesOf(thread.rows, outgoing), unreadFrom, zone, now: new Date() }),
    [thread.rows, outgoing, unreadFrom, zone],
  );
  return (
    <ThreadList
      items={items}
      oldest={thread.rows.at(-1)?.id}
      sending={outgoing.filter((one) => reactsTo(one) === undefined).length}
      ended={thread.ended}
      readOlder={() => readOlderMessages(client, which)}
      render={(body, first) => (
        <MessageLine body={body} first={first} name={name} zone={zone} onReply={onReply} />
      )}
    />
  );
}

function linesOf(
  newestFirst: readonly ConversationMessage[],
  outgoing: readonly Outgoing[],
): readonly ThreadLine<ThreadBody>[] {
  const reacting = new Map(outgoing.map((one) => [reactsTo(one), one]));
  return [
    ...newestFirst.toReversed().map((message) => ({
      key: message.id,
      side: message.direction,
      at: message.created_at,
      body: reactedTo(message, reacting.get(message.id)),
    })),
    ...outgoing
      .filter((one) => reactsTo(one) === undefined)
      .map((one) => ({
        key: one.id,
        side: 'out' as const,
        at: new Date(one.at),
        body: { outgoing: one },
      })),
  ];
}

/** A message with the reaction that is on its way; one that did not get there is said below it. */
const reactedTo = (message: ConversationMessage, reacting: Outgoing | undefined): ThreadBody =>
  reacting?.content?.type === 'reaction' && reacting.why === undefined
    ? { message: withReaction(message, reacting.content.emoji) }
    : { message, reacting };

/** The first message that was unread when the thread was opened, until it is answered. */
function useUnreadFrom(which: Which, thread: Flat<ConversationMessage>): string | undefined {
  const client = useQueryClient();
  const [first] = useState(() => firstUnread(thread.rows, unreadIn(client, which)));
  const since = thread.rows.slice(
    0,
    thread.rows.findIndex(({ id }) => id === first),
  );
  return since.some(({ direction }) => direction === 'out') ? undefined : first;
}
