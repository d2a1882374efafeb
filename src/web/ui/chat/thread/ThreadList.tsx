import { ArrowDown } from 'lucide-react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ComponentPropsWithRef, ReactNode } from 'react';
import { Virtualizer, type CustomItemComponentProps, type VirtualizerHandle } from 'virtua';
import { ChatDivider } from '#web/ui/chat/ChatBubble.tsx';
import type { ThreadItem } from '#web/ui/chat/thread/threadItems.ts';
import styles from '#web/ui/chat/thread/ThreadList.module.css';
import { useMore } from '#web/ui/chat/thread/useMore.ts';
import { classes } from '#web/ui/classes.ts';

type Props<Body> = {
  items: readonly ThreadItem<Body>[];
  /** Names the oldest line that is here: when it changes, older ones have come. */
  oldest: string | undefined;
  /** How many are on their way: one more is scrolled to, wherever one reads. */
  sending: number;
  /** There is nothing older. */
  ended: boolean;
  readOlder: () => Promise<void>;
  render: (body: Body, first: boolean) => ReactNode;
  /** Below the newest line: who is typing, a question. */
  foot?: ReactNode;
  /** The newest line has come into view, or gone out of it. */
  onEnd?: (atEnd: boolean) => void;
};

/** Closer than this to the end, new lines are followed. */
const END_PX = 60;
/** Closer than this to the beginning, older ones are fetched. */
const OLDER_PX = 600;

const List = (props: ComponentPropsWithRef<'ol'>) => <ol {...props} className={styles['list']} />;
const Item = ({ ref, style, children }: CustomItemComponentProps) => (
  <li ref={ref} style={style}>
    {children}
  </li>
);

/** The lines of a thread, newest at the foot; older ones come as it is scrolled up. */
export function ThreadList<Body>(props: Props<Body>) {
  const { items, oldest, sending, ended, render, foot, onEnd } = props;
  const list = useRef<VirtualizerHandle>(null);
  const older = useMore(props.readOlder);
  const [away, setAway] = useState(false);
  const atEnd = useRef(true);
  const before = useRef({ oldest, count: 0, sending: 0 });
  const prepended = before.current.count > 0 && before.current.oldest !== oldest;
  const count = items.length + (foot ? 1 : 0);

  const toEnd = (smooth: boolean) => {
    atEnd.current = true;
    list.current?.scrollToIndex(count - 1, { align: 'end', smooth });
  };
  useLayoutEffect(() => {
    const { count: had, sending: sent } = before.current;
    // A line that has got there is another row, of another height: at the end one stays at the end.
    before.current = { oldest, count, sending };
    const unread = items.findIndex(({ kind }) => kind === 'unread');
    if (had === 0 && unread > 0) list.current?.scrollToIndex(unread, { align: 'start' });
    else if (had === 0 || sending > sent || atEnd.current) {
      list.current?.scrollToIndex(count - 1, { align: 'end' });
    }
  }, [items, count, oldest, sending]);
  useEffect(() => onEnd?.(!away), [away, onEnd]);

  const look = () => {
    const handle = list.current;
    if (!handle) return;
    const { scrollOffset, scrollSize, viewportSize } = handle;
    atEnd.current = scrollSize - scrollOffset - viewportSize < END_PX;
    setAway(!atEnd.current);
    if (scrollOffset < OLDER_PX && !ended) older.read();
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
            <Line key={item.key} item={item} last={index === count - 1} render={render} />
          ))}
          {foot && (
            <div key="foot" className={classes(styles['line'], styles['first'], styles['last'])}>
              {foot}
            </div>
          )}
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

type LineProps<Body> = {
  item: ThreadItem<Body>;
  /** Nothing stands below it. */
  last: boolean;
  render: Props<Body>['render'];
};

function Line<Body>({ item, last, render }: LineProps<Body>) {
  const first = item.kind === 'line' && item.first;
  return (
    <div className={classes(styles['line'], first && styles['first'], last && styles['last'])}>
      {item.kind === 'day' && <ChatDivider as="div">{item.label}</ChatDivider>}
      {item.kind === 'unread' && (
        <ChatDivider as="div" fresh>
          Belum dibaca
        </ChatDivider>
      )}
      {item.kind === 'line' && render(item.body, item.first)}
    </div>
  );
}
