import { ArrowDown } from 'lucide-react';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { isLookedAt, lookOnReturn } from '#web/browser/tab/lookedAt.ts';
import { ChatDivider } from '#web/ui/chat/ChatBubble.tsx';
import styles from '#web/ui/chat/thread/thread.module.css';
import {
  END_PX,
  FOOT,
  useThreadScroll,
  type Row,
  type ThreadScroll,
} from '#web/ui/chat/thread/useThreadScroll.ts';
import { classes } from '#web/ui/classes.ts';
import { CountBadge, ShortCount } from '#web/ui/status/CountBadge.tsx';

type Props<Body> = ThreadScroll<Body> & {
  /** Takes the focus when it opens: the person came from within the page. */
  focused?: boolean;
  unread?: number;
  render: (body: Body, first: boolean) => ReactNode;
  foot?: ReactNode;
  seen?: Seen;
};

type Seen = {
  /** Identifies the newest received message; undefined if it was seen before, or before the thread is loaded. */
  newest: string | number | undefined;
  /** Reports that it was seen. */
  report: () => Promise<unknown>;
};

const above = classes(
  'w-fit mx-auto small muted py-4 px-12 border rounded-full raised pointer-none',
  styles['above'],
);

/** The lines of a thread, newest at the bottom; scrolling loads more on both sides. */
export function ThreadList<Body>(props: Props<Body>) {
  const { items, newer, start, focused = false, unread = 0, render, foot, seen } = props;
  const hasFoot = Boolean(foot);
  const rows = useMemo(() => (hasFoot ? [...items, FOOT] : items), [items, hasFoot]);
  const scroller = useRef<HTMLDivElement>(null);
  const { mark, inView } = useInView(scroller);
  const away = inView === false || newer !== undefined;
  const { list, range, day, older, toEnd } = useThreadScroll(props, rows, scroller, away);

  useSeen(seen, inView === true && !away);
  useEffect(() => {
    if (focused) scroller.current?.focus({ preventScroll: true });
  }, [focused]);
  return (
    <div className="column grow min-h-0 relative">
      {/* Before the lines in tab order: after them it would follow all their controls. */}
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
        className={classes('column grow min-h-0 scroll-y ring-inset', styles['scroll'])}
        tabIndex={0}
        role="region"
        aria-label="Pesan dalam percakapan"
      >
        <div className={styles['spacer']} />
        <ol ref={list} className="flex-none">
          {rows.slice(range.from, range.to).map((item, index) => (
            <Line
              key={item.key}
              item={item}
              last={!newer && range.from + index === rows.length - 1}
              marked={start?.at === 'line' && start.key === item.key}
              render={render}
              foot={item.kind === 'foot' ? foot : undefined}
            />
          ))}
        </ol>
        <div ref={mark} className={classes('flex-none', styles['end'])} />
      </div>
      {older.busy && <p className={above}>Memuat pesan lama…</p>}
      {!older.busy && away && day && (
        <p className={above} aria-hidden="true">
          {day}
        </p>
      )}
    </div>
  );
}

const Down = ({ unread, onClick }: { unread: number; onClick: () => void }) => (
  <button
    type="button"
    className={classes(
      'row gap-6 w-fit mx-auto small strong min-h-36 border rounded-full raised shadow',
      styles['down'],
    )}
    onClick={onClick}
  >
    <ArrowDown size={18} />
    Ke pesan terbaru
    <CountBadge>
      <ShortCount count={unread} of="belum dibaca" />
    </CountBadge>
  </button>
);

/** True if the end of the scroller is in view; undefined until observed. */
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

/** Reports the newest message when it is in view and the tab is looked at, or when the person comes back to it. */
function useSeen(seen: Seen | undefined, isInView: boolean): void {
  const newest = seen?.newest;
  const report = useRef(seen?.report);
  const reported = useRef<typeof newest>(undefined);
  useEffect(() => {
    report.current = seen?.report;
  });
  useEffect(() => {
    if (newest === undefined || !isInView) return undefined;
    return lookOnReturn(() => {
      if (reported.current === newest || !isLookedAt()) return;
      reported.current = newest;
      report.current?.().catch(() => {
        // Unread is better than wrongly read: the next look reports it again.
        reported.current = undefined;
      });
    });
  }, [newest, isInView]);
}

type LineProps<Body> = {
  item: Row<Body>;
  last: boolean;
  marked: boolean;
  render: Props<Body>['render'];
  foot: ReactNode;
};

const Line = memo(DrawnLine, isSameLine) as typeof DrawnLine;

/** Items are rebuilt with every page: a line is equal if its content is. */
function isSameLine<Body>(before: LineProps<Body>, after: LineProps<Body>): boolean {
  const { item: was, ...rest } = before;
  const { item, ...now } = after;
  return isShallowEqual(was, item) && isShallowEqual(rest, now);
}

const isShallowEqual = (one: object, other: object): boolean =>
  Object.entries(one).every(([key, value]) => Object.is(value, Reflect.get(other, key)));

function DrawnLine<Body>({ item, last, marked, render, foot }: LineProps<Body>) {
  const first = item.kind === 'foot' || (item.kind === 'line' && item.first);
  return (
    <li
      className={classes(
        styles['threadListLine'],
        first && styles['threadListFirst'],
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
    </li>
  );
}
