import { formatDateTime } from '#contract/base/time.ts';
import { type PriceCategory, categoryLabel } from '#contract/channels.ts';
import { instantOf } from '#web/features/operator/moment.ts';

type Rate = Readonly<Record<'num' | 'den' | 'dpp_num' | 'dpp_den', string | number>>;

/** A rate of PPN in words: `12% dari 11/12`. */
export const rateWords = ({ num, den, dpp_num, dpp_den }: Rate): string =>
  `${Number(den) === 100 ? `${num}%` : `${num}/${den}`} dari ${dpp_num}/${dpp_den}`;

export function fromWords(typed: string): string {
  const at = instantOf(typed);
  return at === undefined ? 'sekarang' : formatDateTime(new Date(at), 'Asia/Jakarta');
}

export const categoryWords = (category: PriceCategory): string =>
  category === 'message'
    ? 'Pesan (Simulator dan WhatsApp Web)'
    : `Cloud API: ${categoryLabel[category]}`;

export const whatOf = (category: PriceCategory): string =>
  category === 'message' ? 'Pesan' : `Pesan Cloud API jenis ${categoryLabel[category]}`;
