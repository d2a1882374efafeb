/*
 * The same rules as `normalizePhone` and `formatPhone` of the contract, and as those of
 * `telephone.ts` in Indonesia (tests compare them), without the schemas of the one and the
 * countries of the other: they would add 8 kB and 2 kB (gzip) to the sign-in page, which has a
 * telephone field.
 */

/** The digits of a text, everything else left out. */
export const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** What people type as digits with the country in front; '' when no digit was typed. */
export const phoneDigits = (typed: string): string => withCountry(typed).replace(/^620+/, '62');

function withCountry(typed: string): string {
  const digits = typed.replace(/\D/g, '');
  if (/^\s*\+/.test(typed)) return digits;
  if (digits.startsWith('00')) return digits.slice(2);
  if (digits.startsWith('0')) return `62${digits.slice(1)}`;
  return digits.startsWith('8') ? `62${digits}` : digits;
}

/** Digits as the field shows them: `+62 812-3456-7890`; nothing for none. */
export function showTyped(digits: string): string {
  if (digits === '') return '';
  if (!digits.startsWith('62')) return `+${digits.replace(/(\d{4})(?=\d)/g, '$1 ')}`;
  const national = digits.slice(2);
  const groups = [national.slice(0, 3), national.slice(3, 7), national.slice(7)].filter(Boolean);
  return `+62 ${groups.join('-')}`.trim();
}

/**
 * Where the caret belongs after a text was grouped anew: behind the digit it stood behind, and
 * inside a bracket that was closed for it.
 *
 * @param after how many digits follow the caret.
 */
export function caretFor(text: string, after: number): number {
  let at = text.length;
  let left = after;
  for (; at > 0 && (left > 0 || !/\d/.test(text.charAt(at - 1))); at--) {
    if (/\d/.test(text.charAt(at - 1))) left--;
  }
  return at || (after > 0 ? text.search(/\d/) : text.length);
}
