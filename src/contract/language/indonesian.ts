import { isolated } from '#contract/base/names.ts';
import { formatNumber, formatRupiah } from '#contract/base/money.ts';
import type { FactsOf, RefusalCode } from '#contract/base/refusals.ts';
import { formatDate, wibMidnight } from '#contract/base/time.ts';
import { unreadableLists, inMegabytes } from './language.ts';

type Sentences = { [C in RefusalCode]: string | ((facts: FactsOf<C>) => string) };

const unconfirmed: Readonly<Record<FactsOf<'webhook_unconfirmed'>['why'], string>> = {
  refused: 'hanya alamat https umum pada port 443 atau 8443 yang dihubungi.',
  late: 'tidak ada jawaban dalam 10 detik. Jawab dahulu, baru kerjakan isinya.',
  unreachable: 'tidak dapat dihubungi. Periksa alamat, sertifikat, dan firewall-nya.',
  redirect: 'pengalihan tidak diikuti. Isi alamat akhirnya.',
  status: 'peristiwa webhook.test harus dijawab dengan status 2xx.',
  challenge: 'permintaan verifikasi harus dijawab dengan nilai hub.challenge.',
};

const headers = {
  image: 'perlu gambar di judulnya (`link` atau `id`)',
  video: 'perlu video di judulnya (`link` atau `id`)',
  document: 'perlu dokumen di judulnya (`link` atau `id`)',
  text: 'perlu teks di judulnya',
  nothing: 'tidak menerima isian judul',
} as const;

const unfitValues = {
  breaks: 'memuat ganti baris atau tab, yang ditolak Meta. Tulis dalam satu baris',
  blanks: 'memuat lebih dari empat spasi berturut-turut, yang ditolak Meta. Kurangi spasinya',
  empty: 'hanya berisi spasi, yang ditolak Meta. Isi nilainya',
} as const;

