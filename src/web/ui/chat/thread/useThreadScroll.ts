import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { drawnKeys, rangeIn } from '#web/ui/chat/thread/drawnKeys.ts';
import { LINE_PX, type Range } from '#web/ui/chat/thread/linePlaces.ts';
import { LineWindow, type Held, type Owner } from '#web/ui/chat/thread/LineWindow.ts';
import type { ThreadItem } from '#web/ui/chat/thread/threadItems.ts';
import { useMore } from '#web/ui/chat/thread/useMore.ts';

/** What is scrolled through, and how it goes on. */
export type ThreadScroll<Body> = {
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
};

/** The row of what stands below the newest line. */
export const FOOT = { kind: 'foot', key: 'foot' } as const;
export type Row<Body> = ThreadItem<Body> | typeof FOOT;

/** Closer than this to the end, new lines are followed. */
export const END_PX = 60;
/** Closer than this to an edge, what lies beyond it is fetched. */
const MORE_PX = 1_000;
/** Below the upper edge, where the day that is shown there begins to be another. */
const DAY_PX = 20;

/** Opens at the right place, stays at the end while it is there, and reads on at both edges. */
export function useThreadScroll<Body>(
  props: ThreadScroll<Body>,
  rows: readonly Row<Body>[],
  scroller: RefObject<HTMLElement | null>,
  away: boolean,
) {
  const { items, sending, ended, newer, start } = props;
  const older = useMore(props.readOlder);
  const later = useMore(async () => newer?.read());
  const [day, setDay] = useState<string>();
  /** It stays at its end, or is on its way there. */
  const atEnd = useRef<'glide' | boolean>(false);
  /** It was scrolled up last: near the end it is not put back there for what that draws. */
  const isLeaving = useRef(false);
  /** Somebody has moved what was opened: until then it stays at its place, whatever comes. */
  const hasMoved = useRef(false);
  useMoves(scroller, (element) => {
    // At the end it stays also where it was opened at the unread, and all of them were in view.
    if (!hasMoved.current) atEnd.current = !newer && leftOf(element) < END_PX;
    hasMoved.current = true;
    if (atEnd.current === 'glide') atEnd.current = false;
  });
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);

  const owner = useLatest({
    held: (news: boolean): Held | undefined => {
      if (news) isLeaving.current = false;
      const at = hasMoved.current ? undefined : opensAt(items, start);
      if (at || !atEnd.current || isLeaving.current) return at;
      return atEnd.current === 'glide' ? 'glide' : 'end';
    },
    drawn: ({ places, viewport }: LineWindow) => {
      // There is nothing to scroll by.
      if (places.height <= viewport && !ended) older.read();
      if (places.height <= viewport && newer) later.read();
    },
    scrolled: ({ places, offset, viewport }: LineWindow, by: number) => {
      const left = places.top + places.height - offset - viewport;
      const isNear = !newer && left < END_PX;
      if (by !== 0) isLeaving.current = by < 0;
      if (atEnd.current === 'glide') atEnd.current = isNear || 'glide';
      else if (by !== 0) {
        // By a scrollbar, a search in the page, an aid: nothing else tells of those.
        hasMoved.current = true;
        atEnd.current = isNear;
      }
      // Towards an edge: what comes while one scrolls away from it would be in vain.
      if (by < 0 && offset - places.top < MORE_PX && !ended) older.read();
      if (by > 0 && newer && left < MORE_PX) later.read();
      const at = rows[places.at(offset + DAY_PX)];
      if (away) setDay(at?.kind === 'line' ? at.day : undefined);
    },
  });
  useLayoutEffect(() => {
    if (!hasMoved.current) atEnd.current = !opensAt(items, start);
  }, [items, start, hasMoved]);
  const { list, range, settle } = useLines(keys, scroller, owner, () =>
    firstRange(keys.length, opensAt(items, start)),
  );
  const before = useRef(sending);
  // After the lines: what they took in of a scroll, as the box below gave up its room, nobody has scrolled.
  useLayoutEffect(() => {
    const isSending = sending > before.current;
    before.current = sending;
    if (!isSending) return;
    if (newer) return newer.leave();
    [hasMoved.current, atEnd.current, isLeaving.current] = [true, true, false];
    settle();
  }, [sending, newer, settle]);

  const toEnd = () => {
    if (newer) return newer.leave();
    const element = scroller.current;
    if (!element) return;
    hasMoved.current = true;
    atEnd.current = canGlide(leftOf(element) / element.clientHeight) ? 'glide' : true;
    settle();
  };
  return { list, range, day, older, toEnd };
}

/** How far it can be scrolled down, in px. */
const leftOf = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight;

/** So much of a window stands around a thread: its head, the box to answer. */
const AROUND_PX = 220;

/** What is drawn at first, as if it were known how high all that is: what is missing then comes with the second drawing. */
function firstRange(count: number, at: ReturnType<typeof opensAt>): Range {
  const drawn = Math.ceil(Math.max(0, globalThis.innerHeight - AROUND_PX) / LINE_PX) + 1;
  if (!at) return { from: Math.max(0, count - drawn), to: count };
  const [index, align] = at;
  const above = align === 'center' ? Math.floor(drawn / 2) : 0;
  // Where there is less than a view below it, it stands lower.
  const from = Math.max(0, Math.min(index - above, count - drawn));
  return { from, to: Math.min(count, from + drawn) };
}

/** Whether it is scrolled so many views smoothly: not so many that it takes long. */
const canGlide = (views: number): boolean =>
  views < 3 && !globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches;

type Scrolled = {
  held: Owner['held'];
  drawn: (lines: LineWindow) => void;
  scrolled: (lines: LineWindow, by: number) => void;
};

/** Which of the lines are drawn, and the element that they are drawn in. */
function useLines(
  keys: readonly string[],
  scroller: RefObject<HTMLElement | null>,
  owner: RefObject<Scrolled>,
  first: () => Range,
) {
  const list = useRef<HTMLOListElement>(null);
  const lines = useRef<LineWindow>(undefined);
  const [drawn, setDrawn] = useState(() => drawnKeys(keys, first()));
  const range = useMemo(() => rangeIn(keys, drawn), [keys, drawn]);
  const latest = useLatest(keys);
  useLayoutEffect(() => {
    if (!scroller.current || !list.current) return undefined;
    const made = new LineWindow(scroller.current, list.current, {
      held: (news) => owner.current.held(news),
      drawn: () => owner.current.drawn(made),
      scrolled: (by) => owner.current.scrolled(made, by),
      draw: (next) => setDrawn(drawnKeys(latest.current, next)),
    });
    lines.current = made;
    return () => made.close();
  }, [scroller, owner, latest]);
  useLayoutEffect(() => lines.current?.drawn(keys, range), [keys, range]);
  return { list, range, settle: () => lines.current?.settle() };
}

/** The latest of what is made anew with every drawing. */
function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

const moves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** Calls back when somebody moves what scrolls. */
function useMoves(
  scroller: RefObject<HTMLElement | null>,
  onMove: (element: HTMLElement) => void,
): void {
  const latest = useLatest(onMove);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const over = new AbortController();
    const options = { passive: true, signal: over.signal };
    for (const move of moves) {
      element.addEventListener(move, () => latest.current(element), options);
    }
    return () => over.abort();
  }, [scroller, latest]);
}

/** Where a thread opens; undefined: at its end. */
function opensAt<Body>(
  items: readonly ThreadItem<Body>[],
  start: ThreadScroll<Body>['start'],
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
