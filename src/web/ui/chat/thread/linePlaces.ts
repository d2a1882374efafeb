/** The estimated height of a line, about two lines of text. */
export const LINE_PX = 64;

/** A range of rows; `to` is exclusive. */
export type Range = { from: number; to: number };

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