const sentences: Sentences = {
  act_unknown: 'Permintaan ini tidak dikenal. Muat ulang halaman lalu coba lagi.',
  request_malformed: ({ why }) => `Permintaan tidak dapat dibaca: ${why}.`,
  origin_foreign: 'Permintaan dari situs lain ditolak. Buka Kabari langsung dari alamatnya.',
  not_signed_in: 'Sesi Anda sudah berakhir. Silakan masuk kembali.',
  not_allowed: 'Anda tidak berhak melakukan ini. Hubungi admin bila Anda memerlukannya.',
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
  otp_unsendable:
    'Kode verifikasi sedang tidak dapat dikirim. Gunakan browser yang pernah Anda pakai untuk masuk, atau hubungi pengelola layanan ini, lalu coba lagi.',
  password_common: 'Kata sandi ini terlalu mudah ditebak. Pilih yang lain.',
  password_wrong: 'Kata sandi tidak cocok. Periksa lalu coba lagi.',
  reauth_needed: 'Masukkan kata sandi Anda sekali lagi untuk melanjutkan.',
  sign_in_needed:
    'Sesi ini dimulai di browser lain. Keluar, lalu masuk lagi di browser ini untuk melakukannya.',
  second_factor_needed:
    'Akun ini wajib memakai verifikasi dua langkah. Pasang dulu di halaman Keamanan.',
  second_factor_again: 'Masukkan kode autentikator atau pakai passkey Anda sekali lagi.',
  second_factor_wrong: ({ left }) =>
    `Kode atau passkey tidak cocok. ${left > 0 ? `Sisa ${left} percobaan.` : 'Ulangi dari awal.'}`,
  second_factor_expired: 'Waktunya sudah habis. Ulangi dari awal.',
  second_factor_last: 'Ini cara verifikasi Anda yang terakhir. Pasang cara lain lebih dulu.',
  second_factor_exists: 'Cara verifikasi ini sudah terpasang di akun Anda.',
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
    'Kunci API belum disertakan. Kirim header `Authorization: Bearer <kunci>`; kuncinya dibuat di halaman Nomor.',
  token_invalid:
    'Kunci API tidak dikenal, tidak tersalin utuh, atau sudah dicabut. Periksa kuncinya di halaman Nomor.',
  token_expired: ({ day }) =>
    `Masa berlaku token ini sudah habis: hari terakhirnya ${formatDate(wibMidnight(day))} (WIB). Perpanjang di halaman Nomor.`,
  address_not_allowed: ({ address }) =>
    `Token ini tidak boleh dipakai dari alamat ${address}. Tambahkan alamatnya di halaman Nomor, atau panggil dari alamat yang terdaftar.`,
  key_in_address:
    'Token ini tidak menerima kunci di alamat (URL). Kirim di header `Authorization: Bearer <kunci>`, atau izinkan di halaman Nomor. Ganti kuncinya: alamat tersimpan di log.',
  scope_missing: ({ scope }) =>
    `Token ini tidak diizinkan melakukannya: izin "${scope}" tidak dicentang. Centang izinnya di halaman Nomor, atau pakai token lain.`,
  token_not_linked: 'Token belum tersambung. Sambungkan nomornya di halaman Nomor lebih dulu.',
  token_linked: 'Token sudah tersambung ke ponsel. Putuskan dulu untuk menautkan ponsel lain.',
  token_limit_reached: ({ limit }) =>
    `Batas harian token ini (${limit} pesan) sudah tercapai. Coba lagi besok atau naikkan batasnya.`,
  tokens_full: ({ limit }) =>
    `Paket Anda memuat ${limit} token. Hapus satu, atau pilih paket yang lebih besar.`,
  cooling_down: ({ hours }) =>
    `Kata sandi atau nomor akun ini baru diganti. Kunci baru dapat dibuat ${hours} jam lagi. Bukan Anda? Hubungi layanan pelanggan.`,
  link_gone: 'Tautan ini sudah dipakai atau kedaluwarsa. Minta tautan baru dari halaman Nomor.',
  qr_stale: 'Kode QR ini sudah diganti. Pindai kode yang terbaru.',
  phone_taken:
    'Nomor ini sudah tersambung ke token lain. Putuskan dulu di sana, atau pakai nomor lain.',
  channel_off: 'Kanal ini tidak tersedia di sini. Pilih kanal lain.',
  channel_other: 'Token ini memakai kanal lain. Pindahkan kanalnya dahulu di halaman Nomor.',
  channel_busy: 'Masih ada pesan token ini yang sedang dikirim. Tunggu satu menit, lalu coba lagi.',
  channel_waiting: ({ templates }) =>
    `Masih ada ${formatNumber(templates)} pesan templat token ini yang menunggu dengan harga kanalnya sekarang. Tunggu sampai terkirim atau batalkan di halaman Pesan, lalu coba lagi.`,
  cloud_refused: ({ code }) =>
    `Meta menolak data ini (kode ${code}). Periksa Phone number ID, WhatsApp Business Account ID, dan access token beserta izinnya (whatsapp_business_messaging, whatsapp_business_management).`,
  cloud_unreachable: 'Meta tidak dapat dihubungi. Coba lagi sebentar lagi.',
  window_closed:
    'Penerima belum menulis kepada Anda dalam 24 jam terakhir. Kirim templat yang disetujui; setelah ia membalas, pesan biasa dapat dikirim.',

  saldo_short: ({ required, available }) =>
    `Saldo tidak cukup: perlu ${formatRupiah(required)}, tersedia ${formatRupiah(available)}. Isi saldo lebih dulu.`,
  wallet_frozen: 'Saldo sedang dibekukan. Hubungi layanan pelanggan.',
  idempotency_conflict:
    'Kunci idempotensi ini sudah dipakai untuk permintaan yang berbeda. Gunakan kunci baru.',
  request_in_flight: ({ seconds }) =>
    `Permintaan dengan kunci ini masih diproses. Coba lagi dalam ${seconds} detik.`,
  ref_conflict: ({ ref }) =>
    `Ref "${ref}" sudah dipakai untuk pesan yang berbeda. Gunakan ref baru.`,
  recipient_opted_out:
    'Penerima sudah meminta berhenti menerima pesan dari nomor ini. Jangan kirim lagi ke sana, kecuali ia mengirim MULAI.',
  recipient_without_number:
    'WhatsApp tidak menampilkan nomor penerima ini. Kirim lewat token dari kanal yang dipakainya.',
  message_final: 'Pesan ini sudah selesai diproses dan tidak dapat dibatalkan.',
  message_in_flight:
    'Pesan ini sedang dikirim dan mungkin sudah sampai, jadi tidak dapat dibatalkan. Tunggu jawaban jaringan.',
  quoted_not_found:
    'Pesan yang dibalas atau diberi reaksi tidak ada di percakapan ini. Periksa id dan nomor tujuannya.',
  reaction_refused:
    'Pesan ini tidak dapat diberi reaksi karena belum atau tidak terkirim. Pilih pesan lain.',
  media_unfit: ({ type, allowed, bytesMax }) =>
    `Berkas ini tidak dapat dikirim sebagai ${type}. Yang dapat: ${allowed}, paling besar ${inMegabytes(bytesMax)}.`,
  media_not_found: 'Berkas itu tidak ditemukan. Unggah lagi, atau kirim tautannya.',
  template_not_found: ({ name }) =>
    `Templat "${name}" tidak ditemukan. Periksa nama dan bahasanya.`,
  template_language_needed: ({ name, languages }) =>
    `Templat "${name}" punya beberapa bahasa (${languages}). Sebutkan bahasa yang dipakai.`,
  template_exists: ({ name, language }) =>
    `Templat "${name}" sudah ada dalam bahasa ${language}. Hapus dahulu, atau gunakan nama lain.`,
  templates_full: ({ limit }) => `Sudah ada ${limit} templat. Hapus yang tidak diperlukan lagi.`,
  template_not_approved: ({ name }) =>
    `Templat "${name}" belum disetujui, jadi belum dapat dikirim.`,
  template_variables_unfit: ({ name, expected, given }) =>
    `Templat "${name}" perlu ${expected} variabel, bukan ${given}.`,
  template_value_unfit: ({ name, variable, why }) =>
    `Isi variabel ${variable} dari templat "${name}" ${unfitValues[why]}.`,
  template_parts_unfit: ({ name, header, buttons }) =>
    `Templat "${name}" ${headers[header ?? 'nothing']}, dan ${buttons.length === 0 ? 'tombolnya tidak menerima isian' : `tombol ${buttons.join(', ')} perlu diisi`}. Kirim hanya itu.`,
  resend_unfit:
    'Hanya pesan keluar yang gagal, dibatalkan, atau kedaluwarsa yang dapat dikirim ulang; reaksi tidak.',
  views_full: ({ limit }) => `Sudah ada ${limit} tampilan. Hapus yang tidak dipakai lagi.`,
  quick_replies_full: ({ limit }) =>
    `Sudah ada ${limit} balasan cepat. Hapus yang tidak dipakai lagi.`,
  view_name_taken: ({ name }) => `Tampilan "${isolated(name)}" sudah ada. Pakai nama lain.`,
  webhook_unconfirmed: ({ status, why }) =>
    `Alamat webhook belum menjawab uji coba${status === null ? '' : ` (menjawab ${status})`}: ${unconfirmed[why]}`,
  webhook_off: 'Webhook sedang mati. Nyalakan dahulu; alamatnya diuji sekali lagi saat dinyalakan.',
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
  topup_already_paid: 'Isi saldo ini sudah dibayar. Muat ulang untuk melihat hasilnya.',
  topup_amount_mismatch: ({ total, received }) =>
    `Mutasi bank berisi ${formatRupiah(received)}, padahal tagihannya ${formatRupiah(total)}. Pilih mutasi lain atau tolak isi saldo ini.`,
  bank_line_used: 'Mutasi bank ini sudah dipakai untuk isi saldo lain. Pilih mutasi lain.',
  bank_line_twin:
    'Mutasi ini sama hari dan jumlahnya dengan mutasi lain. Pastikan dulu di bank bahwa keduanya memang ada.',
  topup_decided: ({ by }) =>
    `Isi saldo ini sudah diputuskan oleh ${by}. Muat ulang untuk melihat hasilnya.`,
  topup_at_gateway:
    'Isi saldo ini dibayar lewat gerbang, dan hanya gerbang yang tahu apakah sudah lunas. Tanyakan lagi ke gerbangnya.',
  topup_needs_another:
    'Anda sudah mengusulkan konfirmasi ini. Operator lain yang harus menyelesaikannya.',
  topup_proof_unneeded:
    'Cara bayar ini tidak memerlukan bukti transfer: pembayarannya dikenali otomatis.',
  topup_proof_limit: ({ limit }) =>
    `Bukti untuk isi saldo ini sudah ${limit} kali dikirim. Tunggu sampai kami memeriksanya.`,
  statement_unknown:
    'Berkas ini tidak dikenali sebagai mutasi bank. Pilih CSV asli dari BCA, Mandiri, BRI, atau BNI, tanpa disimpan ulang di Excel.',
  bank_statement_too_long: ({ limit }) =>
    `Berkas ini memuat lebih dari ${formatNumber(limit)} baris. Unduh mutasi untuk periode yang lebih pendek.`,
  statement_other_account: ({ account, ours }) =>
    `Mutasi ini milik rekening ${account}, bukan rekening isi saldo ${ours}. Pilih berkas dari rekening yang benar.`,
  statement_unbalanced: ({ line }) =>
    `Saldo di baris ${formatNumber(line)} tidak cocok dengan baris di sebelahnya. Unduh lagi mutasinya dari bank, dan jangan ubah isinya.`,
  statement_changed:
    'Berkas ini bukan berkas yang Anda periksa. Periksa sekali lagi sebelum mengimpor.',
  statement_imported:
    'Berkas ini sudah Anda impor. Barisnya sudah tersimpan; tidak ada yang perlu diulang.',

  plan_same: 'Anda sudah memakai paket ini.',
  quote_stale: 'Perhitungannya sudah berubah. Periksa rincian yang baru, lalu setujui lagi.',
  subscription_not_running: 'Tidak ada yang dapat diubah pada paket ini. Pilih paket lebih dulu.',
  invoice_unpaid: 'Dokumen tagihan dibuat setelah tagihan lunas. Bayar tagihannya dulu.',
  invoice_closed:
    'Tagihan ini sudah tidak menunggu pembayaran. Muat ulang untuk melihat statusnya.',
  statement_too_long: ({ limit }) =>
    `Mutasi lebih dari ${formatNumber(limit)} baris tidak dapat dijadikan PDF. Pilih CSV, atau persingkat tanggalnya.`,

  adjustment_saldo_short: ({ available }) =>
    `Saldo pelanggan ini tinggal ${formatRupiah(available)}, jadi tidak dapat dikurangi sebanyak itu. Saldo tidak pernah di bawah nol.`,
  adjustment_closed:
    'Usulan ini sudah diputuskan atau sudah lewat tujuh hari. Muat ulang daftarnya.',
  second_operator_needed:
    'Usulan ini diputuskan operator lain: yang mengusulkan hanya dapat menariknya kembali.',
  operator_not_independent:
    'Anda tidak dapat menjadi operator kedua di sini: Anda diundang atau diberi peran oleh pengusulnya, atau baru diundang, diberi peran, atau diatur ulang verifikasinya dalam tujuh hari ini.',
  operator_limit_reached:
    'Batas yang boleh Anda putuskan sendiri dalam 24 jam sudah tercapai. Mintalah operator lain.',
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
  setting_not_waiting: 'Perubahan ini sudah tidak menunggu. Muat ulang halamannya.',
  broadcast_over: 'Pengumuman ini sudah tayang, selesai, atau dihentikan. Buat yang baru.',
  system_token_parted: 'Token sistem tidak tersambung ke ponsel. Sambungkan dulu, lalu coba lagi.',
  valid_from_past: 'Waktu berlakunya sudah lewat. Pilih sekarang atau waktu yang akan datang.',
  valid_from_taken: 'Sudah ada perubahan yang berlaku mulai waktu itu. Pilih waktu lain.',

  push_service_unknown:
    'Layanan pemberitahuan browser ini tidak dikenal. Coba browser lain, atau hubungi layanan pelanggan.',
  push_key_old:
    'Langganan pemberitahuan ini memakai kunci lama. Muat ulang halaman lalu coba lagi.',
  push_gone: 'Browser ini tidak lagi menerima pemberitahuan. Nyalakan kembali di Profil.',
  push_service_down:
    'Layanan pemberitahuan browser ini tidak menjawab. Coba lagi beberapa saat lagi.',

  recipients_unreadable: ({ why }) => unreadableLists[why].id,
  campaign_incomplete: ({ missing }) =>
    missing === 'content'
      ? 'Belum ada isi yang dikirim. Tulis pesannya dulu.'
      : 'Tidak ada penerima yang dapat dikirimi. Periksa nomor di daftarnya.',
  campaign_state: 'Kiriman ini sudah berubah. Muat ulang untuk melihat statusnya.',
  campaigns_full: ({ limit }) =>
    `Sudah ada ${limit} kiriman massal yang belum selesai. Hapus draf yang tidak diperlukan.`,
  upload_gone: 'Unggahan ini tidak ada lagi. Unggah berkasnya sekali lagi.',
  support_empty: 'Tulis pesannya atau lampirkan sesuatu.',
  support_too_many: ({ seconds }) => `Terlalu banyak pesan. Coba lagi dalam ${seconds} detik.`,
  support_not_closed: 'Percakapan ini belum ditutup. Nilai dapat diberikan setelah ditutup.',
  pins_full: ({ limit }) =>
    `Paling banyak ${limit} percakapan dapat disematkan. Lepas dulu salah satunya.`,
  canned_too_many: 'Sudah ada 100 jawaban siap pakai. Hapus yang tidak dipakai lagi.',
  upload_kind_refused: ({ allowed }) =>
    `Jenis berkas ini tidak diterima di sini. Pilih berkas ${allowed}.`,
  upload_contradicts:
    'Isi berkas ini tidak sesuai dengan nama atau jenisnya. Simpan ulang dengan akhiran yang benar lalu unggah lagi.',
  upload_unsafe: ({ why }) => `Berkas ini tidak dapat diterima: ${why}.`,
  upload_infected:
    'Berkas ini ditolak karena dikenali sebagai perangkat lunak berbahaya. Pilih berkas lain.',
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

export function sentenceFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) = sentences[no.code];
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}

