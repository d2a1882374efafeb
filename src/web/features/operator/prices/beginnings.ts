import { formatDateTime } from '#contract/base/time.ts';

/** What a `datetime-local` field says, in WIB, as an instant; `undefined` while it is empty: from now. */
export const beginningOf = (typed: string): string | undefined =>
  typed === '' ? undefined : `${typed.length === 16 ? `${typed}:00` : typed}+07:00`;

/** From when a change counts, in words. */
export function fromWords(typed: string): string {
  const at = beginningOf(typed);
  return at === undefined ? 'sekarang juga' : formatDateTime(new Date(at), 'Asia/Jakarta');
}
