import type { Failure } from '#contract/messages.ts';

/** On whose side a failure is. */
export const faultOf = {
  you: 'Anda',
  recipient: 'Penerima',
  network: 'WhatsApp',
  us: 'Kabari',
} as const;
export type FaultOf = keyof typeof faultOf;

/** Where in the portal something is done about it. */
export type HelpPlace = 'token' | 'templates' | 'resend' | 'conversation' | 'outside';

/** What is known of a failure: for who reads why their message did not arrive. */
export type FailureHelp = {
  what: string;
  whose: FaultOf;
  /** Whether it was, or will be, tried again. */
  again: string;
  todo: string;
  /** Where that is done; `outside` where the portal can do nothing about it. */
  where: HelpPlace;
};

const notTried = 'Tidak. Mencoba lagi tidak mengubah hasilnya.';
const triedBefore =
  'Sudah: Kabari mencobanya beberapa kali dengan jeda yang makin panjang, lalu berhenti.';

/** Of every failure of the catalogue what happened, on whose side, whether it is tried again, and what to do. */
export const failureHelp: Record<Failure, FailureHelp> = {
  not_on_whatsapp: {
    what: 'Nomor tujuan tidak terdaftar di WhatsApp, jadi tidak ada yang dapat menerima pesan ini.',
    whose: 'recipient',
    again: notTried,
    todo: 'Periksa nomornya: mungkin ada angka yang keliru, atau nomornya sudah diganti. Kirim ke nomor yang benar.',
    where: 'conversation',
  },
  blocked: {
    what: 'Penerima memblokir nomor Anda. WhatsApp tidak menyampaikan pesan kepadanya.',
    whose: 'recipient',
    again: notTried,
    todo: 'Hubungi penerima lewat jalur lain, dan minta ia membuka blokirnya bila masih ingin menerima pesan Anda.',
    where: 'outside',
  },
  rate_limited: {
    what: 'Pesan dikirim lebih cepat daripada yang diterima WhatsApp dari nomor ini.',
    whose: 'you',
    again: triedBefore,
    todo: 'Kirim ulang nanti. Bila sering terjadi, bagi kiriman besar menjadi beberapa waktu.',
    where: 'resend',
  },
  not_linked: {
    what: 'Nomor pengirim tidak tersambung lagi saat pesan ini akan berangkat.',
    whose: 'you',
    again: 'Tidak. Kabari tidak dapat mengirim tanpa nomor yang tersambung.',
    todo: 'Sambungkan nomornya di halaman Token, lalu kirim ulang pesan ini.',
    where: 'token',
  },
  no_answer: {
    what: 'Jaringan tidak menjawab, dan laporan pengirimannya tidak datang sampai batas waktunya.',
    whose: 'network',
    again: triedBefore,
    todo: 'Kirim ulang. Bila laporan untuk pesan ini datang belakangan, status dan biayanya diperbaiki dengan sendirinya.',
    where: 'resend',
  },
  rejected: {
    what: 'WhatsApp menolak isi pesan ini.',
    whose: 'you',
    again: notTried,
    todo: 'Periksa isinya: teks yang terlalu panjang, isian kosong, atau jenis pesan yang tidak didukung. Kirim sebagai pesan baru.',
    where: 'conversation',
  },
  opted_out: {
    what: 'Penerima meminta berhenti menerima pesan, misalnya dengan membalas STOP.',
    whose: 'recipient',
    again: 'Tidak. Pesan kepada penerima ini tidak dikirim sampai ia sendiri menulis MULAI.',
    todo: 'Hormati permintaannya. Bila itu keliru, izinkan lagi di percakapannya setelah ia menyetujui.',
    where: 'conversation',
  },
  media_unreachable: {
    what: 'Berkas pada tautannya tidak dapat diambil, atau berkasnya tidak disimpan lagi.',
    whose: 'you',
    again: 'Sudah: tautannya dicoba beberapa kali sebelum pesan dinyatakan gagal.',
    todo: 'Buka tautannya di peramban lain untuk memeriksa bahwa berkasnya dapat diunduh siapa saja, atau unggah berkasnya, lalu kirim ulang.',
    where: 'resend',
  },
  media_refused: {
    what: 'Berkas pada tautannya ditolak: alamatnya bukan alamat umum, atau berkasnya tidak sesuai jenis pesan, terlalu besar, atau tidak aman.',
    whose: 'you',
    again: notTried,
    todo: 'Ganti berkasnya dengan yang sesuai, lalu kirim sebagai pesan baru.',
    where: 'conversation',
  },
  window_closed: {
    what: 'Penerima belum menulis kepada Anda dalam 24 jam terakhir. Di luar waktu itu WhatsApp hanya menerima templat.',
    whose: 'network',
    again: notTried,
    todo: 'Kirim templat yang sudah disetujui. Setelah penerima membalas, pesan biasa dapat dikirim lagi selama 24 jam.',
    where: 'templates',
  },
  network_declined: {
    what: 'WhatsApp memilih untuk tidak menyampaikan pesan ini, misalnya karena penerima baru saja menerima banyak pesan promosi.',
    whose: 'network',
    again: 'Tidak. Mengirim ulang segera hampir selalu ditolak lagi.',
    todo: 'Coba lagi lain hari, atau hubungi penerima lewat jalur lain.',
    where: 'outside',
  },
  template_refused: {
    what: 'WhatsApp menolak templatnya: belum disetujui, sedang dijeda, atau isiannya tidak cocok.',
    whose: 'you',
    again: notTried,
    todo: 'Periksa keadaan dan isian templatnya, perbaiki di WhatsApp Manager, lalu kirim ulang.',
    where: 'templates',
  },
  network_billing: {
    what: 'Meta belum dapat menagih akun WhatsApp Business Anda.',
    whose: 'you',
    again: notTried,
    todo: 'Lengkapi metode pembayaran di WhatsApp Manager, lalu kirim ulang.',
    where: 'resend',
  },
  network_access: {
    what: 'Meta menolak access token yang dipakai token ini.',
    whose: 'you',
    again:
      'Selama access token belum diganti, pesan lain menunggu lalu berangkat dengan sendirinya; pesan ini sudah berakhir.',
    todo: 'Masukkan access token yang baru di halaman Token, lalu kirim ulang.',
    where: 'token',
  },
  number_restricted: {
    what: 'WhatsApp sedang membatasi nomor pengirim.',
    whose: 'network',
    again: 'Pesan yang antre menunggu selama nomornya dijeda, lalu dicoba lagi dengan sendirinya.',
    todo: 'Tunggu sampai pembatasannya berakhir. Balasan kepada yang lebih dulu menulis tetap dapat dikirim.',
    where: 'token',
  },
  unexplained: {
    what: 'WhatsApp menolak pesan ini tanpa menyebut alasannya.',
    whose: 'network',
    again:
      'Tidak. Tanpa alasan dari Meta, mencoba lagi dengan sendirinya dapat menggandakan penolakan.',
    todo: 'Kirim ulang nanti. Bila berulang, tanyakan kepada Meta lewat WhatsApp Manager.',
    where: 'resend',
  },
};
