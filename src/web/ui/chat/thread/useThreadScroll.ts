import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { drawnKeys, rangeIn } from '#web/ui/chat/thread/drawnKeys.ts';
import { LINE_PX, type Range } from '#web/ui/chat/thread/linePlaces.ts';
import { LineWindow, type Held, type Owner } from '#web/ui/chat/thread/LineWindow.ts';
import type { ThreadItem } from '#web/ui/chat/thread/threadItems.ts';
import { useMore } from '#web/ui/chat/thread/useMore.ts';

export type ThreadScroll<Body> = {
  items: readonly ThreadItem<Body>[];
  /** The number of pending lines: a new one is scrolled to from anywhere. */
  sending: number;
  ended: boolean;
  readOlder: () => Promise<void>;
  /** Newer lines that are not loaded: `read` loads more, `leave` goes to the newest. */
  newer?: { read: () => Promise<void>; leave: () => void } | undefined;
  /** The initial line, instead of the end: at the top with its day, or in the middle and marked. */
  start?: { key: string; at: 'day' | 'line' } | undefined;
};

/** The row below the newest line. */
export const FOOT = { kind: 'foot', key: 'foot' } as const;
export type Row<Body> = ThreadItem<Body> | typeof FOOT;

/** Closer than this to the end, new lines are followed. */
export const END_PX = 60;
/** Closer than this to an edge, more lines are loaded. */
const MORE_PX = 1_000;
/** The offset below the upper edge at which the shown day changes. */
const DAY_PX = 20;

/** Scrolls a thread: opens at the right position, stays at the end, and loads more at both edges. */
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
  /** At the end, or scrolling there. */
  const atEnd = useRef<'glide' | boolean>(false);
  /** The last scroll was upwards: rendering near the end must not move it back. */
  const isLeaving = useRef(false);
  /** The person has scrolled; until then the initial position is held. */
  const hasMoved = useRef(false);
  useMoves(scroller, (element) => {
    // Opened at the unread divider with all of them in view, it counts as at the end.
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
      if (places.height <= viewport && !ended) older.read();
      if (places.height <= viewport && newer) later.read();
    },
    scrolled: ({ places, offset, viewport }: LineWindow, by: number) => {
      const left = places.top + places.height - offset - viewport;
      const isNear = !newer && left < END_PX;
      if (by !== 0) isLeaving.current = by < 0;
      if (atEnd.current === 'glide') atEnd.current = isNear || 'glide';
      else if (by !== 0) {
        // By a scrollbar, find-in-page or assistive technology, which cause no other event.
        hasMoved.current = true;
        atEnd.current = isNear;
      }
      // Towards an edge only: scrolling away from it needs no more lines.
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
  // After the lines: their own scroll corrections, when the box below shrinks, are not the person's.
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

/** The remaining scroll distance to the end, in px. */
const leftOf = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): number =>
  scrollHeight - scrollTop - clientHeight;

/** The height of a window that a thread does not fill: its head and the composer. */
const AROUND_PX = 220;

/** The range of the first render, by estimated heights; the second render adds missing lines. */
function firstRange(count: number, at: ReturnType<typeof opensAt>): Range {
  const drawn = Math.ceil(Math.max(0, globalThis.innerHeight - AROUND_PX) / LINE_PX) + 1;
  if (!at) return { from: Math.max(0, count - drawn), to: count };
  const [index, align] = at;
  const above = align === 'center' ? Math.floor(drawn / 2) : 0;
  // With less than a view below it, the line is lower.
  const from = Math.max(0, Math.min(index - above, count - drawn));
  return { from, to: Math.min(count, from + drawn) };
}

/** True if so many views can be scrolled smoothly without taking long. */
const canGlide = (views: number): boolean =>
  views < 3 && !globalThis.matchMedia('(prefers-reduced-motion: reduce)').matches;

type Scrolled = {
  held: Owner['held'];
  drawn: (lines: LineWindow) => void;
  scrolled: (lines: LineWindow, by: number) => void;
};

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

function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

const moves = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

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

/** The initial position of a thread; undefined: its end. */
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
