import type {
  Plan,
  Subscription,
  SubscriptionPreview,
  BillingProfile,
  InvoiceDetail,
} from '#contract/billing.ts';
import { rupiah } from '#contract/base/money.ts';
import type { SaldoSummary } from '#contract/saldo-summary.ts';

export const day = (text: string): Date => new Date(`${text}T00:00:00+07:00`);

const plan = (given: Omit<Plan, 'revision' | 'price' | 'overage'> & Record<string, unknown>) =>
  ({ revision: 1, ...given }) as Plan;

export const gratis = plan({
  code: 'gratis',
  name: 'Gratis',
  description: 'Untuk mencoba, dan untuk yang jarang mengirim.',
  price: 0,
  tokens: 1,
  quota: 100,
  overage: 150,
});
export const usaha = plan({
  code: 'usaha',
  name: 'Usaha',
  description: 'Untuk toko dan layanan dengan pelanggan tetap.',
  price: 99_000,
  tokens: 3,
  quota: 5_000,
  overage: 75,
});
export const bisnis = plan({
  code: 'bisnis',
  name: 'Bisnis',
  description: 'Untuk beberapa cabang dan pengiriman setiap hari.',
  price: 299_000,
  tokens: 10,
  quota: 25_000,
  overage: 50,
});

const usageOf = (used: number, { quota, overage }: Plan, forecast: number | null) => ({
  used: Math.min(used, quota),
  quota,
  beyond: Math.max(0, used - quota),
  beyond_amount: rupiah(Math.max(0, used - quota) * overage),
  forecast,
});

export function subscriptionOf(
  which: Plan,
  { used, forecast, tokens = 2 }: { used: number; forecast: number | null; tokens?: number },
): Subscription {
  const end = day('2026-12-12');
  return {
    plan: which,
    status: 'active',
    period_start: day('2026-11-12'),
    period_end: end,
    next_charge: which.price > 0 ? { at: end, amount: which.price } : null,
    next_plan: null,
    cancel_at_period_end: false,
    grace_until: null,
    shortage: null,
    usage: usageOf(used, which, forecast),
    tokens_used: tokens,
  };
}

export function upgradeOf(available: number): SubscriptionPreview {
  const total = 199_334 - 66_000;
  return {
    from: usaha,
    to: bisnis,
    when: 'now',
    starts_at: day('2026-11-22'),
    credit: rupiah(66_000),
    charge: rupiah(199_334),
    total: rupiah(total),
    days_left: 20,
    days_in_period: 30,
    quota: 18_334,
    next_charge: { at: day('2026-12-12'), amount: bisnis.price },
    available: rupiah(available),
    shortage: rupiah(Math.max(0, total - available)),
    tokens_over: 0,
    quote: 'quote-1',
  };
}

export function downgradeOf(available: number): SubscriptionPreview {
  return {
    ...upgradeOf(available),
    to: gratis,
    when: 'period_end',
    starts_at: day('2026-12-12'),
    credit: rupiah(0),
    charge: rupiah(0),
    total: rupiah(0),
    quota: gratis.quota,
    next_charge: null,
    shortage: rupiah(0),
    tokens_over: 1,
  };
}

export const buyer: BillingProfile = {
  name: 'CV Batik Ratna Jaya',
  npwp: '012345678901000',
  address: 'Jalan Malioboro 45, Yogyakarta 55271',
  email: 'keuangan@batikratna.id',
};

const seller = {
  name: 'PT Kabari Contoh',
  npwp: '098765432109000',
  address: 'Jalan Jenderal Sudirman 10, Jakarta 10220',
  email: 'tagihan@kabari.example',
  phone: null,
};

const idOf = (at: number): string => `inv_${String(at).padStart(26, '0')}`;

type Given = Partial<InvoiceDetail> & { at: number };

function invoiceOf({ at, ...given }: Given): InvoiceDetail {
  const base = given.base ?? usaha.price;
  const total = given.total ?? base;
  return {
    id: idOf(at),
    kind: 'plan',
    status: 'paid',
    number: `INV/2026/11/${String(at).padStart(6, '0')}`,
    title: 'Paket Usaha',
    period_start: null,
    period_end: null,
    base,
    ppn: rupiah(0),
    unique_code: rupiah(0),
    total,
    created_at: new Date('2026-11-12T00:01:00+07:00'),
    due_at: null,
    paid_at: new Date('2026-11-12T00:01:00+07:00'),
    topup_id: null,
    seller,
    buyer: { ...buyer, name: buyer.name ?? '', phone: '6281225550001' },
    lines: [{ text: given.title ?? 'Paket Usaha', quantity: 1, price: base, amount: base }],
    dpp: null,
    in_words: 'sembilan puluh sembilan ribu rupiah',
    paid_with: 'Saldo',
    note: null,
    verify_url: `https://kabari.example/verify/${idOf(at)}`,
    ...given,
  };
}

const period = { period_start: day('2026-11-12'), period_end: day('2026-12-12') };

export const invoices: readonly InvoiceDetail[] = [
  invoiceOf({
    at: 9,
    ...period,
    status: 'open',
    number: null,
    created_at: new Date('2026-11-22T08:15:00+07:00'),
    due_at: new Date('2026-11-25T00:00:00+07:00'),
    paid_at: null,
    paid_with: null,
    verify_url: null,
  }),
  invoiceOf({
    at: 128,
    kind: 'topup',
    title: 'Isi saldo',
    base: rupiah(250_000),
    dpp: rupiah(229_167),
    ppn: rupiah(27_500),
    unique_code: rupiah(123),
    total: rupiah(277_623),
    in_words: 'dua ratus tujuh puluh tujuh ribu enam ratus dua puluh tiga rupiah',
    created_at: new Date('2026-11-20T10:02:00+07:00'),
    paid_at: new Date('2026-11-20T10:09:00+07:00'),
    paid_with: 'Transfer bank',
    topup_id: `TU-${'0'.repeat(25)}1`,
  }),
  invoiceOf({
    at: 7,
    kind: 'topup',
    title: 'Isi saldo',
    status: 'expired',
    number: null,
    base: rupiah(1_000_000),
    unique_code: rupiah(87),
    total: rupiah(1_000_087),
    created_at: new Date('2026-11-18T16:40:00+07:00'),
    paid_at: null,
    paid_with: null,
    verify_url: null,
    topup_id: `TU-${'0'.repeat(25)}2`,
  }),
  invoiceOf({
    at: 126,
    kind: 'credit_note',
    title: 'Nota kredit atas INV/2026/11/000119',
    number: 'NK/2026/11/000004',
    base: rupiah(-33_000),
    total: rupiah(-33_000),
    in_words: 'minus tiga puluh tiga ribu rupiah',
    note: 'Sepuluh hari gangguan pada 2 November 2026.',
    created_at: new Date('2026-11-14T09:30:00+07:00'),
  }),
  invoiceOf({ at: 119, ...period }),
  invoiceOf({
    at: 98,
    number: 'INV/2026/10/000098',
    period_start: day('2026-10-12'),
    period_end: day('2026-11-12'),
    created_at: new Date('2026-10-12T00:01:00+07:00'),
  }),
];

/** The summary of a saldo whose messages cost Rp 150. */
export const saldoSummary = (more: Partial<SaldoSummary> = {}): SaldoSummary => ({
  available: rupiah(500_000),
  held: rupiah(0),
  status: 'active',
  topups_open: 0,
  topups_unpaid: 0,
  message_price: rupiah(150),
  price_beyond_quota: rupiah(150),
  quota_left: 0,
  alert_threshold: null,
  bonus_only: false,
  ...more,
});
