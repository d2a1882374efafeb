import type * as z from 'zod/mini';

/**
 * Declares a schema that is created on first use, so that a page creates only the schemas it uses
 * (docs/decisions/019-web-performance.md).
 */
export const schema = <Schema extends z.ZodMiniType>(make: () => Schema): (() => Schema) =>
  once(make);

/** The parsed type of a declared schema: `type User = Output<typeof User>`. */
export type Output<Declared extends () => z.ZodMiniType> = z.output<ReturnType<Declared>>;

/**
 * Characters that a name must not contain: controls, bidirectional marks, invisible fillers, tag letters and other
 * variation selectors of U+E0000, private use. The joiners U+200C and U+200D and emoji variation selectors are allowed:
 * several scripts need them.
 */
const unusable =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}\u0600-\u0605\u06DD\u070F\u2800\uFFF9-\uFFFC]--[\uFE00-\uFE0F]--\u200C--\u200D]/gv;

/** Removes characters that names, and file names, must not contain. */
export const withoutUnusable = (text: string): string => text.replace(unusable, '');

/** Calls `make` on first use and returns the same value from then on. */
export function once<Made>(make: () => Made): () => Made {
  let made: { value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}

export function oncePer<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const created = make(key);
    made.set(key, created);
    return created;
  };
}
