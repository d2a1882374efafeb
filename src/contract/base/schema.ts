import type * as z from 'zod/mini';

/**
 * Declares a schema: `Phone` says how it is made, `Phone()` is the schema itself. It is made when it is
 * first asked for, once, so that a page which imports a subject makes none that it does not use
 * (docs/decisions/019-web-performance.md).
 */
export const schema = <Schema extends z.ZodMiniType>(make: () => Schema): (() => Schema) =>
  once(make);

/** What a declared schema reads: `type User = Output<typeof User>`. */
export type Output<Declared extends () => z.ZodMiniType> = z.output<ReturnType<Declared>>;

/**
 * Characters that a name cannot have: controls, marks that turn the reading direction, invisible fillers, tag letters
 * and other variation selectors of U+E0000, private use. The joiners U+200C and U+200D and the variation selectors of
 * emoji stay: several scripts are written with them.
 */
const unusable =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}\u0600-\u0605\u06DD\u070F\u2800\uFFF9-\uFFFC]--[\uFE00-\uFE0F]--\u200C--\u200D]/gv;

/** Without characters that a file's name cannot have, either. */
export const withoutUnusable = (text: string): string => text.replace(unusable, '');

/** The same every time it is asked for, and made when it first is. */
export function once<Made>(make: () => Made): () => Made {
  let made: { value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The same for each key. */
export function oncePer<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const fresh = make(key);
    made.set(key, fresh);
    return fresh;
  };
}
