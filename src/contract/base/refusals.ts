import * as z from 'zod/mini';
import { secondFactorRefusals, secondFactorSentences } from '#contract/secondfactor/refusals.ts';
import { formatNumber, formatRupiah } from './money.ts';
import type { Output } from './schema.ts';

type Entry = { status: number; facts: () => z.ZodMiniType; retryable?: true };

const none = () => z.object({});
const wait = () => z.object({ seconds: z.int() });

/** Every way the server says no: its HTTP status and the facts that come with it. */
export const refusals = {
  act_unknown: { status: 400, facts: none },
  request_malformed: { status: 400, facts: () => z.object({ why: z.string() }) },
  origin_foreign: { status: 403, facts: none },
  not_signed_in: { status: 401, facts: none },
  not_allowed: { status: 403, facts: none },
  not_found: { status: 404, facts: () => z.object({ what: z.string() }) },
  path_unknown: { status: 404, facts: none },
  method_not_allowed: { status: 405, facts: () => z.object({ allow: z.string() }) },
  input_invalid: {
    status: 422,
    facts: () => z.object({ fields: z.record(z.string(), z.string()) }),
  },
  body_too_large: { status: 413, facts: none },
  media_type_unsupported: { status: 415, facts: none },
  too_many_requests: { status: 429, facts: wait, retryable: true },
  busy: { status: 503, facts: wait, retryable: true },
  timed_out: { status: 504, facts: none, retryable: true },
  our_fault: {
    status: 500,
    facts: () => z.object({ request: z.string() }),
    retryable: true,
  },

  registration_closed: { status: 423, facts: () => z.object({ text: z.string() }) },
  captcha_failed: { status: 422, facts: none },
  captcha_unreachable: { status: 503, facts: none, retryable: true },
  credentials_wrong: { status: 401, facts: none },
  otp_wrong: { status: 422, facts: () => z.object({ left: z.int() }) },
  otp_expired: { status: 410, facts: none },
  otp_too_soon: { status: 429, facts: wait },
  otp_limit: { status: 429, facts: none },
  password_common: { status: 422, facts: none },
  password_wrong: { status: 422, facts: none },
  reauth_needed: { status: 403, facts: none },
  sign_in_needed: { status: 403, facts: none },
  ...secondFactorRefusals,
  grant_gone: { status: 410, facts: none },
  phone_same: { status: 422, facts: none },
  export_limit: { status: 429, facts: () => z.object({ limit: z.int() }) },
  account_suspended: { status: 423, facts: none },
  phone_in_use: { status: 409, facts: none },
  last_admin: { status: 409, facts: none },

  token_missing: { status: 401, facts: none },
  token_invalid: { status: 401, facts: none },
  token_not_linked: { status: 409, facts: none },
  token_limit_reached: { status: 429, facts: () => z.object({ limit: z.int() }) },
  tokens_full: { status: 409, facts: () => z.object({ limit: z.int() }) },
  cooling_down: { status: 423, facts: () => z.object({ hours: z.int() }) },
  link_gone: { status: 410, facts: none },
  qr_stale: { status: 410, facts: none },
  phone_taken: { status: 409, facts: none },

  saldo_short: {
    status: 402,
    facts: () => z.object({ required: z.int(), available: z.int() }),
  },
  wallet_frozen: { status: 423, facts: none },
  idempotency_conflict: { status: 409, facts: none },
  request_in_flight: { status: 409, facts: wait, retryable: true },
  ref_conflict: { status: 409, facts: () => z.object({ ref: z.string() }) },
  recipient_opted_out: { status: 409, facts: none },
  message_final: { status: 409, facts: () => z.object({ status: z.string() }) },
  message_in_flight: { status: 409, facts: none },
  queue_full: { status: 429, facts: wait, retryable: true },
  bonus_only: { status: 402, facts: none },

  topup_too_many: { status: 409, facts: () => z.object({ limit: z.int() }) },
  topup_too_often: { status: 409, facts: () => z.object({ limit: z.int() }) },
  topup_amount_busy: { status: 409, facts: none },
  topup_amount_unfit: {
    status: 422,
    facts: () => z.object({ minimum: z.int(), maximum: z.int() }),
  },
  gateway_down: { status: 503, facts: none, retryable: true },
  topup_closed: { status: 410, facts: none },
  topup_already_paid: { status: 409, facts: none },
  topup_amount_mismatch: {
    status: 409,
    facts: () => z.object({ total: z.int(), received: z.int() }),
  },
  bank_line_used: { status: 409, facts: none },
  topup_decided: { status: 409, facts: () => z.object({ by: z.string() }) },
  topup_needs_another: { status: 409, facts: none },
  topup_at_gateway: { status: 409, facts: none },
  topup_proof_unneeded: { status: 409, facts: none },
  topup_proof_limit: { status: 409, facts: () => z.object({ limit: z.int() }) },
  statement_unknown: { status: 422, facts: none },
  bank_statement_too_long: { status: 422, facts: () => z.object({ limit: z.int() }) },
  statement_other_account: {
    status: 409,
    facts: () => z.object({ account: z.string(), ours: z.string() }),
  },
  statement_changed: { status: 409, facts: none },

  plan_same: { status: 409, facts: none },
  quote_stale: { status: 409, facts: none },
  subscription_not_running: { status: 409, facts: none },
  invoice_unpaid: { status: 409, facts: none },
  invoice_closed: { status: 409, facts: none },
  statement_too_long: { status: 422, facts: () => z.object({ limit: z.int() }) },

  adjustment_saldo_short: { status: 409, facts: () => z.object({ available: z.int() }) },
  adjustment_closed: { status: 409, facts: none },
  second_operator_needed: { status: 403, facts: none },
  account_ended: { status: 409, facts: none },
  wallet_frozen_payout: { status: 423, facts: none },
  refund_too_large: { status: 409, facts: () => z.object({ captured: z.int() }) },
  refund_done: { status: 409, facts: none },
  suspense_resolved: { status: 409, facts: none },
  topup_unpaid: { status: 409, facts: none },
  payment_refund_done: { status: 409, facts: none },
  payment_partly_returned: {
    status: 409,
    facts: () => z.object({ left: z.nullable(z.int()) }),
  },
  payment_flag_changed: { status: 409, facts: none },
  payment_refund_waits: { status: 409, facts: none },
  payment_saldo_short: { status: 409, facts: () => z.object({ lacking: z.int() }) },
  refund_finished: { status: 409, facts: none },
  refund_at_gateway: { status: 409, facts: none },
  transfer_reference_used: { status: 409, facts: none },
  books_red: { status: 423, facts: none },
  check_running: { status: 409, facts: wait, retryable: true },
  nothing_sealed: { status: 409, facts: none },
  setting_changed: { status: 409, facts: none },
  broadcast_over: { status: 409, facts: none },
  system_token_parted: { status: 409, facts: none },
  valid_from_past: { status: 422, facts: none },
  valid_from_taken: { status: 409, facts: none },

  push_service_unknown: { status: 422, facts: none },
  push_key_old: { status: 409, facts: none },
  push_gone: { status: 410, facts: none },
  push_service_down: { status: 502, facts: none, retryable: true },

  upload_gone: { status: 410, facts: none },
  support_empty: { status: 422, facts: none },
  support_too_many: { status: 429, facts: wait },
  support_not_closed: { status: 409, facts: none },
  canned_too_many: { status: 409, facts: none },
  upload_kind_refused: { status: 415, facts: () => z.object({ allowed: z.string() }) },
  upload_contradicts: { status: 422, facts: none },
  upload_unsafe: { status: 422, facts: () => z.object({ why: z.string() }) },
  upload_infected: { status: 422, facts: none },
  upload_too_large: { status: 413, facts: () => z.object({ bytesMax: z.int() }) },
  upload_empty: { status: 422, facts: none },
  upload_offset_wrong: { status: 409, facts: () => z.object({ offset: z.int() }) },
  upload_length_wrong: { status: 409, facts: () => z.object({ length: z.int() }) },
  upload_used: { status: 409, facts: none },
  upload_quota_full: { status: 409, facts: () => z.object({ bytesMax: z.int() }) },
  storage_full: { status: 409, facts: () => z.object({ bytesMax: z.int() }) },
  upload_too_slow: { status: 408, facts: none, retryable: true },
  upload_unscanned: { status: 503, facts: wait, retryable: true },
} satisfies Record<string, Entry>;

