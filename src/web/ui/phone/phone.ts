import { normalizePhone } from '#contract/base/written-number.ts';

/*
 * The text of a telephone field follows `formatPhone` of the contract, and `telephone.ts` in Indonesia (tests compare
 * them), without the schemas of the one and the countries of the other: they would add 8 kB and 2 kB (gzip) to the
 * sign-in page, which has a telephone field.
 */

/** The digits of a text. */
export const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** Converts typed text to digits with the country code; '' if there is no digit. */
export function phoneDigits(typed: string): string {
  const number = normalizePhone(typed);
  if (/^\d*$/.test(number)) return number;
  // Drops other characters first, so that a leading 0 is found.
  return normalizePhone(`${/^\s*\+/.test(typed) ? '+' : ''}${digitsOf(typed)}`);
}

/** Digits as the field shows them: `+62 812-3456-7890`; empty for none. */
export function showTyped(digits: string): string {
  if (digits === '') return '';
  if (!digits.startsWith('62')) return `+${digits.replace(/(\d{4})(?=\d)/g, '$1 ')}`;
  const national = digits.slice(2);
  const groups = [national.slice(0, 3), national.slice(3, 7), national.slice(7)].filter(Boolean);
  return `+62 ${groups.join('-')}`.trim();
}

/**
 * The caret position after regrouping: after the same digit, and inside a bracket that was closed for it.
 *
 * @param after the number of digits after the caret.
 */
export function caretFor(text: string, after: number): number {
  let at = text.length;
  let left = after;
  for (; at > 0 && (left > 0 || !/\d/.test(text.charAt(at - 1))); at--) {
    if (/\d/.test(text.charAt(at - 1))) left--;
  }
  return at || (after > 0 ? text.search(/\d/) : text.length);
}
