import { ArrowDown } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ComponentPropsWithRef, ReactNode, RefObject } from 'react';
import { Virtualizer, type CustomItemComponentProps, type VirtualizerHandle } from 'virtua';
import { ChatDivider } from '#web/ui/chat/ChatBubble.tsx';
import type { ThreadItem } from '#web/ui/chat/thread/threadItems.ts';
import styles from '#web/ui/chat/thread/ThreadList.module.css';
import { useMore } from '#web/ui/chat/thread/useMore.ts';
import { classes } from '#web/ui/classes.ts';
import { CountBadge, ShortCount } from '#web/ui/status/CountBadge.tsx';

type Props<Body> = {
  items: readonly ThreadItem<Body>[];
  /** How many are on their way: one more is scrolled to, wherever one reads. */
  sending: number;
  /** There is nothing older. */
  ended: boolean;
  readOlder: () => Promise<void>;
  /** Newer lines that are not here: how they are read on, and how the newest are gone to. */
  newer?: { read: () => Promise<void>; leave: () => void } | undefined;
  /** The line that it opens at, instead of the end: at the top with its day, or in the middle and marked. */
  start?: { key: string; at: 'day' | 'line' } | undefined;
  /** It takes the focus when it opens: somebody has come here from within the page. */
  focused?: boolean;
  /** How many of the newest are unread, for the way to them. */
  unread?: number;
  render: (body: Body, first: boolean) => ReactNode;
  /** Below the newest line: who is typing, a question. */
  foot?: ReactNode;
  /** The newest line has come into view, or gone out of it. */
  onEnd?: (atEnd: boolean) => void;
};

/** Closer than this to the end, new lines are followed. */
const END_PX = 60;
/** Closer than this to an edge, what lies beyond it is fetched. */
const MORE_PX = 1_000;
/** So far beyond both edges lines are drawn: measured before they come into view, they move nothing when they do. */
const BUFFER_PX = 500;
/** Below the upper edge, where the day that is shown there begins to be another. */
const DAY_PX = 20;

const List = (props: ComponentPropsWithRef<'ol'>) => <ol {...props} className={styles['list']} />;
const Item = ({ ref, style, children }: CustomItemComponentProps) => (
  <li ref={ref} style={style}>
    {children}
  </li>
);

