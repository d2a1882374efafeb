/**
 * Characters that a name cannot have: controls, marks that turn the reading direction, invisible fillers, tag letters
 * and other variation selectors of U+E0000, private use. The joiners U+200C and U+200D and the variation selectors of
 * emoji stay: several scripts are written with them.
 */
const unusable =
  /[[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{DI}\u0600-\u0605\u06DD\u070F\u2800\uFFF9-\uFFFC]--[\uFE00-\uFE0F]--\u200C--\u200D]/gv;

/** Without characters that a file's name cannot have, either. */
export const withoutUnusable = (text: string): string => text.replace(unusable, '');
