import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { ThreadItem } from '#web/ui/chat/thread/threadItems.ts';
import { useMore } from '#web/ui/chat/thread/useMore.ts';
import { flushSync } from 'react-dom';

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

/** The distance beyond both edges in which lines are rendered, so that they are measured before they come into view. */
const BUFFER_PX = 500;
/** The buffer grows by this with each frame, from 0: visible lines come first, and no frame renders much. */
const BUFFER_STEP_PX = 100;
/** The additional distance at which a line is removed. */
const SLACK_PX = 300;

/** The scroll target: the end, at once or smoothly, or a line at the top or in the middle. */
type Held = 'end' | 'glide' | [index: number, align: 'start' | 'center'];

type Owner = {
  /** The position to hold; undefined: the person's scroll position. @param news the end or a size has changed */
  held: (news: boolean) => Held | undefined;
  /** Scrolled by so many px; 0 for changes by the window itself. */
  scrolled: (by: number) => void;
  drawn: () => void;
  draw: (range: Range) => void;
};

/**
 * Virtualizes a long list of lines: renders those in view and some around them in the normal flow, with padding above
 * and below. A line that differs from its estimated height takes the difference from the padding, so that the text
 * being read does not move and no scrolling is needed.
 */
class LineWindow {
  readonly places = new LinePlaces();
  readonly #scroller: HTMLElement;
  readonly #list: HTMLElement;
  readonly #owner: Owner;
  readonly #over = new AbortController();
  readonly #observer = new ResizeObserver((entries) => this.#resized(entries));
  readonly #keyOf = new WeakMap<Element, string>();
  #keys: readonly string[] = [];
  #range: Range = { from: 0, to: 0 };
  #buffer = 0;
  #frame = 0;
  offset = 0;
  viewport = 0;

