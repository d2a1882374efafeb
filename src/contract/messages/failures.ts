import type { Language } from '#contract/language/language.ts';
import type { Failure } from '#contract/messages.ts';

const inEnglish: Record<Failure, string> = {
  not_on_whatsapp: 'This number is not on WhatsApp. Check the number.',
  blocked: 'The recipient has blocked your number. Reach them some other way.',
  rate_limited: 'The network refused because it was too fast. Send again later, or more slowly.',
  not_linked:
    'The token is not connected any more. Connect its number on the page Nomor, then send again.',
  no_answer: 'The network did not answer after several tries. Send again later.',
  rejected: 'The network refused the content of this message. Check it, then send again.',
  opted_out: 'The recipient asked to receive no more messages.',
  media_unreachable:
    'The file behind the link could not be fetched, or is kept no longer. Check the link, or upload the file, then send again.',
  media_refused:
    'The file behind the link was refused: its address is not a public one, or the file does not fit the type of message, is too large, or not safe. Check the file, then send again.',
  window_closed:
    'The recipient has not written to you in the last 24 hours. Send an approved template; once they answer, ordinary messages can be sent again.',
  network_declined:
    'WhatsApp chose not to deliver this message to the recipient. Do not send it again at once; try another day, or reach them some other way.',
  template_refused:
    'WhatsApp refused the template: not approved, paused, or its variables do not fit. Check it in WhatsApp Manager, then send again.',
  network_billing:
    'Meta cannot bill this WhatsApp Business account yet. Complete its payment method in WhatsApp Manager, then send again.',
  network_access:
    'Meta refused the access of this token. Renew its access token on the page Nomor, then send again.',
  number_restricted:
    'WhatsApp is restricting the sending number. Wait until the restriction ends; replies to those who wrote first can still be sent.',
  unexplained:
    'WhatsApp refused this message and gave no reason. Send it again later; if that repeats, ask Meta with the code of the answer.',
};

/** The cause alone, for a failed try that is followed by another. */
const causes: Record<Language, Record<Failure, string>> = {
  id: {
    not_on_whatsapp: 'Nomor ini tidak ditemukan di WhatsApp',
    blocked: 'Penerima memblokir nomor Anda',
    rate_limited: 'Jaringan menolak karena terlalu cepat',
    not_linked: 'Nomor pengirim tidak tersambung lagi',
    no_answer: 'Jaringan tidak menjawab',
    rejected: 'Jaringan menolak pesan ini',
    opted_out: 'Penerima meminta berhenti menerima pesan',
    media_unreachable: 'Berkas pada tautannya tidak dapat diambil',
    media_refused: 'Berkas pada tautannya ditolak',
    window_closed: 'Penerima belum menulis kepada Anda dalam 24 jam terakhir',
    network_declined: 'WhatsApp memilih untuk tidak menyampaikan pesan ini',
    template_refused: 'WhatsApp menolak templatnya',
    network_billing: 'Akun WhatsApp Business belum dapat ditagih oleh Meta',
    network_access: 'Meta menolak token akses nomor ini',
    number_restricted: 'WhatsApp sedang membatasi nomor pengirim',
    unexplained: 'WhatsApp menolak pesan ini tanpa menyebut alasannya',
  },
  en: {
    not_on_whatsapp: 'This number was not found on WhatsApp',
    blocked: 'The recipient has blocked your number',
    rate_limited: 'The network refused because it was too fast',
    not_linked: 'The token is not connected any more',
    no_answer: 'The network did not answer',
    rejected: 'The network refused this message',
    opted_out: 'The recipient asked to receive no more messages',
    media_unreachable: 'The file behind the link could not be fetched',
    media_refused: 'The file behind the link was refused',
    window_closed: 'The recipient has not written to you in the last 24 hours',
    network_declined: 'WhatsApp chose not to deliver this message',
    template_refused: 'WhatsApp refused the template',
    network_billing: 'Meta cannot bill the WhatsApp Business account yet',
    network_access: 'Meta refused the access of this token',
    number_restricted: 'WhatsApp is restricting the sending number',
    unexplained: 'WhatsApp refused this message and gave no reason',
  },
};

const retryNotes: Record<Language, string> = {
  id: 'Kabari otomatis mencoba lagi; tidak ada yang perlu Anda lakukan',
  en: 'Kabari is trying again by itself; nothing need be done',
};

/** Failures that persist until the token's owner acts: the message waits for that. */
const ownerActions: Partial<Record<Failure, Record<Language, string>>> = {
  network_access: {
    id: 'Pesan ini menunggu. Bila token aksesnya masih berlaku, Kabari otomatis mencoba lagi; bila nomornya terputus, halaman Nomor menyebut apa yang perlu dilakukan',
    en: 'This message waits. If the access token is still valid, Kabari tries again by itself; if the number is disconnected, the page Nomor says what to do',
  },
};

const waitNotes: Record<Language, string> = {
  id: 'Jaringan belum menjawab. Kabari menunggu laporannya lalu melanjutkan otomatis; tidak ada yang perlu Anda lakukan.',
  en: 'The network has not answered yet. Kabari is waiting for its report and goes on by itself; nothing need be done.',
};

const correctionNotes: Record<Language, string> = {
  id: 'Laporan jaringan datang belakangan: pesan ini terkirim. Status dan biayanya diperbaiki.',
  en: 'The network reported late: this message was sent. Its status and price were put right.',
};

