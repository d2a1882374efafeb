import { flushSync } from 'react-dom';
import { LinePlaces, type Range } from '#web/ui/chat/thread/linePlaces.ts';

/** The distance beyond both edges in which lines are rendered, so that they are measured before they come into view. */
const BUFFER_PX = 500;
/** The buffer grows by this with each frame, from 0: visible lines come first, and no frame renders much. */
const BUFFER_STEP_PX = 100;
/** The additional distance at which a line is removed. */
const SLACK_PX = 300;

/** The scroll target: the end, at once or smoothly, or a line at the top or in the middle. */
export type Held = 'end' | 'glide' | [index: number, align: 'start' | 'center'];

export type Owner = {
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
export class LineWindow {
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
