import type { AuditCheck, AuditFinding, AuditEntry } from '#contract/operator/audit.ts';
import { formatNumber } from '#contract/base/money.ts';
import { dayInWords } from '#web/features/operator/bank/bank.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const actorOf = ({ person, act }: Pick<AuditEntry, 'person' | 'act'>): string =>
  person?.name ?? (act === 'scan_consent' ? 'Pemilik ponsel' : 'Belum masuk');

export function outcomeOf(outcome: string): { label: string; tone: Tone } {
  if (outcome === 'ok') return { label: 'Berhasil', tone: 'success' };
  return outcome === 'our_fault'
    ? { label: 'Gangguan', tone: 'danger' }
    : { label: 'Ditolak', tone: 'warning' };
}

const kinds: Record<AuditFinding['kind'], (seq: string) => string> = {
  changed: (seq) => `catatan nomor ${seq} diubah`,
  missing: (seq) => `catatan hilang mulai nomor ${seq}`,
  added: (seq) => `catatan nomor ${seq} disisipkan`,
  erased: (seq) => `catatan nomor ${seq} dikosongkan tanpa hak`,
  head: (seq) => `ujung rantai tidak cocok dengan catatan nomor ${seq}`,
  seal: (seq) => `segel nomor ${seq} hilang atau diubah`,
};

export function findingSentence({ kind, account_id, seq, day }: AuditFinding): string {
  const chain = kind === 'seal' ? 'Segel harian' : (account_id ?? 'Rantai tanpa akun');
  const when = day === null ? '' : `, ${dayInWords(day)}`;
  return `${chain}: ${kinds[kind](formatNumber(seq))}${when}.`;
}

export const checkSentence = ({ ok, lines, findings }: AuditCheck): string =>
  ok
    ? `Rantai utuh: ${formatNumber(lines)} catatan sama seperti saat ditulis.`
    : `Rantai terputus di ${formatNumber(findings.length)} tempat. Catatan ini tidak dapat lagi dipercaya seluruhnya.`;

const factNames: Readonly<Record<string, string>> = {
  account_id: 'ID akun',
  user_id: 'ID orang itu',
  token_id: 'Token',
  topup_id: 'Isi saldo',
  message_id: 'Pesan',
  invoice_id: 'Tagihan',
  session_id: 'Sesi',
  adjustment_id: 'Penyesuaian',
  refund_id: 'Pengembalian',
};
export const factName = (field: string): string => factNames[field] ?? field;

