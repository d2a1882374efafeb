import { flushSync } from 'react-dom';
import { LinePlaces, type Range } from '#web/ui/chat/thread/linePlaces.ts';

/** So far beyond both edges lines are drawn: they are there, and measured, before they come into view. */
const BUFFER_PX = 500;
/** By so much that grows with each frame, from nothing: what is in view is drawn first, and no frame draws much. */
const BUFFER_STEP_PX = 100;
/** So much further away a line may be before it is drawn no longer. */
const SLACK_PX = 300;

/** Where it is to be scrolled to: its end, at once or gliding, or a line at its top or in its middle. */
export type Held = 'end' | 'glide' | [index: number, align: 'start' | 'center'];

/** What the owner of the lines says and is told. */
export type Owner = {
  /** Where it stays, whatever comes; undefined: where somebody has scrolled to. @param news its end is another, or something has another size */
  held: (news: boolean) => Held | undefined;
  /** It was scrolled, by so many px; 0: by what the window itself did. */
  scrolled: (by: number) => void;
  /** Lines were drawn. */
  drawn: () => void;
  draw: (range: Range) => void;
};

/**
 * Draws of a long list of lines those in view and some around them, in the normal flow of the page, with room for the
 * others above and below. A line that turns out higher or lower than guessed takes that from the room, so what
 * is read does not move, and nothing is scrolled for it.
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

  /** Lines were drawn: called before they are painted. */
  drawn(keys: readonly string[], range: Range): void {
    if (keys !== this.#keys) this.places.replace(keys, this.offset);
    // What stands below all lines is one of them.
    const news = keys.slice(-2).join(' ') !== this.#keys.slice(-2).join(' ');
    this.#keys = keys;
    this.#range = range;
    // Before anything is measured: without room for all, the page would be scrolled up.
    this.#makeRoom();
    // Not shown at all: nothing has a size.
    if (this.viewport === 0) return;
    this.#noteScroll();
    const children = [...this.#list.children];
    const isKnown = (line: Element) => this.#keyOf.has(line);
    const [first, last] = [children.findIndex(isKnown), children.findLastIndex(isKnown)];
    const read = this.places.at(this.offset);
    // What was there already stays: of the line that is read, or of the one nearest to it.
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

  /** Puts everything where it belongs, and draws what that brings into view. */
  settle(news = true): void {
    const held = this.#owner.held(news);
    const { from } = this.#range;
    // Scrolled to where it belongs in any case; or near the first line, above which there must be no room and no want of it.
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

  /** Lets the first line begin at the top of what scrolls. */
  #level(): void {
    const by = -Math.round(this.places.top);
    if (by === 0) return;
    this.places.top += by;
    this.#makeRoom();
    this.#scroller.scrollTop += by;
    this.offset = this.#scroller.scrollTop;
  }

  /** Takes the place of the lines that are not drawn. */
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

  /** Takes in what was scrolled. Lines may be drawn before its event comes: it would be put back. @returns whether it was */
  #noteScroll(): boolean {
    const by = this.#scroller.scrollTop - this.offset;
    // What is not shown any more is at its top, as the browser has it.
    if (by === 0 || this.#scroller.clientHeight === 0) return false;
    this.offset += by;
    // Whether that is the end is told by what is known of the lines until now.
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
      // Where it was when it was last shown.
      this.#makeRoom();
      this.#scroller.scrollTop = this.offset;
      this.drawn(this.#keys, this.#range);
    } else if (isOther) this.settle();
  }

  /** Draws the lines around what is in view. @param now at once where some of it is not drawn yet */
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

  /** Draws more and more beyond the edges, a little with each frame. */
  #grow(): void {
    if (this.#buffer >= BUFFER_PX || this.#frame !== 0 || this.#range.to === 0) return;
    this.#frame = requestAnimationFrame(() => {
      // After what is drawn now was painted.
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
