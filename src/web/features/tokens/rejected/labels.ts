import { formatNumber, formatRupiah, rupiah } from '#contract/base/money.ts';
import type { RejectedCall, RejectedFacts } from '#contract/token-access.ts';
import { showDay } from '#web/features/tokens/access/labels.ts';

type Words = {
  title: string | ((facts: RejectedFacts) => string);
  fix: string;
};

/** Every refusal of the API, with the customer's remedy. */
const words: Readonly<Record<string, Words>> = {
  request_malformed: {
    title: 'Permintaan tidak dapat dibaca',
    fix: 'Kirim objek JSON yang lengkap dalam UTF-8. Periksa tanda kutip dan kurungnya.',
  },
  token_missing: {
    title: 'Kunci API tidak dikirim',
    fix: 'Sertakan header Authorization: Bearer diikuti kunci Anda.',
  },
  token_invalid: {
    title: 'Kunci API tidak dikenal',
    fix: 'Salin kuncinya utuh, atau ganti kunci token ini lalu pakai yang baru.',
  },
  token_expired: {
    title: ({ day }) => `Masa berlaku token habis${day ? ` pada ${showDay(day)}` : ''}`,
    fix: 'Buka token ini, lalu pilih tanggal "Berlaku sampai" yang baru.',
  },
  address_not_allowed: {
    title: 'Alamat pengirim permintaan tidak diizinkan',
    fix: 'Bila ini sistem Anda, tambahkan alamatnya di "Alamat yang diizinkan". Bila bukan, ganti kunci token ini.',
  },
  key_in_address: {
    title: 'Kunci API dikirim di alamat (URL)',
    fix: 'Kirim kuncinya di header Authorization, lalu ganti kunci token ini: alamat tersimpan di log. Atau izinkan di "Izin & batas akses".',
  },
  scope_missing: {
    title: ({ scope }) => `Izin ${scope ?? 'yang diperlukan'} tidak dicentang`,
    fix: 'Centang izinnya di "Izin & batas akses" token ini, atau pakai token lain.',
  },
  account_suspended: { title: 'Akun ditangguhkan', fix: 'Hubungi layanan pelanggan.' },
  path_unknown: {
    title: 'Alamat ini tidak ada di API',
    fix: 'Bandingkan alamat yang dipanggil dengan dokumentasi.',
  },
  method_not_allowed: {
    title: 'Metode tidak berlaku di alamat ini',
    fix: 'Pakai metode yang tertulis di dokumentasi untuk alamat ini.',
  },
  not_found: {
    title: ({ what }) => `${what ?? 'Data'} tidak ditemukan`,
    fix: 'Periksa id-nya, dan pakai kunci token yang memilikinya.',
  },
  too_many_requests: {
    title: 'Terlalu banyak permintaan',
    fix: 'Tunggu selama yang disebut Retry-After. Kirim banyak pesan dalam satu permintaan.',
  },
  our_fault: {
    title: 'Gangguan di sisi kami',
    fix: 'Ulangi dengan Idempotency-Key yang sama. Hubungi kami bila terus terjadi.',
  },
  busy: {
    title: 'Layanan sedang sibuk',
    fix: 'Ulangi sesudah Retry-After; tidak ada yang hilang.',
  },
  timed_out: {
    title: 'Balasan terlalu lama',
    fix: 'Ulangi dengan Idempotency-Key yang sama, agar tidak terkirim dua kali.',
  },
  body_too_large: {
    title: 'Isi permintaan terlalu besar',
    fix: 'Kirim lebih sedikit pesan dalam satu permintaan, atau perkecil berkasnya.',
  },
  media_type_unsupported: {
    title: 'Jenis isi permintaan tidak didukung',
    fix: 'Kirim Content-Type: application/json tanpa kompresi; berkas sebagai multipart/form-data.',
  },
  input_invalid: {
    title: ({ fields }) =>
      fields && fields.length > 0 ? `Isian salah: ${fields.join(', ')}` : 'Ada isian yang salah',
    fix: 'Perbaiki isian itu. Balasan API menyebutkan apa yang diterima setiap isian.',
  },
  idempotency_conflict: {
    title: 'Idempotency-Key sudah dipakai untuk isi lain',
    fix: 'Buat kunci baru untuk setiap permintaan yang berbeda.',
  },
  request_in_flight: {
    title: 'Permintaan yang sama masih diproses',
    fix: 'Tunggu selama yang disebut Retry-After, lalu ulangi dengan kunci yang sama.',
  },
  saldo_short: {
    title: ({ required, available }) =>
      required === undefined || available === undefined
        ? 'Saldo tidak cukup'
        : `Saldo tidak cukup: perlu ${formatRupiah(rupiah(required))}, tersedia ${formatRupiah(rupiah(available))}`,
    fix: 'Isi saldo, lalu kirim ulang.',
  },
  bonus_only: {
    title: 'Saldo bonus hanya untuk simulator dan nomor Anda sendiri',
    fix: 'Isi saldo sekali untuk mengirim ke nomor lain.',
  },
  wallet_frozen: { title: 'Saldo dibekukan', fix: 'Hubungi layanan pelanggan.' },
  ref_conflict: {
    title: 'Ref sudah dipakai untuk pesan lain',
    fix: 'Beri setiap pesan ref yang berbeda.',
  },
  recipient_without_number: {
    title: 'Penerima tanpa nomor',
    fix: 'Kirim dengan token WhatsApp Cloud API, atau minta nomor teleponnya.',
  },
  recipient_opted_out: {
    title: 'Penerima berhenti menerima pesan',
    fix: 'Jangan kirim lagi ke nomor itu, kecuali ia meminta menerima kembali.',
  },
  quoted_not_found: {
    title: 'Pesan yang dibalas tidak ditemukan',
    fix: 'Pakai id pesan dari percakapan dengan nomor yang sama.',
  },
  reaction_refused: {
    title: 'Pesan ini belum dapat diberi reaksi',
    fix: 'Beri reaksi setelah pesannya terkirim.',
  },
  media_unfit: {
    title: 'Berkas tidak cocok dengan jenis pesannya',
    fix: 'Kirim dengan jenis pesan yang sesuai, misalnya document, atau unggah berkas lain.',
  },
  upload_empty: {
    title: 'Berkasnya kosong atau tidak ada',
    fix: 'Kirim isi berkasnya dalam isian file.',
  },
  upload_too_large: {
    title: 'Berkas terlalu besar',
    fix: 'Perkecil berkasnya: gambar 5 MB, suara dan video 16 MB, dokumen 100 MB.',
  },
  upload_kind_refused: {
    title: 'Jenis berkas tidak diterima',
    fix: 'Ubah berkasnya menjadi jenis yang disebut balasan API.',
  },
  upload_contradicts: {
    title: 'Isi berkas tidak sesuai dengan nama atau jenisnya',
    fix: 'Simpan ulang dengan akhiran dan Content-Type yang benar.',
  },
  upload_unsafe: {
    title: 'Berkas tidak aman untuk disimpan',
    fix: 'Balasan API menyebutkan apa yang ditemukan. Simpan ulang tanpa itu.',
  },
  upload_infected: {
    title: 'Berkas dikenali sebagai perangkat lunak berbahaya',
    fix: 'Jangan kirim berkas itu. Periksa komputer yang membuatnya.',
  },
  upload_unscanned: {
    title: 'Berkas belum dapat dipindai',
    fix: 'Ulangi sesudah Retry-After dengan Idempotency-Key yang sama.',
  },
  upload_too_slow: {
    title: 'Unggahan terlalu lambat',
    fix: 'Periksa koneksi, lalu unggah sekali lagi.',
  },
  storage_full: {
    title: 'Ruang berkas akun penuh',
    fix: 'Hapus berkas yang tidak dipakai lagi, atau hubungi layanan pelanggan.',
  },
  media_not_found: {
    title: 'Berkas tidak ditemukan',
    fix: 'Unggah berkasnya lagi, atau periksa id-nya.',
  },
  template_not_found: {
    title: 'Templat tidak ditemukan',
    fix: 'Periksa nama dan bahasa templatnya.',
  },
  template_language_needed: {
    title: 'Bahasa templat perlu disebutkan',
    fix: 'Isi template.language dengan salah satu bahasanya.',
  },
  template_exists: {
    title: 'Sudah ada templat dengan nama dan bahasa ini',
    fix: 'Hapus templat yang lama dahulu, atau pakai nama lain.',
  },
  templates_full: {
    title: 'Jumlah templat mencapai batas',
    fix: 'Hapus templat yang tidak diperlukan lagi, lalu coba lagi.',
  },
  window_closed: {
    title: 'Penerima belum menulis dalam 24 jam terakhir',
    fix: 'Kirim templat yang disetujui; setelah penerima membalas, pesan biasa dapat dikirim.',
  },
  template_not_approved: {
    title: 'Templat belum disetujui',
    fix: 'Pakai templat yang sudah disetujui.',
  },
  template_variables_unfit: {
    title: 'Jumlah variabel templat tidak cocok',
    fix: 'Beri satu nilai untuk setiap variabel templat.',
  },
  template_value_unfit: {
    title: 'Isi variabel templat tidak diterima Meta',
    fix: 'Tulis nilainya dalam satu baris, tanpa tab, dengan paling banyak empat spasi berturut-turut, dan jangan kosong.',
  },
  template_parts_unfit: {
    title: 'Judul atau tombol templat tidak cocok',
    fix: 'Isi template.header dan template.buttons seperti yang diminta templatnya.',
  },
  webhook_unconfirmed: {
    title: 'Alamat webhook belum menjawab uji coba',
    fix: 'Jawab peristiwa webhook.test dengan status 2xx dalam 10 detik, lalu atur webhook sekali lagi.',
  },
  webhook_off: {
    title: 'Webhook sedang mati',
    fix: 'Nyalakan webhook token ini; alamatnya diuji saat dinyalakan.',
  },
  token_not_linked: {
    title: 'Token belum tersambung',
    fix: 'Buka token ini lalu sambungkan nomornya.',
  },
  token_linked: {
    title: 'Token sudah tersambung ke ponsel',
    fix: 'Putuskan dulu ponselnya di token ini untuk menautkan ponsel lain.',
  },
  token_limit_reached: {
    title: ({ limit }) =>
      `Batas harian token tercapai${limit === undefined ? '' : `: ${formatNumber(limit)} pesan`}`,
    fix: 'Naikkan batas hariannya di token ini, atau kirim lagi besok.',
  },
  queue_full: {
    title: 'Antrean penuh',
    fix: 'Ulangi sesudah Retry-After; pesannya belum diterima.',
  },
  message_final: {
    title: 'Pesan sudah selesai diproses',
    fix: 'Tidak ada yang perlu dilakukan: pesan ini tidak dapat dibatalkan lagi.',
  },
  message_in_flight: {
    title: 'Pesan sedang dikirim',
    fix: 'Tunggu jawaban jaringan, lalu lihat statusnya.',
  },
};

const unknown: Words = {
  title: 'Permintaan ditolak',
  fix: 'Cari kodenya di dokumentasi; di sana tertulis sebab dan cara memperbaikinya.',
};

export const hasWords = (code: string): boolean => Object.hasOwn(words, code);

const wordsOf = (code: string): Words => (hasWords(code) ? words[code] : undefined) ?? unknown;

export function reasonOf({ code, facts }: Pick<RejectedCall, 'code' | 'facts'>): string {
  const { title } = wordsOf(code);
  return typeof title === 'string' ? title : title(facts);
}

export const fixOf = (code: string): string => wordsOf(code).fix;

export const reasonOptions = Object.keys(words)
  .map((code) => ({ value: code, label: reasonOf({ code, facts: {} }) }))
  .toSorted((a, b) => a.label.localeCompare(b.label, 'id'));

export const dialectLabel: Readonly<Record<string, string>> = {
  kabari: 'API Kabari',
  cloud: 'Cloud API',
  fonnte: 'Fonnte',
  wablas: 'Wablas',
  mcp: 'MCP',
};