/** Sentences by act, with the actor as subject. Complete for every audited act. */
const sentences: Readonly<Record<string, string>> = {
  user_register: 'Mendaftar',
  user_verify_otp: 'Memasukkan kode verifikasi',
  user_login: 'Masuk dengan kata sandi',
  user_logout: 'Keluar',
  user_forgot_password: 'Meminta kode lupa kata sandi',
  user_forgot_verify: 'Memasukkan kode lupa kata sandi',
  user_forgot_change: 'Membuat kata sandi baru dengan kode',
  user_reauth: 'Memasukkan kata sandi sekali lagi',
  user_update: 'Mengubah profil',
  user_change_password: 'Mengganti kata sandi',
  user_change_phone: 'Meminta pergantian nomor',
  user_change_phone_confirm: 'Mengganti nomor',
  user_session_revoke: 'Mengakhiri sesi',
  user_second_factor: 'Melewati verifikasi dua langkah saat masuk',
  second_factor_totp_begin: 'Mulai memasang kode autentikator',
  second_factor_totp_add: 'Memasang kode autentikator',
  second_factor_passkey_begin: 'Mulai memasang passkey',
  second_factor_passkey_add: 'Memasang passkey',
  second_factor_remove: 'Menghapus cara verifikasi dua langkah',
  second_factor_codes_renew: 'Membuat kode cadangan baru',
  second_factor_confirm: 'Melewati verifikasi dua langkah sekali lagi',
  user_export: 'Meminta unduhan data akun',
  user_delete_ask: 'Meminta kode penghapusan akun',
  user_delete: 'Menjadwalkan penghapusan akun',
  user_delete_cancel: 'Membatalkan penghapusan akun',
  token_create: 'Membuat token',
  token_first: 'Menyiapkan token pertama',
  token_update: 'Mengubah token',
  token_access_update: 'Mengubah izin dan batas akses token',
  token_rotate: 'Mengganti kunci API token',
  token_move: 'Memindahkan kanal token',
  token_cloud_connect: 'Menyambungkan nomor Cloud API',
  token_delete: 'Menghapus token',
  token_confirm: 'Mengonfirmasi token setelah akun diubah',
  token_link: 'Membuat tautan pindai',
  token_unlink: 'Memutuskan ponsel dari token',
  webhook_save: 'Memasang atau mengubah webhook',
  webhook_switch: 'Menyalakan atau mematikan webhook',
  webhook_secret_rotate: 'Mengganti kunci webhook',
  webhook_delete: 'Menghapus webhook',
  webhook_deliveries_replay: 'Mengirim ulang pengiriman webhook',
  scan_consent: 'Menyetujui penautan ponsel',
  optout_add: 'Menghentikan pesan ke sebuah nomor',
  optout_remove: 'Mengizinkan lagi pesan ke sebuah nomor',
  message_export: 'Mengekspor pesan',
  campaign_export: 'Mengekspor hasil kiriman massal',
  campaign_start: 'Memulai kiriman massal',
  campaign_pause: 'Menjeda kiriman massal',
  campaign_resume: 'Melanjutkan kiriman massal',
  campaign_cancel: 'Membatalkan kiriman massal',
  campaign_delete: 'Menghapus kiriman massal',
  template_create: 'Mengajukan templat',
  template_delete: 'Menghapus templat',
  saldo_alert_save: 'Mengatur pengingat saldo',
  saldo_export: 'Mengunduh mutasi saldo',
  topup_create: 'Membuat isi saldo',
  topup_cancel: 'Membatalkan isi saldo',
  topup_proof: 'Mengirim bukti transfer',
  subscription_change: 'Memilih atau mengganti paket',
  subscription_cancel: 'Menghentikan perpanjangan paket',
  subscription_resume: 'Melanjutkan perpanjangan paket',
  invoice_pay: 'Membayar tagihan',
  billing_profile_save: 'Mengubah data tagihan',
  operator_topup_confirm: 'Mengonfirmasi isi saldo',
  operator_topup_reject: 'Menolak isi saldo',
  operator_bank_line_dismiss: 'Menyisihkan mutasi bank',
  operator_bank_line_both: 'Menyatakan dua mutasi yang sama memang ada di bank',
  operator_statement_import: 'Mengimpor mutasi bank',
  operator_adjust: 'Menyesuaikan saldo pelanggan',
  operator_refund: 'Mengembalikan biaya pesan',
  operator_payout: 'Mencairkan saldo pelanggan',
  operator_adjustment_decide: 'Memutuskan usulan',
  operator_wallet_freeze: 'Membekukan atau membuka saldo',
  operator_suspense_credit: 'Mengkreditkan dana belum dikenali',
  operator_suspense_return: 'Mengembalikan dana belum dikenali',
  operator_suspense_keep: 'Membukukan dana belum dikenali',
  operator_payment_refund: 'Mengembalikan pembayaran',
  operator_refund_finish: 'Mencatat pengembalian selesai',
  operator_payment_flag_settle: 'Menandai penarikan gerbang selesai',
  operator_bonus_approve: 'Membebaskan saldo bonus',
  operator_seal_verify: 'Memeriksa segel terakhir',
  operator_ledger_check: 'Memeriksa pembukuan',
  operator_reconcile: 'Mencocokkan pembukuan dengan bank',
  operator_price_set: 'Mengubah harga pesan',
  operator_ppn_set: 'Mengubah tarif PPN',
  operator_plan_save: 'Mengubah paket',
  operator_plan_end: 'Mengakhiri paket pelanggan',
  operator_customer_suspend: 'Menangguhkan atau mengaktifkan pelanggan',
  operator_customer_session_end: 'Mengakhiri sesi pelanggan',
  operator_message_text: 'Membaca isi pesan pelanggan',
  operator_setting_save: 'Mengubah pengaturan',
  operator_setting_decide: 'Memutuskan perubahan pengaman uang',
  operator_setting_reset: 'Mengembalikan pengaturan ke bawaan',
  operator_system_token_link: 'Menautkan token sistem',
  operator_system_token_connect: 'Menyambungkan token sistem dengan Cloud API',
  operator_system_token_move: 'Memindahkan kanal token sistem',
  operator_system_token_unlink: 'Memutuskan token sistem',
  operator_system_token_test: 'Menguji token sistem',
  operator_broadcast_create: 'Membuat pengumuman',
  operator_broadcast_change: 'Mengubah pengumuman',
  operator_broadcast_stop: 'Menghentikan pengumuman',
  operator_support_assign: 'Menugaskan percakapan layanan',
  operator_support_send: 'Membalas percakapan layanan',
  operator_support_snooze: 'Menunda percakapan layanan',
  operator_support_close: 'Menutup percakapan layanan',
  operator_support_reopen: 'Membuka kembali percakapan layanan',
  operator_support_transcript: 'Mengunduh percakapan layanan',
  operator_canned_save: 'Menyimpan jawaban siap pakai',
  operator_canned_delete: 'Menghapus jawaban siap pakai',
  operator_invite: 'Mengundang operator',
  operator_roles_set: 'Mengubah peran operator',
  operator_remove: 'Mengeluarkan operator',
  operator_sessions_end: 'Mengakhiri sesi operator',
  operator_second_factor_reset: 'Menghapus verifikasi dua langkah operator',
  operator_audit_verify: 'Memeriksa rantai catatan audit',
  operator_audit_export: 'Mengunduh catatan audit',
};

export const actOptions: readonly { value: string; label: string }[] = Object.entries(sentences)
  .map(([value, label]) => ({ value, label }))
  .toSorted((one, other) => one.label.localeCompare(other.label, 'id'));

/** An act as a sentence; an act of an older version by its name. */
export const actSentence = (act: string): string => sentences[act] ?? act;