export type RefusalCode = keyof typeof refusals;
export type FactsOf<C extends RefusalCode> = Output<(typeof refusals)[C]['facts']>;

type Sentences = { [C in RefusalCode]: string | ((facts: FactsOf<C>) => string) };

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1_000_000)} MB`;

/** The sentence for people: what happened and what to do. */
const sentences: Sentences = {
  act_unknown: 'Permintaan ini tidak dikenal. Muat ulang halaman lalu coba lagi.',
  request_malformed: ({ why }) => `Permintaan tidak dapat dibaca: ${why}.`,
  origin_foreign: 'Permintaan dari situs lain ditolak. Buka Kabari langsung dari alamatnya.',
  not_signed_in: 'Sesi Anda sudah berakhir. Silakan masuk kembali.',
  not_allowed: 'Anda tidak berhak melakukan ini.',
  not_found: ({ what }) => `${what} tidak ditemukan. Periksa kembali, mungkin sudah dihapus.`,
  path_unknown: 'Alamat ini tidak ada di API. Semua alamatnya dijelaskan di /docs.',
  method_not_allowed: ({ allow }) => `Metode ini tidak berlaku di alamat ini. Gunakan ${allow}.`,
  input_invalid: 'Ada isian yang perlu diperbaiki. Periksa bagian yang ditandai.',
  body_too_large: 'Isi permintaan terlalu besar. Perkecil lalu coba lagi.',
  media_type_unsupported: 'Jenis isi permintaan tidak didukung.',
  too_many_requests: ({ seconds }) =>
    `Terlalu banyak permintaan. Coba lagi dalam ${seconds} detik.`,
  busy: ({ seconds }) =>
    `Layanan sedang sibuk. Coba lagi dalam ${seconds} detik; tidak ada yang hilang.`,
  timed_out: 'Jawaban terlalu lama. Coba lagi; permintaan yang sama tidak dijalankan dua kali.',
  our_fault: ({ request }) =>
    `Terjadi gangguan di sisi kami. Coba lagi, dan sebutkan ${request} bila menghubungi kami.`,

  registration_closed: ({ text }) => text,
  captcha_failed: 'Pemeriksaan keamanan gagal atau kedaluwarsa. Ulangi lalu coba lagi.',
  captcha_unreachable:
    'Layanan pemeriksaan keamanan sedang tidak dapat dihubungi. Coba lagi beberapa saat lagi.',
  credentials_wrong: 'Nomor atau kata sandi tidak cocok. Periksa lalu coba lagi.',
  otp_wrong: ({ left }) =>
    left > 0 ? `Kode tidak cocok. Sisa ${left} percobaan.` : 'Kode tidak cocok. Minta kode baru.',
  otp_expired: 'Kode sudah tidak berlaku. Minta kode baru.',
  otp_too_soon: ({ seconds }) => `Tunggu ${seconds} detik sebelum meminta kode lagi.`,
  otp_limit: 'Batas kode hari ini sudah tercapai. Coba lagi besok.',
  password_common: 'Kata sandi ini terlalu mudah ditebak. Pilih yang lain.',
  password_wrong: 'Kata sandi tidak cocok. Periksa lalu coba lagi.',
  reauth_needed: 'Masukkan kata sandi Anda sekali lagi untuk melanjutkan.',
  sign_in_needed:
    'Sesi ini dimulai di peramban lain. Keluar, lalu masuk lagi di peramban ini untuk melakukannya.',
  ...secondFactorSentences,
  grant_gone: 'Waktu untuk mengganti kata sandi sudah habis. Minta kode baru.',
  phone_same: 'Ini nomor Anda yang sekarang. Tulis nomor yang baru.',
  export_limit: ({ limit }) =>
    `Unduhan data hanya dapat diminta ${limit} kali sehari. Coba lagi besok.`,
  phone_in_use: 'Nomor ini sudah dipakai akun lain di sini. Tulis nomor yang lain.',
  last_admin:
    'Ini admin terakhir: tanpa admin, tidak ada yang dapat mengatur Kabari lagi. Jadikan operator lain admin, dan tunggu sampai ia masuk, lalu coba lagi.',
  account_suspended:
    'Akun ini sedang ditangguhkan. Masuk ke portal untuk membaca alasannya dan menghubungi layanan pelanggan.',

  token_missing:
    'Kunci API belum disertakan. Kirim header `Authorization: Bearer <kunci>`; kuncinya dibuat di halaman Token.',
  token_invalid:
    'Kunci API tidak dikenal, tidak tersalin utuh, atau sudah dicabut. Periksa kuncinya di halaman Token.',
  token_not_linked: 'Token belum tersambung ke ponsel. Pindai QR di halaman Token lebih dulu.',
  token_limit_reached: ({ limit }) =>
    `Batas harian token ini (${limit} pesan) sudah tercapai. Coba lagi besok atau naikkan batasnya.`,
  tokens_full: ({ limit }) =>
    `Paket Anda memuat ${limit} token. Hapus satu, atau pilih paket yang lebih besar.`,
  cooling_down: ({ hours }) =>
    `Kata sandi atau nomor akun ini baru diganti. Kunci baru dapat dibuat ${hours} jam lagi. Bukan Anda? Hubungi layanan pelanggan.`,
  link_gone: 'Tautan ini sudah dipakai atau kedaluwarsa. Minta tautan baru dari halaman Token.',
  qr_stale: 'Kode QR ini sudah diganti. Pindai kode yang terbaru.',
  phone_taken: 'Nomor ini sudah tersambung ke token lain.',

  saldo_short: ({ required, available }) =>
    `Saldo tidak cukup: perlu ${formatRupiah(required)}, tersedia ${formatRupiah(available)}. Isi saldo lebih dulu.`,
  wallet_frozen: 'Saldo sedang dibekukan. Hubungi layanan pelanggan.',
  idempotency_conflict:
    'Kunci idempotensi ini sudah dipakai untuk permintaan yang berbeda. Gunakan kunci baru.',
  request_in_flight: ({ seconds }) =>
    `Permintaan dengan kunci ini masih diproses. Coba lagi dalam ${seconds} detik.`,
  ref_conflict: ({ ref }) =>
    `Ref "${ref}" sudah dipakai untuk pesan yang berbeda. Gunakan ref baru.`,
  recipient_opted_out: 'Penerima sudah meminta berhenti menerima pesan dari nomor ini.',
  message_final: 'Pesan ini sudah selesai diproses dan tidak dapat dibatalkan.',
  message_in_flight:
    'Pesan ini sedang dikirim dan mungkin sudah sampai, jadi tidak dapat dibatalkan. Tunggu jawaban jaringan.',
  queue_full: ({ seconds }) =>
    `Antrean penuh. Coba lagi dalam ${seconds} detik; pesan belum diterima.`,
  bonus_only:
    'Saldo bonus hanya untuk simulator dan nomor Anda sendiri. Isi saldo sekali untuk mengirim ke nomor lain.',

  topup_too_many: ({ limit }) =>
    `Anda masih punya ${limit} isi saldo yang menunggu. Bayar atau batalkan salah satunya.`,
  topup_too_often: ({ limit }) =>
    `Dalam 24 jam ini sudah ${limit} isi saldo tidak jadi dibayar. Bayar yang masih menunggu, atau coba lagi besok.`,
  topup_amount_busy: 'Nominal ini sedang banyak dipakai. Pilih nominal lain.',
  topup_amount_unfit: ({ minimum, maximum }) =>
    `Dengan cara bayar ini nominalnya ${formatRupiah(minimum)} sampai ${formatRupiah(maximum)}. Ubah nominal atau pilih cara lain.`,
  gateway_down:
    'Layanan pembayaran sedang tidak menjawab. Coba lagi beberapa saat lagi, atau pilih transfer bank.',
  topup_closed: 'Isi saldo ini sudah ditutup. Buat yang baru.',
  topup_already_paid: 'Isi saldo ini sudah dibayar.',
  topup_amount_mismatch: ({ total, received }) =>
    `Mutasi bank berisi ${formatRupiah(received)}, padahal tagihannya ${formatRupiah(total)}. Pilih mutasi lain atau tolak isi saldo ini.`,
  bank_line_used: 'Mutasi bank ini sudah dipakai untuk isi saldo lain.',
  topup_decided: ({ by }) =>
    `Isi saldo ini sudah diputuskan oleh ${by}. Muat ulang untuk melihat hasilnya.`,
  topup_at_gateway:
    'Isi saldo ini dibayar lewat gerbang, dan hanya gerbang yang tahu apakah sudah lunas. Tanyakan lagi ke gerbangnya.',
  topup_needs_another:
    'Anda sudah mengusulkan konfirmasi ini. Operator lain yang harus menyelesaikannya.',
  topup_proof_unneeded:
    'Cara bayar ini tidak memerlukan bukti transfer: pembayarannya dikenali otomatis.',
  topup_proof_limit: ({ limit }) =>
    `Bukti untuk isi saldo ini sudah ${limit} kali dikirim. Tunggu pemeriksaan operator.`,
  statement_unknown:
    'Berkas ini tidak dikenali sebagai mutasi bank. Pilih CSV asli dari BCA, Mandiri, BRI, atau BNI, tanpa disimpan ulang di Excel.',
  bank_statement_too_long: ({ limit }) =>
    `Berkas ini memuat lebih dari ${formatNumber(limit)} baris. Unduh mutasi untuk periode yang lebih pendek.`,
  statement_other_account: ({ account, ours }) =>
    `Mutasi ini milik rekening ${account}, bukan rekening isi saldo ${ours}. Pilih berkas dari rekening yang benar.`,
  statement_changed:
    'Berkas ini bukan berkas yang Anda periksa. Periksa sekali lagi sebelum mengimpor.',

  plan_same: 'Anda sudah memakai paket ini.',
  quote_stale: 'Perhitungannya sudah berubah. Periksa rincian yang baru, lalu setujui lagi.',
  subscription_not_running: 'Tidak ada yang dapat diubah pada paket ini. Pilih paket lebih dulu.',
  invoice_unpaid: 'Dokumen tagihan dibuat setelah tagihan lunas.',
  invoice_closed: 'Tagihan ini sudah tidak menunggu pembayaran.',
  statement_too_long: ({ limit }) =>
    `Mutasi lebih dari ${formatNumber(limit)} baris tidak dapat dijadikan PDF. Pilih CSV, atau persingkat tanggalnya.`,

  adjustment_saldo_short: ({ available }) =>
    `Saldo pelanggan ini tinggal ${formatRupiah(available)}, jadi tidak dapat dikurangi sebanyak itu. Saldo tidak pernah di bawah nol.`,
  adjustment_closed:
    'Usulan ini sudah diputuskan atau sudah lewat tujuh hari. Muat ulang daftarnya.',
  second_operator_needed:
    'Usulan ini diputuskan operator lain: yang mengusulkan hanya dapat menariknya kembali.',
  account_ended: 'Akun ini sudah ditutup, jadi saldonya tidak dapat diubah.',
  wallet_frozen_payout: 'Saldo ini dibekukan. Cairkan setelah pembekuannya dibuka.',
  refund_too_large: ({ captured }) =>
    captured === 0
      ? 'Pesan ini tidak dibebankan ke saldo, jadi tidak ada yang dikembalikan.'
      : `Paling banyak ${formatRupiah(captured)} dapat dikembalikan: sejumlah itu biaya pesan ini.`,
  refund_done: 'Biaya pesan ini sudah pernah dikembalikan.',
  suspense_resolved: 'Dana ini sudah diselesaikan. Muat ulang daftarnya.',
  topup_unpaid: 'Isi saldo ini belum lunas, jadi tidak ada pembayaran yang dapat dikembalikan.',
  payment_refund_done: 'Pembayaran ini sudah pernah dikembalikan. Muat ulang halamannya.',
  payment_partly_returned: ({ left }) =>
    `${left === null ? 'Sebagian pembayaran ini' : `Pembayaran ini tinggal ${formatRupiah(left)}: selebihnya`} sudah kembali lewat gerbangnya, jadi tidak dapat dikembalikan seluruhnya. Kembalikan sisanya di dasbor gerbang, lalu sesuaikan saldo pelanggan.`,
  payment_flag_changed:
    'Penarikan ini sudah ditandai selesai, atau gerbangnya memberi kabar baru. Muat ulang daftarnya.',
  payment_refund_waits:
    'Pengembalian pembayaran ini sudah diusulkan dan menunggu operator kedua di halaman Penyesuaian.',
  payment_saldo_short: ({ lacking }) =>
    `Saldo pelanggan ini kurang ${formatRupiah(lacking)}: sebagian pembayaran sudah terpakai. Tidak ada yang dibukukan. Cairkan saldo yang tersisa di halaman pelanggannya.`,
  refund_finished: 'Pengembalian ini sudah dicatat selesai. Muat ulang daftarnya.',
  refund_at_gateway:
    'Gerbang pembayaran masih diminta mengembalikan uang ini. Transfer manual akan mengembalikannya dua kali: tunggu jawabannya.',
  transfer_reference_used:
    'Referensi transfer ini sudah dipakai untuk pencairan lain. Periksa mutasi bank.',
  books_red:
    'Pemeriksaan pembukuan menemukan selisih, jadi uang keluar ditahan. Selesaikan dulu di halaman Pembukuan.',
  check_running: ({ seconds }) => `Pemeriksaan sedang berjalan. Coba lagi dalam ${seconds} detik.`,
  nothing_sealed: 'Belum ada hari yang disegel. Segel pertama dibuat setelah pukul 00.10 WIB.',
  setting_changed: 'Operator lain baru saja mengubah pengaturan ini. Muat ulang dan periksa lagi.',
  broadcast_over: 'Pengumuman ini sudah tayang, selesai, atau dihentikan. Buat yang baru.',
  system_token_parted: 'Token sistem tidak tersambung ke ponsel. Sambungkan dulu, lalu coba lagi.',
  valid_from_past: 'Waktu berlakunya sudah lewat. Pilih sekarang atau waktu yang akan datang.',
  valid_from_taken: 'Sudah ada perubahan yang berlaku mulai waktu itu. Pilih waktu lain.',

  push_service_unknown:
    'Layanan pemberitahuan peramban ini tidak dikenal. Coba peramban lain, atau hubungi operator.',
  push_key_old:
    'Langganan pemberitahuan ini memakai kunci lama. Muat ulang halaman lalu coba lagi.',
  push_gone: 'Peramban ini tidak lagi menerima pemberitahuan. Nyalakan kembali di Profil.',
  push_service_down:
    'Layanan pemberitahuan peramban ini tidak menjawab. Coba lagi beberapa saat lagi.',

  upload_gone: 'Unggahan ini tidak ada lagi. Unggah berkasnya sekali lagi.',
  support_empty: 'Tulis pesannya atau lampirkan sesuatu.',
  support_too_many: ({ seconds }) => `Terlalu banyak pesan. Coba lagi dalam ${seconds} detik.`,
  support_not_closed: 'Percakapan ini belum ditutup. Nilai dapat diberikan setelah ditutup.',
  canned_too_many: 'Sudah ada 100 jawaban siap pakai. Hapus yang tidak dipakai lagi.',
  upload_kind_refused: ({ allowed }) =>
    `Jenis berkas ini tidak diterima di sini. Pilih berkas ${allowed}.`,
  upload_contradicts:
    'Isi berkas ini tidak sesuai dengan nama atau jenisnya. Simpan ulang dengan akhiran yang benar lalu unggah lagi.',
  upload_unsafe: ({ why }) => `Berkas ini tidak dapat diterima: ${why}.`,
  upload_infected: 'Berkas ini ditolak karena dikenali sebagai perangkat lunak berbahaya.',
  upload_too_large: ({ bytesMax }) =>
    `Berkas terlalu besar. Paling besar ${inMegabytes(bytesMax)}.`,
  upload_empty: 'Berkas ini kosong. Pilih berkas lain.',
  upload_offset_wrong: ({ offset }) =>
    `Potongan berkas tidak berurutan. Lanjutkan dari byte ${offset}.`,
  upload_length_wrong: ({ length }) =>
    `Ukuran berkas berbeda dari yang disebutkan di awal (${length} byte). Ulangi unggahan.`,
  upload_used: 'Berkas ini sudah dipakai, jadi unggahannya tidak dapat diubah lagi.',
  upload_quota_full: ({ bytesMax }) =>
    `Unggahan yang belum selesai sudah melampaui ${inMegabytes(bytesMax)}. Selesaikan atau batalkan salah satunya.`,
  storage_full: ({ bytesMax }) =>
    `Ruang berkas akun ini (${inMegabytes(bytesMax)}) sudah penuh. Hubungi layanan pelanggan.`,
  upload_too_slow: 'Unggahan terlalu lambat sehingga dihentikan. Periksa koneksi lalu lanjutkan.',
  upload_unscanned: ({ seconds }) =>
    `Berkas belum dapat dipindai. Coba lagi dalam ${seconds} detik; berkas Anda tidak hilang.`,
};

/** The sentence a person reads for a refusal, in Indonesian. */
export function sentenceFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) = sentences[no.code];
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}

/** An expected "no". Thrown by domains, shown by the web; any other error is a bug. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly code: C;
  readonly facts: FactsOf<C>;

  constructor(code: C, facts: FactsOf<C>) {
    super(`refused: ${code}`);
    this.name = 'Refusal';
    this.code = code;
    this.facts = facts;
  }
}

/** A refusal rebuilt from what travelled; `undefined` when the catalogue does not know it. */
export function refusalFrom(error: unknown): Refusal | undefined {
  if (typeof error !== 'object' || error === null || !('type' in error)) return undefined;
  const code = error.type;
  if (typeof code !== 'string' || !Object.hasOwn(refusals, code)) return undefined;
  const known = code as RefusalCode;
  const facts = refusals[known].facts().safeParse('facts' in error ? error.facts : {});
  return facts.success ? new Refusal(known, facts.data) : undefined;
}
