import { type Rupiah, formatRupiah } from '#contract/base/money.ts';
import { formatDate } from '#contract/base/time.ts';
import type { Plan } from '#contract/billing/plans.ts';

/** What people read: the title on a notice, the body on it and in the message. */
export type NoticeText = { title: string; body: string };

type Paid = {
  plan: Plan;
  period: { start: Date; end: Date };
  /** What is left of the saldo. */
  available: Rupiah;
};

type Due = { plan: Plan; graceUntil: Date; available: Rupiah };

/** A renewal is near. */
export function upcoming(
  { plan, next, at, isEnding }: { plan: Plan; next: Plan; at: Date; isEnding: boolean },
  available: Rupiah,
): NoticeText {
  const day = formatDate(at);
  if (isEnding) {
    return {
      title: `Paket ${plan.name} berakhir ${day}`,
      body:
        `Paket ${plan.name} Anda berakhir pada ${day} seperti yang Anda minta, lalu menjadi paket ` +
        'Gratis. Berubah pikiran? Lanjutkan paket di halaman Tagihan sebelum tanggal itu.',
    };
  }
  const price = formatRupiah(next.price);
  const isShort = available < next.price;
  const saldo = isShort
    ? `Saldo Anda ${formatRupiah(available)}, kurang ${formatRupiah(next.price - available)}. ` +
      'Isi saldo sebelum tanggal itu agar paket tidak terputus.'
    : `Saldo Anda ${formatRupiah(available)}, sudah cukup. Anda tidak perlu melakukan apa-apa.`;
  return {
    title: isShort
      ? `Saldo kurang untuk paket ${next.name}`
      : `Paket ${next.name} segera diperpanjang`,
    body: `Paket ${next.name} diperpanjang pada ${day} seharga ${price} dari saldo. ${saldo}`,
  };
}

/** A renewal was charged. */
export const charged = ({ plan, period, available }: Paid): NoticeText => ({
  title: `Paket ${plan.name} diperpanjang`,
  body:
    `Paket ${plan.name} Anda diperpanjang sampai ${formatDate(period.end)}. ` +
    `${formatRupiah(plan.price)} dipotong dari saldo; sisa saldo ${formatRupiah(available)}.`,
});

/** The saldo did not reach for a renewal. */
export const pastDue = ({ plan, graceUntil, available }: Due): NoticeText => ({
  title: `Paket ${plan.name} belum terbayar`,
  body:
    `Paket ${plan.name} seharga ${formatRupiah(plan.price)} belum dapat diperpanjang: saldo Anda ` +
    `${formatRupiah(available)}. Isi saldo sebelum ${formatDate(graceUntil)}; begitu saldo cukup, ` +
    'paket diperpanjang sendiri. Sampai saat itu paket Anda tetap berjalan.',
});

/** The day after: it is still not paid. */
export const stillDue = ({ plan, graceUntil, available }: Due): NoticeText => ({
  title: `Paket ${plan.name} masih menunggu pembayaran`,
  body:
    `Paket ${plan.name} Anda masih menunggu ${formatRupiah(plan.price)}, kurang ` +
    `${formatRupiah(Math.max(0, plan.price - available))}. Pada ${formatDate(graceUntil)} paket ` +
    'ditangguhkan bila belum terbayar. Isi saldo agar paket tetap berjalan.',
});

/** The grace is over. */
export const suspended = ({ plan, endsAt }: { plan: Plan; endsAt: Date }): NoticeText => ({
  title: `Paket ${plan.name} ditangguhkan`,
  body:
    `Paket ${plan.name} Anda ditangguhkan karena belum terbayar. Pesan tetap dapat dikirim dari saldo ` +
    `dengan harga biasa. Lanjutkan paket seharga ${formatRupiah(plan.price)} di halaman Tagihan ` +
    `sebelum ${formatDate(endsAt)}; setelah itu akun Anda memakai paket Gratis.`,
});

/** What was due is paid. */
export const recovered = ({ plan, period, available }: Paid): NoticeText => ({
  title: `Paket ${plan.name} berjalan lagi`,
  body:
    `Terima kasih. Paket ${plan.name} Anda sudah terbayar dan berlaku sampai ` +
    `${formatDate(period.end)}. ${formatRupiah(plan.price)} dipotong dari saldo; sisa saldo ` +
    `${formatRupiah(available)}.`,
});

/** A plan has ended. */
export const cancelled = ({ ended, free }: { ended: Plan; free: Plan }): NoticeText => ({
  title: `Paket ${ended.name} berakhir`,
  body:
    `Paket ${ended.name} Anda sudah berakhir. Akun Anda sekarang memakai paket ${free.name}: ` +
    `${free.quota} pesan sebulan, lalu ${formatRupiah(free.overage)} per pesan dari saldo. ` +
    'Pilih paket lagi kapan saja di halaman Tagihan.',
});
