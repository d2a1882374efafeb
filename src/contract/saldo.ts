import * as z from 'zod/mini';
import { act, paging } from './base/act.ts';
import { CivilDay } from './base/days.ts';
import { Id, IdInput } from './base/ids.ts';
import { Rupiah, formatRupiah } from './base/money.ts';
import { WholeNumber } from './base/numbers.ts';
import { Peer } from './messages/peer.ts';
import { type Output, schema } from './base/schema.ts';

export const EntryKind = schema(() =>
  z.enum([
    'hold',
    'release',
    'capture',
    'correction',
    'topup',
    'bonus',
    'plan',
    'refund',
    'payout',
    'adjust',
  ]),
);
export type EntryKind = Output<typeof EntryKind>;

export const entryKindLabel: Record<EntryKind, string> = {
  hold: 'Dana ditahan untuk pesan',
  release: 'Dana tertahan dikembalikan',
  capture: 'Biaya pesan',
  correction: 'Koreksi biaya pesan',
  topup: 'Isi saldo',
  bonus: 'Bonus',
  plan: 'Biaya paket',
  refund: 'Pengembalian dana',
  payout: 'Pencairan ke rekening',
  adjust: 'Penyesuaian saldo',
};

/** Captures and releases are steps of their hold and have no row of their own. */
export type MutationKind = Exclude<EntryKind, 'capture' | 'release'>;
export const MutationKind = schema(() =>
  z.enum(
    EntryKind().options.filter(
      (kind): kind is MutationKind => kind !== 'capture' && kind !== 'release',
    ),
  ),
);

export const mutationKindLabel: Record<MutationKind, string> = {
  ...entryKindLabel,
  hold: 'Biaya pesan',
};

/**
 * A row of the statement: an entry of the ledger; a hold for messages includes the effect of its captures and releases.
 * The amounts of all rows sum up to the wallet.
 */
export const Mutation = schema(() =>
  z.object({
    seq: z.int(),
    kind: MutationKind(),
    /** The change of the available saldo; of a hold without released amounts. */
    amount: Rupiah(),
    /** The amount still held. */
    held_amount: Rupiah(),
    /** The available saldo after it; of a hold with releases, after the last of them. */
    available_after: Rupiah(),
    /** The amount held right after the entry. */
    held_after: Rupiah(),
    items: z.int(),
    /**
     * Of a hold: how many of its messages were paid, released, or are pending. Released ones that arrived after all
     * were charged again by a row of their own (corrected), or waived.
     */
    outcome: z.nullable(
      z.object({
        captured: z.int(),
        released: z.int(),
        corrected: z.int(),
        waived: z.int(),
        held: z.int(),
        returned: Rupiah(),
        available_when_held: Rupiah(),
      }),
    ),
    message: z.nullable(
      z.object({ id: Id('message'), peer: Peer(), peer_name: z.nullable(z.string()) }),
    ),
    memo: z.nullable(z.string()),
    topup_id: z.nullable(Id('topup')),
    invoice_id: z.nullable(Id('invoice')),
    created_at: z.coerce.date(),
  }),
);
export type Mutation = Output<typeof Mutation>;

export const listMutations = act({
  name: 'saldo_mutation_list',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    from: z.optional(CivilDay()),
    to: z.optional(CivilDay()),
    kind: z.optional(MutationKind()),
    /** Only this row, by its number; the days and the kind are then ignored. */
    seq: z.optional(WholeNumber({ minimum: 1 })),
  }),
  output: Mutation,
});

/** Rows of a PDF statement; longer ones are CSV. */
export const STATEMENT_PDF_MAX = 5_000;

/**
 * A signed link to the statement of a range of days, valid for minutes: every entry, in order, with the saldo after it.
 */
export const exportSaldo = act({
  name: 'saldo_export',
  by: 'customer',
  audited: true,
  input: () => ({
    from: CivilDay(),
    to: CivilDay(),
    kind: z.optional(MutationKind()),
    format: z.enum(['csv', 'pdf']),
  }),
  output: () => z.object({ url: z.string(), filename: z.string() }),
  refuses: ['statement_too_long'],
});

