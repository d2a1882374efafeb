export type Random = {
  /** 0 ≤ next < 1. */
  next: () => number;
  /** An integer; both bounds are included. */
  whole: (least: number, most: number) => number;
  chance: (share: number) => boolean;
  pick: <T>(list: readonly T[]) => T;
  shuffled: <T>(list: readonly T[]) => T[];
  fork: (name: string) => Random;
};

export function seededRandom(seed: number): Random {
  let state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) | 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(list: readonly T[]): T => {
    const found = list[whole(0, list.length - 1)];
    if (found === undefined) throw new RangeError('nothing to pick from');
    return found;
  };
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => ({ one, at: next() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ one }) => one);
  const fork = (name: string): Random => {
    let mixed = seed;
    for (const letter of name) mixed = Math.imul(mixed ^ (letter.codePointAt(0) ?? 0), 0x0100_0193);
    return seededRandom(mixed);
  };
  return { next, whole, chance: (share) => next() < share, pick, shuffled, fork };
}
