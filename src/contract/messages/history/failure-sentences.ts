import type { Failure } from '#contract/messages.ts';

/** Why a message failed, with what to do, in plain Indonesian. */
export const failures = {
  not_on_whatsapp: 'Nomor ini tidak terdaftar di jaringan. Periksa nomornya.',
  blocked: 'Penerima memblokir nomor Anda. Hubungi lewat jalur lain.',
  rate_limited: 'Jaringan menolak karena terlalu cepat. Kirim ulang nanti atau turunkan lajunya.',
  not_linked:
    'Token tidak tersambung lagi. Sambungkan nomornya di halaman Token, lalu kirim ulang.',
  no_answer: 'Jaringan tidak menjawab setelah beberapa kali dicoba. Kirim ulang nanti.',
  rejected: 'Jaringan menolak isi pesan ini. Periksa isinya lalu kirim ulang.',
  opted_out: 'Penerima meminta berhenti menerima pesan.',
  media_unreachable:
    'Berkas pada tautannya tidak dapat diambil, atau tidak disimpan lagi. Periksa tautannya, atau unggah berkasnya, lalu kirim ulang.',
  media_refused:
    'Berkas pada tautannya ditolak: alamatnya bukan alamat umum, atau berkasnya tidak sesuai jenis pesan, terlalu besar, atau tidak aman. Periksa berkasnya lalu kirim ulang.',
  window_closed:
    'Penerima belum menulis kepada Anda dalam 24 jam terakhir. Kirim templat yang sudah disetujui; setelah ia membalas, pesan biasa dapat dikirim lagi.',
  network_declined:
    'WhatsApp memilih untuk tidak menyampaikan pesan ini kepada penerima. Jangan langsung kirim ulang; coba lagi lain hari, atau hubungi lewat jalur lain.',
  template_refused:
    'WhatsApp menolak templatnya: belum disetujui, dijeda, atau isian tidak cocok. Periksa templatnya di WhatsApp Manager lalu kirim ulang.',
  network_billing:
    'Akun WhatsApp Business ini belum dapat ditagih oleh Meta. Lengkapi metode pembayaran di WhatsApp Manager lalu kirim ulang.',
  network_access:
    'Meta menolak akses token ini. Perbarui access token-nya di halaman Token lalu kirim ulang.',
  number_restricted:
    'WhatsApp sedang membatasi nomor pengirim. Tunggu pembatasannya berakhir; balasan kepada yang lebih dulu menulis tetap dapat dikirim.',
  unexplained:
    'WhatsApp menolak pesan ini tanpa menyebut alasannya. Kirim ulang nanti; bila berulang, tanyakan kepada Meta.',
} as const satisfies Record<Failure, string>;
