/** How high a line is taken to be until it is measured: some two lines of text. */
export const LINE_PX = 64;

/** Some rows of a list: those from `from` on, up to `to`, which is not one of them. */
export type Range = { from: number; to: number };

/**
 * Where the lines of a long list stand, in px from the top of what scrolls: those that were drawn by their heights, the
 * others by a guess.
 *
 * A line is kept where it is while others change above it, by moving `top`, where the first one begins: nothing has
 * to be scrolled for that.
 */
export class LinePlaces {
  readonly #heights = new Map<string, number>();
  #keys: readonly string[] = [];
  #offsets = new Float64Array(1);
  /** Up to this line the offsets are counted. */
  #counted = 0;

  /** Where the first line begins; below 0: it is further up than can be scrolled. */
  top = 0;

  get count(): number {
    return this.#keys.length;
  }

  /** How high all lines are together. */
  get height(): number {
    return this.#offset(this.count);
  }

  /** Where a line begins; of the number of lines: where the last one ends. */
  begin(index: number): number {
    return this.top + this.#offset(index);
  }

  /** Where a line ends. */
  end(index: number): number {
    return this.begin(index + 1);
  }

  /** The line at a height, else the nearest one; 0 where there are none. */
  at(y: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end(middle) > y) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The lines of which any part stands between two heights. */
  between(y: number, until: number): Range {
    if (this.count === 0) return { from: 0, to: 0 };
    return { from: this.at(y), to: this.at(until) + 1 };
  }

  /**
   * Other lines than before, known by their keys. The line at `y` stays where it is, or the next one that there still is.
   */
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
   * Notes how high a line is. The line at `y` stays where it is.
   *
   * @returns whether that was not known.
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