const silence: Record<'own' | 'earlier' | 'link', Record<Language, string>> = {
  own: {
    id: 'Jaringan belum menjawab pengiriman ini.',
    en: 'The network has not answered this try.',
  },
  earlier: {
    id: 'Pesan sebelumnya ke nomor ini belum dijawab jaringan. Pesan ini dikirim sesudahnya.',
    en: 'The network has not answered an earlier message to this number. This one leaves after it.',
  },
  link: {
    id: 'Berkas sedang diambil dari tautannya. Pesan ini dikirim sesudahnya.',
    en: 'The file is being fetched from its link. This message leaves after that.',
  },
};

export const failureSentence = (failure: Failure, language: Language): string =>
  language === 'en' ? inEnglish[failure] : failures[failure];

/** The cause in a few words, without advice: for lists of causes. */
export const failureCause = (failure: Failure): string => causes.id[failure];

export const retrySentence = (failure: Failure, language: Language): string =>
  `${causes[language][failure]}. ${(ownerActions[failure] ?? retryNotes)[language]}.`;

export const waitSentence = (language: Language): string => waitNotes[language];

export const correctedSentence = (language: Language): string => correctionNotes[language];

/**
 * The event that a queued message waits for: the answer to its own try, or to an earlier message to the same number, or
 * the download of its linked file.
 */
export const silenceSentence = (whose: 'own' | 'earlier' | 'link', language: Language): string =>
  silence[whose][language];

export const faultOf = {
  you: 'Anda',
  recipient: 'Penerima',
  network: 'WhatsApp',
  us: 'Kabari',
} as const;
type FaultOf = keyof typeof faultOf;

export type HelpPlace = 'token' | 'templates' | 'resend' | 'conversation' | 'outside';

export type FailureHelp = {
  what: string;
  whose: FaultOf;
  again: string;
  todo: string;
  where: HelpPlace;
};

const notTried = 'Tidak. Mencoba lagi tidak mengubah hasilnya.';
const triedBefore =
  'Sudah: Kabari mencobanya beberapa kali dengan jeda yang makin panjang, lalu berhenti.';

/** For each failure: the cause, the responsible side, whether it is tried again, and what to do. */
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
    what: 'Nomor pengirim tidak tersambung lagi saat pesan ini akan dikirim.',
    whose: 'you',
    again: 'Tidak. Kabari tidak dapat mengirim tanpa nomor yang tersambung.',
    todo: 'Sambungkan nomornya di halaman Nomor, lalu kirim ulang pesan ini.',
    where: 'token',
  },
  no_answer: {
    what: 'Jaringan tidak menjawab, dan laporan pengirimannya tidak datang sampai batas waktunya.',
    whose: 'network',
    again: triedBefore,
    todo: 'Kirim ulang. Bila laporan untuk pesan ini datang belakangan, status dan biayanya diperbaiki otomatis.',
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
    todo: 'Buka tautannya di browser lain untuk memeriksa bahwa berkasnya dapat diunduh siapa saja, atau unggah berkasnya, lalu kirim ulang.',
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
    todo: 'Periksa status dan isian templatnya, perbaiki di WhatsApp Manager, lalu kirim ulang.',
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
      'Selama access token belum diganti, pesan lain menunggu lalu dikirim otomatis; pesan ini tidak dikirim lagi.',
    todo: 'Masukkan access token yang baru di halaman Nomor, lalu kirim ulang.',
    where: 'token',
  },
  number_restricted: {
    what: 'WhatsApp sedang membatasi nomor pengirim.',
    whose: 'network',
    again: 'Pesan yang antre menunggu selama nomornya dijeda, lalu dicoba lagi otomatis.',
    todo: 'Tunggu sampai pembatasannya berakhir. Balasan kepada yang lebih dulu menulis tetap dapat dikirim.',
    where: 'token',
  },
  unexplained: {
    what: 'WhatsApp menolak pesan ini tanpa menyebut alasannya.',
    whose: 'network',
    again: 'Tidak. Tanpa alasan dari Meta, mencoba lagi otomatis dapat menggandakan penolakan.',
    todo: 'Kirim ulang nanti. Bila berulang, tanyakan kepada Meta lewat WhatsApp Manager.',
    where: 'resend',
  },
};

export const failures = {
  not_on_whatsapp: 'Nomor ini tidak terdaftar di jaringan. Periksa nomornya.',
  blocked: 'Penerima memblokir nomor Anda. Hubungi lewat jalur lain.',
  rate_limited: 'Jaringan menolak karena terlalu cepat. Kirim ulang nanti, atau kirim lebih pelan.',
  not_linked:
    'Nomor pengirim tidak tersambung lagi. Sambungkan di halaman Nomor, lalu kirim ulang.',
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
    'Meta menolak token akses nomor ini. Perbarui token aksesnya di halaman Nomor lalu kirim ulang.',
  number_restricted:
    'WhatsApp sedang membatasi nomor pengirim. Tunggu pembatasannya berakhir; balasan kepada yang lebih dulu menulis tetap dapat dikirim.',
  unexplained:
    'WhatsApp menolak pesan ini tanpa menyebut alasannya. Kirim ulang nanti; bila berulang, tanyakan kepada Meta.',
} as const satisfies Record<Failure, string>;
