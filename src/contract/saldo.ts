import * as z from 'zod/mini';
import { act, paging } from './act.ts';
import { CivilDay } from './days.ts';
import { Id, IdInput } from './ids.ts';
import { Rupiah } from './money.ts';
import { WholeNumber } from './numbers.ts';

export const EntryKind = z.enum([
  'hold',
  'release',
  'capture',
  'topup',
  'bonus',
  'plan',
  'refund',
  'payout',
  'adjust',
]);
export type EntryKind = z.output<typeof EntryKind>;

/** Kinds in the interface's words. */
export const entryKindLabel: Record<EntryKind, string> = {
  hold: 'Ditahan untuk pesan',
  release: 'Tahanan dikembalikan',
  capture: 'Biaya pesan',
  topup: 'Isi saldo',
  bonus: 'Bonus',
  plan: 'Paket',
  refund: 'Pengembalian',
  payout: 'Pencairan',
  adjust: 'Penyesuaian',
};

export const saldoSummary = act({
  name: 'saldo_summary',
  by: 'customer',
  output: z.object({
    available: Rupiah,
    held: Rupiah,
    status: z.enum(['active', 'frozen', 'closed']),
    /** Top-ups that wait to be paid. */
    topups_open: z.int(),
    /** The list price of one message, today. */
    message_price: Rupiah,
  }),
});
export type SaldoSummary = z.output<typeof saldoSummary.output>;

/** One line of the statement. */
export const Mutation = z.object({
  seq: z.int(),
  kind: EntryKind,
  /** What it did to the available saldo. */
  amount: Rupiah,
  /** What it did to the held part. */
  held_amount: Rupiah,
  available_after: Rupiah,
  held_after: Rupiah,
  /** How many messages it stands for. */
  items: z.int(),
  memo: z.nullable(z.string()),
  topup_id: z.nullable(Id('topup')),
  created_at: z.coerce.date(),
});
export type Mutation = z.output<typeof Mutation>;

export const listMutations = act({
  name: 'saldo_mutation_list',
  by: 'customer',
  list: 'default',
  input: {
    ...paging(['created_at']),
    from: z.optional(CivilDay),
    to: z.optional(CivilDay),
    kind: z.optional(EntryKind),
  },
  output: Mutation,
});

export const TopupStatus = z.enum([
  'pending',
  'paid',
  'expired',
  'cancelled',
  'review',
  'rejected',
]);
export type TopupStatus = z.output<typeof TopupStatus>;

export const topupStatusLabel: Record<TopupStatus, string> = {
  pending: 'Menunggu pembayaran',
  paid: 'Lunas',
  expired: 'Kedaluwarsa',
  cancelled: 'Dibatalkan',
  review: 'Sedang diperiksa',
  rejected: 'Ditolak',
};

/** A try to put money in by bank transfer; `total` is the exact amount to transfer. */
export const Topup = z.object({
  id: Id('topup'),
  status: TopupStatus,
  base: Rupiah,
  ppn: Rupiah,
  /** The kode unik, 1 to 999 rupiah, that tells this transfer from all others. */
  unique_code: Rupiah,
  total: Rupiah,
  /** What the saldo grows by when it is paid. */
  credited: Rupiah,
  bank: z.object({ name: z.string(), number: z.string(), holder: z.string() }),
  created_at: z.coerce.date(),
  expires_at: z.coerce.date(),
  paid_at: z.nullable(z.coerce.date()),
  note: z.nullable(z.string()),
});
export type Topup = z.output<typeof Topup>;

export const TOPUP_MIN = 10_000;
export const TOPUP_MAX = 100_000_000;
export const TOPUP_PRESETS = [50_000, 100_000, 250_000, 500_000, 1_000_000] as const;
/** Waiting top-ups one account may have at once (`ledger.md`, 3.1). */
export const TOPUPS_OPEN_MAX = 3;

const TopupAmount = WholeNumber({
  missing: 'Tulis nominalnya.',
  sentence: 'Tulis nominal dengan angka saja, dalam rupiah bulat.',
  minimum: TOPUP_MIN,
  tooSmall: 'Isi saldo paling sedikit Rp 10.000.',
  maximum: TOPUP_MAX,
  tooBig: 'Isi saldo paling banyak Rp 100.000.000.',
});

export const createTopup = act({
  name: 'topup_create',
  by: 'customer',
  changes: true,
  audited: true,
  input: { amount: TopupAmount },
  output: Topup,
  refuses: ['topup_too_many', 'topup_amount_busy', 'wallet_frozen', 'account_suspended'],
});

export const listTopups = act({
  name: 'topup_list',
  by: 'customer',
  list: 'default',
  input: { ...paging(['created_at']), status: z.optional(TopupStatus) },
  output: Topup,
});

export const getTopup = act({
  name: 'topup_get',
  by: 'customer',
  input: { topup_id: IdInput('topup') },
  output: Topup,
});

export const cancelTopup = act({
  name: 'topup_cancel',
  by: 'customer',
  changes: true,
  audited: true,
  input: { topup_id: IdInput('topup') },
  output: Topup,
  refuses: ['topup_closed', 'topup_already_paid'],
});