export const MutationMessage = schema(() =>
  z.object({
    message_id: Id('message'),
    peer: Peer(),
    peer_name: z.nullable(z.string()),
    price: Rupiah(),
    /** `corrected`: released, then charged again. `waived`: released, and borne by us. */
    state: z.enum(['held', 'captured', 'released', 'corrected', 'waived']),
    /** When it was paid or released, and the available saldo right after; null while it is held. */
    settled_at: z.nullable(z.coerce.date()),
    available_after: z.nullable(Rupiah()),
    /** When it was charged again, and the available saldo right after; null otherwise. */
    corrected_at: z.nullable(z.coerce.date()),
    corrected_after: z.nullable(Rupiah()),
  }),
);
export type MutationMessage = Output<typeof MutationMessage>;

export const listMutationMessages = act({
  name: 'saldo_mutation_messages',
  by: 'customer',
  list: 'default',
  input: () => ({
    ...paging(['created_at']),
    seq: WholeNumber({ minimum: 1 }),
  }),
  output: MutationMessage,
});

export const TopupStatus = schema(() =>
  z.enum(['creating', 'pending', 'paid', 'expired', 'cancelled', 'review', 'rejected']),
);
export type TopupStatus = Output<typeof TopupStatus>;

export const topupStatusLabel: Record<TopupStatus, string> = {
  creating: 'Sedang disiapkan',
  pending: 'Menunggu pembayaran',
  paid: 'Lunas',
  expired: 'Kedaluwarsa',
  cancelled: 'Dibatalkan',
  review: 'Sedang diperiksa',
  rejected: 'Ditolak',
};

export const TopupMethod = schema(() =>
  z.enum(['bank', 'qris', 'va_bca', 'va_bni', 'va_bri', 'va_cimb', 'va_permata', 'snap', 'xendit']),
);
export type TopupMethod = Output<typeof TopupMethod>;

export const topupMethodLabel: Record<TopupMethod, string> = {
  bank: 'Transfer bank',
  qris: 'QRIS',
  va_bca: 'Virtual account BCA',
  va_bni: 'Virtual account BNI',
  va_bri: 'Virtual account BRI',
  va_cimb: 'Virtual account CIMB Niaga',
  va_permata: 'Virtual account Permata',
  snap: 'Kartu, dompet digital, dan lainnya (Midtrans)',
  xendit: 'QRIS, dompet digital, dan lainnya (Xendit)',
};

/** A payment into the saldo; `total` is the exact amount to pay. */
export const Topup = schema(() =>
  z.object({
    id: Id('topup'),
    status: TopupStatus(),
    base: Rupiah(),
    ppn: Rupiah(),
    /** The kode unik, 1 to 999 rupiah, which identifies this transfer. */
    unique_code: Rupiah(),
    total: Rupiah(),
    credited: Rupiah(),
    method: TopupMethod(),
    /** True if the simulated bank or gateway handles it: no real money moves. */
    simulated: z.boolean(),
    bank: z.nullable(z.object({ name: z.string(), number: z.string(), holder: z.string() })),
    /** The QRIS text to draw, for the method `qris` once the gateway has provided it. */
    qr: z.nullable(z.string()),
    va: z.nullable(z.object({ bank: z.string(), number: z.string() })),
    page_url: z.nullable(z.url()),
    proof: z.nullable(z.object({ file_id: Id('file'), at: z.coerce.date() })),
    created_at: z.coerce.date(),
    expires_at: z.coerce.date(),
    paid_at: z.nullable(z.coerce.date()),
    note: z.nullable(z.string()),
  }),
);
export type Topup = Output<typeof Topup>;

export const TOPUP_MIN = 10_000;
export const TOPUP_MAX = 100_000_000;
export const TOPUP_PRESETS = [50_000, 100_000, 250_000, 500_000, 1_000_000] as const;

const TopupAmount = schema(() =>
  WholeNumber({
    missing: 'Tulis nominalnya.',
    sentence: 'Tulis nominal dengan angka saja, dalam rupiah bulat.',
    minimum: TOPUP_MIN,
    tooSmall: 'Isi saldo minimal Rp 10.000.',
    maximum: TOPUP_MAX,
    tooBig: 'Isi saldo paling banyak Rp 100.000.000.',
  }),
);

export const TopupOffer = schema(() =>
  z.object({
    method: TopupMethod(),
    simulated: z.boolean(),
    /** The smallest and largest amount, before PPN. */
    minimum: Rupiah(),
    maximum: Rupiah(),
    minutes: z.int(),
  }),
);
export type TopupOffer = Output<typeof TopupOffer>;

export const listTopupMethods = act({
  name: 'topup_methods',
  by: 'customer',
  output: () =>
    z.object({
      methods: z.array(TopupOffer()),
      ppn: z.boolean(),
    }),
});

