import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ConversationMessage } from '#contract/messages.ts';
import { civilDate, formatDate } from '#contract/base/time.ts';
import type { Flat } from '#web/api/lists/flatList.ts';
import { useUser } from '#web/api/user.ts';
import {
  reactsTo,
  type Outgoing,
} from '#web/features/messages/conversations/thread/sending/outgoing.ts';
import {
  conversationQuery,
  unreadIn,
  withReaction,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import {
  MessageLine,
  type ThreadBody,
} from '#web/features/messages/conversations/thread/MessageLine.tsx';
import { firstUnread } from '#web/features/messages/conversations/thread/firstUnread.ts';
import type { Place } from '#web/features/messages/conversations/thread/place/place.ts';
import type { ShownThread } from '#web/features/messages/conversations/thread/place/useThread.ts';
import { ThreadList } from '#web/ui/chat/thread/ThreadList.tsx';
import { threadItems, type ThreadLine } from '#web/ui/chat/thread/threadItems.ts';
import { toast } from '#web/ui/toast/toasts.ts';

type Props = {
  which: Which;
  name: string;
  shown: ShownThread;
  newest: Flat<ConversationMessage>;
  outgoing: readonly Outgoing[];
  onReply?: ((message: ConversationMessage) => void) | undefined;
  onGoTo: (messageId: string) => void;
  focused: boolean;
  onEnd: (atEnd: boolean) => void;
};

export function ThreadMessages(props: Props) {
  const { which, name, shown, newest, outgoing, onReply, onGoTo, focused, onEnd } = props;
  const { list, newer, place, readOlder } = shown;
  const zone = useUser().timezone;
  const unreadFrom = useUnreadFrom(which, newest);
  const [start] = useState(() => place && startOf(list.rows, place));
  const { data: conversation } = useQuery({ ...conversationQuery(which), enabled: false });
  useMissing(place, list.rows, start?.key, zone);
  // Below an older part, outgoing messages would be out of place.
  const sent = newer ? none : outgoing;
  const items = useMemo(
    () =>
      threadItems({
        lines: linesOf(list.rows, sent),
        ended: list.ended,
        unreadFrom,
        zone,
        now: new Date(),
      }),
    [list.rows, list.ended, sent, unreadFrom, zone],
  );
  const render = useCallback(
    (body: ThreadBody, first: boolean) => (
      <MessageLine
        body={body}
        first={first}
        name={name}
        zone={zone}
        onReply={onReply}
        onGoTo={onGoTo}
      />
    ),
    [name, zone, onReply, onGoTo],
  );
  return (
    <ThreadList
      items={items}
      sending={outgoing.filter((one) => reactsTo(one) === undefined).length}
      ended={list.ended}
      readOlder={readOlder}
      newer={newer}
      start={start}
      focused={focused}
      unread={conversation?.unread ?? 0}
      render={render}
      onEnd={onEnd}
    />
  );
}

const none: readonly Outgoing[] = [];

/** The message that a thread opens at: the first from a place on, else the last before it. */
function startOf(newestFirst: readonly ConversationMessage[], { from, day }: Place) {
  const row = newestFirst.findLast(({ id }) => id >= from) ?? newestFirst[0];
  return row && ({ key: row.id, at: day === undefined ? 'line' : 'day' } as const);
}

function useMissing(
  place: Place | undefined,
  rows: readonly ConversationMessage[],
  start: string | undefined,
  zone: string,
): void {
  const shown = rows.find(({ id }) => id === start);
  const at = shown && civilDate(shown.created_at, zone);
  const [sentence] = useState(() => {
    if (!place || at === undefined || start === undefined) return undefined;
    if (place.day === undefined) {
      return start === place.from ? undefined : 'Pesan itu tidak ada dalam percakapan ini.';
    }
    if (at === place.day) return undefined;
    const day = formatDate(`${place.day}T00:00:00Z`, 'UTC');
    return at > place.day
      ? `Tidak ada pesan pada ${day}. Yang ditampilkan mulai ${formatDate(shown?.created_at ?? '', zone)}.`
      : `Tidak ada pesan sejak ${day}.`;
  });
  useEffect(() => {
    if (sentence !== undefined) toast(sentence);
  }, [sentence]);
}

const lines = new WeakMap<ConversationMessage, ThreadLine<ThreadBody>>();

/** Maps a message to a line, with a stable identity so that it renders once. */
function lineOf(message: ConversationMessage): ThreadLine<ThreadBody> {
  let line = lines.get(message);
  if (!line) {
    const { id: key, direction: side, created_at: at } = message;
    line = { key, side, at, body: { message } };
    lines.set(message, line);
  }
  return line;
}

function linesOf(
  newestFirst: readonly ConversationMessage[],
  outgoing: readonly Outgoing[],
): readonly ThreadLine<ThreadBody>[] {
  const reacting = new Map(outgoing.map((one) => [reactsTo(one), one]));
  return [
    ...newestFirst.toReversed().map((message) => {
      const line = lineOf(message);
      const one = reacting.get(message.id);
      return one ? { ...line, body: reactedTo(message, one) } : line;
    }),
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

/** A message with an outgoing reaction; a failed one is reported below it. */
const reactedTo = (message: ConversationMessage, reacting: Outgoing): ThreadBody =>
  reacting.content?.type === 'reaction' && reacting.why === undefined
    ? { message: withReaction(message, reacting.content.emoji) }
    : { message, reacting };

/** The first message that was unread when the thread was opened, until it is answered. */
function useUnreadFrom(which: Which, thread: Flat<ConversationMessage>): string | undefined {
  const client = useQueryClient();
  const [first] = useState(() => {
    // The oldest row is hidden while older ones can be loaded.
    const rows = thread.ended ? thread.rows : thread.rows.slice(0, -1);
    return firstUnread(rows, unreadIn(client, which));
  });
  const since = thread.rows.slice(
    0,
    thread.rows.findIndex(({ id }) => id === first),
  );
  return since.some(({ direction }) => direction === 'out') ? undefined : first;
}
