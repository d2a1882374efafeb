/**
 * Characters that a name cannot have: controls, marks that turn the reading direction, invisible fillers, tag letters
 * and other variation selectors of U+E0000, private use. The joiners U+200C and U+200D stay: emoji and several scripts
 * are written with them.
 */
export const unusable =
  '\\p{Cc}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\u00AD\\u034F\\u0600-\\u0605\\u061C\\u06DD\\u070F\\u115F\\u1160\\u17B4\\u17B5' +
  '\\u180B-\\u180F\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u2800\\u3164\\uFEFF\\uFFA0\\uFFF0-\\uFFFC' +
  '\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}';
export const allUnusable = new RegExp(`[${unusable}]`, 'gu');

/** Without characters that a file's name cannot have, either. */
export const withoutUnusable = (text: string): string => text.replace(allUnusable, '');
