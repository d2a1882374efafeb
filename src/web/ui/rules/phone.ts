/*
 * The same rules as `normalizePhone` and `formatPhone` of the contract (a test compares them), without
 * its schemas: these would add 8 kB (gzip) to the sign-in page, which has a telephone field.
 */

/** What people type as digits with the country in front; '' when no digit was typed. */
export function phoneDigits(typed: string): string {
  const digits = typed.replace(/\D/g, '');
  if (/^\s*\+/.test(typed)) return digits;
  if (digits.startsWith('00')) return digits.slice(2);
  if (digits.startsWith('0')) return `62${digits.slice(1)}`;
  return digits.startsWith('8') ? `62${digits}` : digits;
}

/** Digits as the field shows them when nobody is typing: `+62 812-3456-7890`, or nothing. */
export function showTyped(digits: string): string {
  if (digits === '') return '';
  if (!digits.startsWith('62')) return `+${digits.replace(/(\d{4})(?=\d)/g, '$1 ')}`;
  const national = digits.slice(2);
  const groups = [national.slice(0, 3), national.slice(3, 7), national.slice(7)].filter(Boolean);
  return `+62 ${groups.join('-')}`;
}
