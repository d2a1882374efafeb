import { formatDateTime } from '#contract/base/time.ts';

type Rate = Readonly<Record<'num' | 'den' | 'dpp_num' | 'dpp_den', string | number>>;

/** A rate of PPN in words: `12% dari 11/12`. */
export const rateWords = ({ num, den, dpp_num, dpp_den }: Rate): string =>
  `${Number(den) === 100 ? `${num}%` : `${num}/${den}`} dari ${dpp_num}/${dpp_den}`;

/** What a `datetime-local` field says, in WIB, as an instant; `undefined` while it is empty: from now. */
export const beginningOf = (typed: string): string | undefined =>
  typed === '' ? undefined : `${typed.length === 16 ? `${typed}:00` : typed}+07:00`;

/** From when a change counts, in words. */
export function fromWords(typed: string): string {
  const at = beginningOf(typed);
  return at === undefined ? 'sekarang' : formatDateTime(new Date(at), 'Asia/Jakarta');
}