  constructor(scroller: HTMLElement, list: HTMLElement, owner: Owner) {
    this.#scroller = scroller;
    this.#list = list;
    this.#owner = owner;
    this.viewport = scroller.clientHeight;
    this.#observer.observe(scroller);
    const { signal } = this.#over;
    scroller.addEventListener('scroll', () => this.#scrolled(), { signal, passive: true });
  }

  close(): void {
    this.#over.abort();
    this.#observer.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  drawn(keys: readonly string[], range: Range): void {
    if (keys !== this.#keys) this.places.replace(keys, this.offset);
    // The content below all lines counts as one.
    const news = keys.slice(-2).join(' ') !== this.#keys.slice(-2).join(' ');
    this.#keys = keys;
    this.#range = range;
    // Before measuring: without the padding, the browser would scroll up.
    this.#makeRoom();
    // Hidden: nothing has a size.
    if (this.viewport === 0) return;
    this.#noteScroll();
    const children = [...this.#list.children];
    const isKnown = (line: Element) => this.#keyOf.has(line);
    const [first, last] = [children.findIndex(isKnown), children.findLastIndex(isKnown)];
    const read = this.places.at(this.offset);
    // Anchored at the line being read, or the nearest line that was there before.
    const anchor =
      first < 0 ? read : Math.min(Math.max(read, range.from + first), range.from + last);
    const y = this.places.begin(anchor);
    for (const [index, line] of children.entries()) {
      if (isKnown(line)) continue;
      const key = keys[range.from + index] ?? '';
      this.#keyOf.set(line, key);
      this.#observer.observe(line);
      this.places.measure(key, line.getBoundingClientRect().height, y);
    }
    this.settle(news);
    this.#owner.drawn();
    this.#grow();
  }

  /** Positions everything, and renders the lines that come into view. */
  settle(news = true): void {
    const held = this.#owner.held(news);
    const { from } = this.#range;
    // When scrolling to a target anyway; or near the first line, above which there must be neither padding nor a
    // deficit.
    if (held || from === 0 || this.places.begin(from) < 0) this.#level();
    this.#makeRoom();
    const { places, viewport } = this;
    if (held === 'end') this.#scroller.scrollTop = this.#scroller.scrollHeight;
    else if (held === 'glide') {
      this.#scroller.scrollTo({ top: this.#scroller.scrollHeight, behavior: 'smooth' });
    } else if (held) {
      const [index, align] = held;
      const above =
        align === 'start' ? 0 : (viewport - places.end(index) + places.begin(index)) / 2;
      this.#scroller.scrollTop = places.begin(index) - above;
    }
    if (held) this.offset = this.#scroller.scrollTop;
    this.#draw();
  }

  #level(): void {
    const by = -Math.round(this.places.top);
    if (by === 0) return;
    this.places.top += by;
    this.#makeRoom();
    this.#scroller.scrollTop += by;
    this.offset = this.#scroller.scrollTop;
  }

  #makeRoom(): void {
    const { places } = this;
    const { from, to } = this.#range;
    this.#list.style.paddingTop = `${Math.max(0, places.begin(from))}px`;
    this.#list.style.paddingBottom = `${places.begin(places.count) - places.begin(to)}px`;
  }

  #scrolled(): void {
    if (!this.#noteScroll()) this.#owner.scrolled(0);
    this.#draw(true);
  }

  /**
   * Reads the scroll position. Lines may render before its event, which would revert it. @returns whether it changed
   */
  #noteScroll(): boolean {
    const by = this.#scroller.scrollTop - this.offset;
    // A hidden scroller reports 0.
    if (by === 0 || this.#scroller.clientHeight === 0) return false;
    this.offset += by;
    // Uses the heights known so far to decide whether this is the end.
    this.#owner.scrolled(by);
    return true;
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    const before = this.viewport;
    this.viewport = this.#scroller.clientHeight;
    if (this.viewport === 0) return;
    let isOther = this.viewport !== before;
    for (const { target, borderBoxSize, contentRect } of entries) {
      const height = borderBoxSize[0]?.blockSize ?? contentRect.height;
      const key = this.#keyOf.get(target);
      if (!target.isConnected) this.#observer.unobserve(target);
      else if (key !== undefined && this.places.measure(key, height, this.offset)) isOther = true;
    }
    if (before === 0) {
      // Restores the position from before it was hidden.
      this.#makeRoom();
      this.#scroller.scrollTop = this.offset;
      this.drawn(this.#keys, this.#range);
    } else if (isOther) this.settle();
  }

  /** Renders the lines around the view. @param now synchronously, if part of the view is missing */
  #draw(now = false): void {
    const { places, offset } = this;
    const end = offset + this.viewport;
    const inView = places.between(offset, end);
    const near = places.between(offset - this.#buffer, end + this.#buffer);
    const reach = this.#buffer + SLACK_PX;
    const far = places.between(offset - reach, end + reach);
    const { from, to } = this.#range;
    const isApart = from >= far.to || to <= far.from;
    const next = isApart
      ? near
      : {
          from: Math.min(near.from, Math.max(far.from, from)),
          to: Math.max(near.to, Math.min(far.to, to)),
        };
    if (next.from === from && next.to === to) return;
    const isMissing = inView.from < from || inView.to > to;
    if (now && isMissing) flushSync(() => this.#owner.draw(next));
    else this.#owner.draw(next);
  }

  #grow(): void {
    if (this.#buffer >= BUFFER_PX || this.#frame !== 0 || this.#range.to === 0) return;
    this.#frame = requestAnimationFrame(() => {
      // After the current lines were painted.
      setTimeout(() => {
        if (this.#over.signal.aborted) return;
        this.#frame = 0;
        this.#buffer += BUFFER_STEP_PX;
        this.#draw();
        this.#grow();
      });
    });
  }
}

/** The rendered lines by the keys of the first and last one, independent of the lines before. */
type DrawnKeys = { first: string; last: string; count: number };

const drawnKeys = (keys: readonly string[], { from, to }: Range): DrawnKeys => ({
  first: keys[from] ?? '',
  last: keys[to - 1] ?? '',
  count: to - from,
});

/** The range of those lines in a new list; if one end is missing, by count from the other. */
function rangeIn(keys: readonly string[], drawn: DrawnKeys): Range {
  const { first, last, count } = drawn;
  const [from, to] = [keys.indexOf(first), keys.lastIndexOf(last) + 1];
  if (from >= 0 && to > from) return { from, to };
  if (to > 0) return { from: Math.max(0, to - count), to };
  if (from >= 0) return { from, to: Math.min(keys.length, from + count) };
  return { from: 0, to: 0 };
}

/** The estimated height of a line, about two lines of text. */
const LINE_PX = 64;

/** A range of rows; `to` is exclusive. */
type Range = { from: number; to: number };

/**
 * The positions of a long list's lines in px from the top of the scroller: by their measured heights, else by an
 * estimate.
 *
 * Keeps a line in place while others change above it by moving `top`, where the first one begins: no scrolling is
 * needed.
 */
export class LinePlaces {
  readonly #heights = new Map<string, number>();
  #keys: readonly string[] = [];
  #offsets = new Float64Array(1);
  /** Offsets are computed up to this line. */
  #counted = 0;

  /** The position of the first line; negative: further up than the scroller can reach. */
  top = 0;

  get count(): number {
    return this.#keys.length;
  }

  get height(): number {
    return this.#offset(this.count);
  }

  /** The start of a line; for the line count: the end of the last line. */
  begin(index: number): number {
    return this.top + this.#offset(index);
  }

  end(index: number): number {
    return this.begin(index + 1);
  }

  /** The line at a height, else the nearest one; 0 if there are none. */
  at(y: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end(middle) > y) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  between(y: number, until: number): Range {
    if (this.count === 0) return { from: 0, to: 0 };
    return { from: this.at(y), to: this.at(until) + 1 };
  }

  /** Replaces the lines, by their keys. The line at `y`, or the next remaining one, stays in place. */
  replace(keys: readonly string[], y: number): void {
    const now = new Map(keys.map((key, index) => [key, index]));
    const first = this.at(y);
    const read = this.#keys.findIndex((key, index) => index >= first && now.has(key));
    const index = now.get(this.#keys[read] ?? '');
    const stood = this.begin(Math.max(0, read));
    this.#keys = keys;
    this.#offsets = new Float64Array(keys.length + 1);
    this.#counted = 0;
    if (index !== undefined) this.top += stood - this.begin(index);
  }

  /**
   * Sets the height of a line. The line at `y` stays in place.
   *
   * @returns whether the height has changed.
   */
  measure(key: string, height: number, y: number): boolean {
    if (this.#heights.get(key) === height) return false;
    const anchor = this.at(y);
    const index = this.#keys.indexOf(key);
    const stood = this.begin(anchor);
    this.#heights.set(key, height);
    if (index < 0) return false;
    this.#counted = Math.min(this.#counted, index);
    this.top += stood - this.begin(anchor);
    return true;
  }

  #offset(index: number): number {
    for (; this.#counted < index; this.#counted++) {
      const height = this.#heights.get(this.#keys[this.#counted] ?? '') ?? LINE_PX;
      this.#offsets[this.#counted + 1] = (this.#offsets[this.#counted] ?? 0) + height;
    }
    return this.#offsets[index] ?? 0;
  }
}