/** The lines of a thread, newest at the foot; more come as it is scrolled, on both sides. */
export function ThreadList<Body>(props: Props<Body>) {
  const { items, newer, start, focused = false, unread = 0, render, foot, onEnd } = props;
  const hasFoot = Boolean(foot);
  const rows = useMemo(() => (hasFoot ? [...items, FOOT] : items), [items, hasFoot]);
  const scroller = useRef<HTMLDivElement>(null);
  const { mark, inView } = useInView(scroller);
  const away = inView === false || newer !== undefined;
  const { list, prepended, day, older, look, settle, toEnd } = useScrolling(props, rows, scroller);

  useEffect(() => {
    if (inView === undefined) return undefined;
    onEnd?.(!away);
    return () => onEnd?.(false);
  }, [away, inView, onEnd]);
  useEffect(() => {
    if (focused) scroller.current?.focus({ preventScroll: true });
  }, [focused]);
  return (
    <div className={styles['place']}>
      {/* Before the lines: behind them it would be behind all that they can do. */}
      {away && (
        <Down
          unread={unread}
          onClick={() => {
            scroller.current?.focus({ preventScroll: true });
            toEnd();
          }}
        />
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by keys */}
      <div
        ref={scroller}
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
          data={rows}
          bufferSize={BUFFER_PX}
          shift={prepended}
          onScroll={look}
          onResize={settle}
        >
          {(item, index) => (
            <Line
              key={item.key}
              item={item}
              last={index === rows.length - 1}
              marked={start?.at === 'line' && start.key === item.key}
              render={render}
              foot={foot}
            />
          )}
        </Virtualizer>
        <div ref={mark} className={styles['end']} />
      </div>
      {older.busy && <p className={styles['above']}>Memuat pesan lama…</p>}
      {!older.busy && away && day && (
        <p className={styles['above']} aria-hidden="true">
          {day}
        </p>
      )}
    </div>
  );
}

const FOOT = { kind: 'foot', key: 'foot' } as const;
type Row<Body> = ThreadItem<Body> | typeof FOOT;

/** Opens at the right place, stays at the end while it is there, and reads on at both edges. */
function useScrolling<Body>(
  props: Props<Body>,
  rows: readonly Row<Body>[],
  scroller: RefObject<HTMLElement | null>,
) {
  const { items, sending, ended, newer, start } = props;
  const list = useRef<VirtualizerHandle>(null);
  const older = useMore(props.readOlder);
  const later = useMore(async () => newer?.read());
  const [day, setDay] = useState<string>();
  const atEnd = useRef(false);
  const offset = useRef(0);
  const hasMoved = useHasMoved(scroller);
  const oldest = items.find(({ kind }) => kind === 'line')?.key;
  const count = rows.length;
  const before = useRef({ oldest, count: 0, sending });
  const prepended = before.current.count > 0 && before.current.oldest !== oldest;

  const followEnd = () => list.current?.scrollToIndex(count - 1, { align: 'end' });
  useLayoutEffect(() => {
    const isSending = sending > before.current.sending;
    before.current = { oldest, count, sending };
    if (isSending && newer) return newer.leave();
    const at = isSending || hasMoved.current ? undefined : opensAt(items, start);
    // A line that has got there is another row, of another height: at the end one stays at the end.
    if (isSending || !hasMoved.current) atEnd.current = at === undefined;
    if (at) list.current?.scrollToIndex(at[0], { align: at[1] });
    else if (atEnd.current) list.current?.scrollToIndex(count - 1, { align: 'end' });
  }, [items, count, oldest, sending, newer, start, hasMoved]);

  const toEnd = () => {
    if (newer) return newer.leave();
    atEnd.current = true;
    list.current?.scrollToIndex(count - 1, { align: 'end', smooth: true });
  };
  const look = () => {
    const handle = list.current;
    if (!handle) return;
    const { scrollOffset, scrollSize, viewportSize } = handle;
    const left = scrollSize - scrollOffset - viewportSize;
    atEnd.current = !newer && left < END_PX;
    // Towards an edge: what came before the lines while they are scrolled away from it would move them.
    const by = scrollOffset - offset.current;
    offset.current = scrollOffset;
    if (by < 0 && scrollOffset < MORE_PX && !ended) older.read();
    if (by > 0 && newer && left < MORE_PX) later.read();
    const top = rows[handle.findItemIndex(scrollOffset + DAY_PX)];
    setDay(top?.kind === 'line' ? top.day : undefined);
  };
  return {
    list,
    prepended,
    day,
    older,
    look,
    settle: () => atEnd.current && followEnd(),
    toEnd,
  };
}

const moves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** Whether somebody has moved what was opened: until then it stays at its place, whatever comes. */
function useHasMoved(scroller: RefObject<HTMLElement | null>): RefObject<boolean> {
  const hasMoved = useRef(false);
  useEffect(() => {
    const element = scroller.current;
    const note = () => void (hasMoved.current = true);
    for (const move of moves) element?.addEventListener(move, note, { passive: true });
    return () => {
      for (const move of moves) element?.removeEventListener(move, note);
    };
  }, [scroller]);
  return hasMoved;
}

/** The way to the newest line. */
const Down = ({ unread, onClick }: { unread: number; onClick: () => void }) => (
  <button type="button" className={styles['down']} onClick={onClick}>
    <ArrowDown size={18} aria-hidden="true" />
    Ke pesan terbaru
    <CountBadge>
      <ShortCount count={unread} of="belum dibaca" />
    </CountBadge>
  </button>
);

/** Where a thread opens; undefined: at its end. */
function opensAt<Body>(
  items: readonly ThreadItem<Body>[],
  start: Props<Body>['start'],
): [index: number, align: 'start' | 'center'] | undefined {
  if (start) {
    const index = Math.max(
      0,
      items.findIndex(({ key }) => key === start.key),
    );
    if (start.at === 'line') return [index, 'center'];
    return [items[index - 1]?.kind === 'day' ? index - 1 : index, 'start'];
  }
  const unread = items.findIndex(({ kind }) => kind === 'unread');
  return unread > 0 ? [unread, 'start'] : undefined;
}

/** Whether the foot of what scrolls is in view; undefined until that is known. */
function useInView(scroller: RefObject<HTMLElement | null>) {
  const mark = useRef<HTMLDivElement>(null);
  const [inView, setInView] = useState<boolean>();
  useEffect(() => {
    if (!mark.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => setInView(entries.at(-1)?.isIntersecting),
      { root: scroller.current, rootMargin: `0px 0px ${END_PX}px` },
    );
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [scroller]);
  return { mark, inView };
}

type LineProps<Body> = {
  item: Row<Body>;
  /** Nothing stands below it. */
  last: boolean;
  /** Looked for: it stands out for a moment. */
  marked: boolean;
  render: Props<Body>['render'];
  foot: ReactNode;
};

function Line<Body>({ item, last, marked, render, foot }: LineProps<Body>) {
  const first = item.kind === 'foot' || (item.kind === 'line' && item.first);
  return (
    <div
      className={classes(
        styles['line'],
        first && styles['first'],
        last && styles['last'],
        marked && styles['marked'],
      )}
    >
      {item.kind === 'day' && <ChatDivider as="div">{item.label}</ChatDivider>}
      {item.kind === 'unread' && (
        <ChatDivider as="div" fresh>
          Belum dibaca
        </ChatDivider>
      )}
      {item.kind === 'line' && render(item.body, item.first)}
      {item.kind === 'foot' && foot}
    </div>
  );
}
