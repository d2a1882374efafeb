import { useQueryClient } from '@tanstack/react-query';
import { ArrowDown } from 'lucide-react';
import { useLayoutEffect, useMemo, useRef, useState, type ComponentPropsWithRef } from 'react';
import { Virtualizer, type CustomItemComponentProps, type VirtualizerHandle } from 'virtua';
import type { ConversationMessage } from '#contract/messages.ts';
import { useUser } from '#web/api/user.ts';
import type { Flat } from '#web/features/messages/conversations/flatList.ts';
import type { Outgoing } from '#web/features/messages/conversations/thread/outgoing.ts';
import {
  readOlderMessages,
  unreadIn,
  type Which,
} from '#web/features/messages/conversations/queries.ts';
import { MessageLine } from '#web/features/messages/conversations/thread/MessageLine.tsx';
import {
  firstUnread,
  threadItems,
} from '#web/features/messages/conversations/thread/threadItems.ts';
import styles from '#web/features/messages/conversations/thread/ThreadMessages.module.css';
import { useMore } from '#web/features/messages/conversations/useMore.ts';

type Props = {
  which: Which;
  name: string;
  thread: Flat<ConversationMessage>;
  outgoing: readonly Outgoing[];
};

/** Closer than this to the end, new messages are followed. */
const END_PX = 60;
/** Closer than this to the beginning, older ones are fetched. */
const OLDER_PX = 600;

const List = (props: ComponentPropsWithRef<'ol'>) => <ol {...props} className={styles['list']} />;
const Item = ({ ref, style, children }: CustomItemComponentProps) => (
  <li ref={ref} style={style}>
    {children}
  </li>
);

/** The messages of a thread, newest at the foot; older ones come as it is scrolled up. */
export function ThreadMessages({ which, name, thread, outgoing }: Props) {
  const client = useQueryClient();
  const zone = useUser().timezone;
  const unreadFrom = useUnreadFrom(which, thread);
  const items = useMemo(
    () => threadItems({ messages: thread.rows, outgoing, unreadFrom, zone, now: new Date() }),
    [thread.rows, outgoing, unreadFrom, zone],
  );
  const list = useRef<VirtualizerHandle>(null);
  const older = useMore(() => readOlderMessages(client, which));
  const [away, setAway] = useState(false);
  const atEnd = useRef(true);
  const oldest = thread.rows.at(-1)?.id;
  const before = useRef({ oldest, count: 0, sent: 0 });
  const prepended = before.current.count > 0 && before.current.oldest !== oldest;

  const last = items.length - 1;
  const toEnd = (smooth: boolean) => {
    atEnd.current = true;
    list.current?.scrollToIndex(last, { align: 'end', smooth });
  };
  useLayoutEffect(() => {
    const { count, sent } = before.current;
    before.current = { oldest, count: items.length, sent: outgoing.length };
    const unread = items.findIndex(({ kind }) => kind === 'unread');
    if (count === 0 && unread > 0) list.current?.scrollToIndex(unread, { align: 'start' });
    else if (count === 0 || outgoing.length > sent || (atEnd.current && items.length !== count)) {
      list.current?.scrollToIndex(items.length - 1, { align: 'end' });
    }
  }, [items, oldest, outgoing.length]);

  const look = () => {
    const handle = list.current;
    if (!handle) return;
    const { scrollOffset, scrollSize, viewportSize } = handle;
    atEnd.current = scrollSize - scrollOffset - viewportSize < END_PX;
    setAway(!atEnd.current);
    if (scrollOffset < OLDER_PX && !thread.ended) older.read();
  };
  return (
    <div className={styles['place']}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <div
        className={styles['scroll']}
        tabIndex={0}
        role="region"
        aria-label="Pesan dalam percakapan"
      >
        <div className={styles['spacer']} />
        <Virtualizer
          ref={list}
          as={List}
          item={Item}
          shift={prepended}
          onScroll={look}
          onResize={() => atEnd.current && toEnd(false)}
        >
          {items.map((item, index) => (
            <MessageLine key={item.key} item={item} last={index === last} name={name} zone={zone} />
          ))}
        </Virtualizer>
      </div>
      {older.busy && <p className={styles['older']}>Memuat pesan lama…</p>}
      {away && (
        <button type="button" className={styles['down']} onClick={() => toEnd(true)}>
          <ArrowDown size={18} aria-hidden="true" />
          Ke pesan terbaru
        </button>
      )}
    </div>
  );
}

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
