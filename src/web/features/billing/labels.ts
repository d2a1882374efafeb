import type { Plan, SubscriptionStatus, Invoice, InvoiceStatus } from '#contract/billing.ts';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { TOPUP_MAX, TOPUP_MIN } from '#contract/saldo.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const invoiceTone: Record<InvoiceStatus, Tone> = {
  draft: 'neutral',
  open: 'warning',
  paid: 'success',
  void: 'neutral',
  expired: 'neutral',
};

export const subscriptionTone: Record<SubscriptionStatus, Tone> = {
  active: 'success',
  past_due: 'warning',
  suspended: 'danger',
  cancelled: 'neutral',
};

export const nameOf = ({ number }: Pick<Invoice, 'number'>): string => number ?? 'Belum bernomor';

/** The price per message when the whole quota is used; `undefined` for a plan without a price. */
export function pricePerMessage({
  price,
  quota,
}: Pick<Plan, 'price' | 'quota'>): string | undefined {
  if (price === 0 || quota === 0) return undefined;
  const each = price / quota;
  return each < 10 ? `Rp\u00A0${each.toFixed(1).replace('.', ',')}` : formatRupiah(each);
}

export const inclusionsOf = ({ quota, overage, tokens }: Plan): readonly string[] => [
  ...(quota > 0
    ? [`${formatNumber(quota)} pesan per bulan`, `${formatRupiah(overage)} per pesan di luar kuota`]
    : [`${formatRupiah(overage)} per pesan`]),
  `${formatNumber(tokens)} token`,
];

/** `012345678901234` → `01.234.567.8-901.234`; 16 digits, which have no such form, in fours. */
export const formatNpwp = (digits: string): string =>
  digits.length === 15
    ? digits.replace(/^(..)(...)(...)(.)(...)(...)$/, '$1.$2.$3.$4-$5.$6')
    : digits.replace(/(\d{4})(?=\d)/g, '$1 ');

export const topupFor = (shortage: number): number =>
  Math.min(TOPUP_MAX, Math.max(TOPUP_MIN, shortage));