type DevelopersSentences = { [C in RefusalCode]?: string | ((facts: FactsOf<C>) => string) };

/** Sentences for developers, where the portal's sentence refers to a screen. */
const developerSentences: DevelopersSentences = {
  not_found: ({ what }) =>
    `${what} tidak ditemukan. Periksa id-nya; mungkin milik token lain, atau sudah dihapus.`,
  input_invalid: 'Ada isian yang perlu diperbaiki; `fields` menyebutkan yang mana dan isinya apa.',
  body_too_large:
    'Isi permintaan paling besar 1.048.576 byte. Kirim lebih sedikit pesan dalam satu permintaan.',
  media_type_unsupported:
    'Kirim isi permintaan sebagai JSON tanpa kompresi, dengan `Content-Type: application/json`; berkas ke `POST /v1/media` sebagai `multipart/form-data`.',
  upload_empty: 'Berkasnya tidak ada dalam isian `file` formulirnya, atau kosong.',
  upload_infected:
    'Berkas ini dikenali sebagai perangkat lunak berbahaya, jadi tidak diterima dan tidak disimpan.',
  upload_too_slow:
    'Berkas ini datang terlalu lambat sehingga dihentikan. Periksa koneksi, lalu unggah sekali lagi.',
  timed_out: 'Jawaban terlalu lama. Ulangi permintaan dengan `Idempotency-Key` yang sama.',
  our_fault:
    'Terjadi gangguan di sisi kami. Ulangi permintaan; sebutkan `request_id` bila menghubungi kami.',
};

export function developerSentenceFor(no: { code: RefusalCode; facts: unknown }): string {
  const sentence: string | ((facts: never) => string) | undefined = developerSentences[no.code];
  if (sentence === undefined) return sentenceFor(no);
  return typeof sentence === 'string' ? sentence : sentence(no.facts as never);
}