export const createTopup = act({
  name: 'topup_create',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ amount: TopupAmount(), method: z.optional(TopupMethod()) }),
  output: Topup,
  refuses: [
    'topup_too_many',
    'topup_too_often',
    'topup_amount_busy',
    'topup_amount_unfit',
    'gateway_down',
    'wallet_frozen',
    'account_suspended',
  ],
});

export const listTopups = act({
  name: 'topup_list',
  by: 'customer',
  list: 'default',
  input: () => ({ ...paging(['created_at']), status: z.optional(TopupStatus()) }),
  output: Topup,
});

export const getTopup = act({
  name: 'topup_get',
  by: 'customer',
  input: () => ({ topup_id: IdInput('topup') }),
  output: Topup,
});

export const cancelTopup = act({
  name: 'topup_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ topup_id: IdInput('topup') }),
  output: Topup,
  refuses: ['topup_closed', 'topup_already_paid'],
});

/** "Sudah bayar?": queries the gateway now. A bank transfer is returned unchanged. */
export const checkTopup = act({
  name: 'topup_check',
  by: 'customer',
  input: () => ({ topup_id: IdInput('topup') }),
  output: Topup,
  refuses: ['gateway_down'],
});

/** Proofs per top-up; the newest counts. */
export const TOPUP_PROOFS_MAX = 3;

/**
 * Sends the slip of a bank transfer, an upload of the purpose `proof`. An operator sees it beside the amount; only
 * money pays a top-up.
 */
export const uploadTransferProof = act({
  name: 'topup_proof',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({ topup_id: IdInput('topup'), upload: IdInput('upload') }),
  output: Topup,
  refuses: [
    'upload_gone',
    'topup_already_paid',
    'topup_closed',
    'topup_proof_unneeded',
    'topup_proof_limit',
  ],
});

export const ALERT_MIN = 1_000;
export const ALERT_MAX = 100_000_000;

export const SaldoAlert = schema(() =>
  z.object({
    threshold: z.nullable(Rupiah()),
    fired_at: z.nullable(z.coerce.date()),
  }),
);
export type SaldoAlert = Output<typeof SaldoAlert>;

export const getSaldoAlert = act({
  name: 'saldo_alert_get',
  by: 'customer',
  output: SaldoAlert,
});

/** Sets the threshold; without one the alert is off. */
export const saveSaldoAlert = act({
  name: 'saldo_alert_save',
  by: 'customer',
  changes: true,
  audited: true,
  input: () => ({
    threshold: z.optional(
      WholeNumber({
        missing: 'Tulis batasnya, atau matikan peringatannya.',
        sentence: 'Tulis batas dengan angka saja, dalam rupiah bulat.',
        minimum: ALERT_MIN,
        tooSmall: `Batas minimal ${formatRupiah(ALERT_MIN)}.`,
        maximum: ALERT_MAX,
        tooBig: `Batas paling banyak ${formatRupiah(ALERT_MAX)}.`,
      }),
    ),
  }),
  output: SaldoAlert,
});

/** Days of the chart, today included. */
export const USAGE_DAYS = 30;
/** The largest number of whole days in the average, and the minimum for it to be shown. */
export const PACE_DAYS = 7;
export const PACE_DAYS_MIN = 3;

/** The spending of one WIB day, by when its messages were accepted. */
export const UsageDay = schema(() =>
  z.object({
    date: z.string(),
    captured: Rupiah(),
    /** Held for messages without an outcome yet. */
    held: Rupiah(),
    plan: Rupiah(),
  }),
);
export type UsageDay = Output<typeof UsageDay>;

/**
 * The daily cost of messages over the whole days before today: `known` is the average of `days` of them; `little`: too
 * few days since the first use; `none`: no use.
 */
export const Pace = schema(() =>
  z.discriminatedUnion('state', [
    z.object({ state: z.literal('known'), per_day: Rupiah(), days: z.int() }),
    z.object({ state: z.literal('little') }),
    z.object({ state: z.literal('none') }),
  ]),
);
export type Pace = Output<typeof Pace>;

/** The last 30 days, the oldest first, today included. */
export const saldoUsage = act({
  name: 'saldo_usage',
  by: 'customer',
  output: () => z.object({ days: z.array(UsageDay()), pace: Pace() }),
});
export type SaldoUsage = z.output<typeof saldoUsage.output>;
