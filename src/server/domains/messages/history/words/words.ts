/** A word has so many letters at least, and at most; others are not searched. */
const LETTERS = { min: 2, max: 40 };
/** Of a message's words the first so many are searched. */
const WORDS_MAX = 200;

const word = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * The words of a text: runs of letters and digits of any script, small, in one Unicode form (NFKC), each once.
 *
 * What is stored and what is typed go through it, so that they are the same words.
 */
export function wordsIn(text: string): string[] {
  const found = new Set<string>();
  for (const one of text.normalize('NFKC').toLowerCase().match(word) ?? []) {
    if (one.length >= LETTERS.min && one.length <= LETTERS.max) found.add(one);
    if (found.size === WORDS_MAX) break;
  }
  return [...found];
}

/** So short, and of ASCII alone: it has fewer words than are searched, and their letters need no other form. */
const plain = /^\p{ASCII}{0,400}$/u;

/**
 * Tells of texts whether they have all of some words.
 *
 * @param words from `wordsIn`.
 */
export function matcherOf(words: readonly string[]): (text: string) => boolean {
  const whole = words.map((one) => new RegExp(`(?<![a-z0-9])${one}(?![a-z0-9])`, 'i'));
  return (text) => {
    if (plain.test(text)) return whole.every((one) => one.test(text));
    const has = new Set(wordsIn(text));
    return words.every((one) => has.has(one));
  };
}

/** What never changes of a message beside its text, and is searched like a word. */
export type Kind = {
  direction?: string | undefined;
  type?: string | undefined;
  tokenId?: string | undefined;
};

/** Words that no text has: of a message's kind, or of a filter by it. */
export const kindWords = ({ direction, type, tokenId }: Kind): string[] =>
  [direction, type, tokenId].flatMap((value) => (value === undefined ? [] : [`=${value}`]));
