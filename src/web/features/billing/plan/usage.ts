import type { Plan, Subscription } from '#contract/billing.ts';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import { formatDate, WIB } from '#contract/base/time.ts';

/** Periods are days in WIB, in every reader's zone: both ends are its midnights. */
export const formatDay = (at: Date): string => formatDate(at, WIB);

/** `24 Nov`: for a day within the period in question. */
const formatDayShort = (at: Date): string => formatDay(at).replace(/ \d{4}$/, '');

/** The last day of a period `[start, end)`. */
export const lastDayOf = (end: Date): Date => new Date(end.getTime() - 1);

/** `21 Nov – 20 Des 2026`; with both years where the period spans two. */
export function formatPeriod(start: Date, end: Date): string {
  const last = lastDayOf(end);
  const sameYear = formatDay(start).slice(-4) === formatDay(last).slice(-4);
  return `${sameYear ? formatDayShort(start) : formatDay(start)} – ${formatDay(last)}`;
}

type Used = Pick<Subscription, 'usage' | 'period_start' | 'period_end'> & {
  plan: Pick<Plan, 'overage'>;
};

export type Level = 'calm' | 'near' | 'over';

/** The level of quota usage: `near` from 80 %, `over` when none is left. */
export function levelOf({ used, quota }: Pick<Subscription['usage'], 'used' | 'quota'>): Level {
  if (used >= quota) return 'over';
  return used >= quota * 0.8 ? 'near' : 'calm';
}

const beyondWords = (count: number, price: number): string =>
  price > 0
    ? `sekitar ${formatNumber(count)} pesan di luar kuota, ${formatRupiah(count * price)}`
    : `sekitar ${formatNumber(count)} pesan di luar kuota`;

export function forecastSentence({ usage, plan, period_start, period_end }: Used): string {
  const { used, quota, beyond, forecast } = usage;
  if (quota === 0) return 'Paket ini tidak punya kuota: setiap pesan dibayar dari saldo.';
  const last = formatDayShort(lastDayOf(period_end));
  if (used + beyond === 0) return 'Belum ada pesan terkirim pada periode ini.';
  if (forecast === null) return 'Perkiraan sampai akhir periode tampil mulai besok.';
  const over = Math.max(0, forecast - quota);
  if (used >= quota) {
    return over > 0
      ? `Kuota sudah habis. Dengan pemakaian sekarang, sampai ${last} terpakai ${beyondWords(over, plan.overage)}.`
      : 'Kuota sudah habis.';
  }
  if (over === 0) {
    return `Dengan pemakaian sekarang, sekitar ${formatNumber(forecast)} pesan terpakai sampai ${last}: kuota cukup.`;
  }
  const length = period_end.getTime() - period_start.getTime();
  const runsOut = new Date(period_start.getTime() + (length * quota) / forecast);
  return `Dengan pemakaian sekarang, kuota habis sekitar ${formatDayShort(runsOut)}. Sampai ${last} terpakai ${beyondWords(over, plan.overage)}.`;
}
