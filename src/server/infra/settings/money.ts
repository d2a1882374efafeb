import { TOPUP_MAX, TOPUP_MIN } from '#contract/saldo.ts';
import { ALERT_MAX } from '#contract/saldo/alert.ts';
import { gatewaySettings } from './gateways.ts';
import { oneOf, switched, text } from './readers.ts';
import { sellerSettings } from './seller.ts';
import { liveWhole, optional, setting } from './setting.ts';

/** The settings that have to do with money. */
export const moneySettings = {
  WELCOME_BONUS: liveWhole({
    means:
      'Saldo a new account begins with, in whole rupiah; a number that had an account before gets none.',
    kind: 'rupiah',
    min: 0,
    max: 10_000_000,
    fallback: 10_000,
    group: 'registration',
    label: 'Bonus selamat datang',
    help: 'Saldo awal akun baru, sekali untuk tiap nomor. Nol: tanpa bonus. Akun yang sudah ada tidak berubah.',
    guarded: true,
    guardsMoney: true,
  }),
  WELCOME_BONUS_USE: setting(
    'What that saldo pays for until a first top-up, or until an operator approves: the simulator and the account’s own number (`own`), or everything (`all`).',
    oneOf('own', 'all'),
    'own',
  ),
  CLOCK: setting(
    'Whether the clock of money can be moved forward (`movable`), to see renewals and expiry without waiting; refused in production.',
    oneOf('real', 'movable'),
    'real',
  ),
  PPN: setting('Whether PPN is added to top-ups.', switched, 'off'),
  KODE_UNIK: setting(
    'Where the kode unik of a transfer goes: to the customer (`saldo`) or to us (`income`).',
    oneOf('saldo', 'income'),
    'saldo',
  ),
  FOUR_EYES_ABOVE: liveWhole({
    means:
      'Above so many rupiah, corrections, refunds and payouts take two operators, and so does confirming a top-up without a bank line of exactly its amount.',
    kind: 'rupiah',
    min: 0,
    max: 1_000_000_000,
    fallback: 5_000_000,
    group: 'money',
    label: 'Dua operator di atas',
    help: 'Di atas nominal ini, penyesuaian, pengembalian, pencairan, dan konfirmasi tanpa mutasi bank yang tepat memerlukan dua operator. ',
    guarded: true,
    guardsMoney: true,
  }),
  FOUR_EYES_DAY_ABOVE: liveWhole({
    means:
      'Above so many rupiah that one operator gives alone within 24 hours, to all customers together, each further entry or confirmation takes two operators; what their imports of statements pay counts.',
    kind: 'rupiah',
    min: 0,
    max: 100_000_000_000,
    fallback: 25_000_000,
    group: 'money',
    label: 'Dua operator di atas, sehari',
    help: 'Jumlah yang boleh diputuskan satu operator sendiri dalam 24 jam untuk semua pelanggan: penyesuaian, pengembalian, pencairan, bonus, konfirmasi, dan mutasi yang diimpornya.',
    guarded: true,
    guardsMoney: true,
  }),
  TOPUP_MINIMUM: liveWhole({
    means: 'The smallest top-up a customer may make, in whole rupiah before PPN.',
    kind: 'rupiah',
    min: TOPUP_MIN,
    max: TOPUP_MAX,
    fallback: TOPUP_MIN,
    group: 'money',
    label: 'Isi saldo paling sedikit',
    help: 'Sebelum PPN, untuk semua cara bayar. Isi saldo yang sudah dibuat dan pembayaran tagihan tidak berubah.',
  }),
  TOPUP_MAXIMUM: liveWhole({
    means: 'The largest top-up a customer may make, in whole rupiah before PPN.',
    kind: 'rupiah',
    min: TOPUP_MIN,
    max: TOPUP_MAX,
    fallback: TOPUP_MAX,
    group: 'money',
    label: 'Isi saldo paling banyak',
    help: 'Sebelum PPN. QRIS dapat memiliki batas yang lebih rendah.',
  }),
  SALDO_ALERT: liveWhole({
    means:
      'The threshold of the low-saldo alert that new accounts begin with, in whole rupiah; 0 leaves it off until its owner sets one.',
    kind: 'rupiah',
    min: 0,
    max: ALERT_MAX,
    fallback: 0,
    group: 'money',
    label: 'Peringatan saldo rendah akun baru',
    help: 'Batas awal peringatan saldo rendah. Pelanggan dapat mengubahnya sendiri. Nol: mati sampai pelanggan menyalakannya.',
  }),
  BANK_NAME: optional(
    'The bank that top-ups are transferred to. Required in production, with its number and holder; without them a local installation names a simulated bank.',
    text,
  ),
  BANK_NUMBER: optional('The account number that top-ups are transferred to.', text),
  BANK_HOLDER: optional('In whose name that account is.', text),
  ...gatewaySettings,
  ...sellerSettings,
};
