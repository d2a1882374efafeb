import { type Language } from '#contract/language/language.ts';
import { type Failure } from '#contract/messages.ts';
import { failures } from '#contract/messages/history/failure-sentences.ts';

/** Why a message failed, with what to do, in English. */
const inEnglish: Record<Failure, string> = {
  not_on_whatsapp: 'This number is not on WhatsApp. Check the number.',
  blocked: 'The recipient has blocked your number. Reach them some other way.',
  rate_limited: 'The network refused because it was too fast. Send again later, or more slowly.',
  not_linked:
    'The token is not connected any more. Connect its number on the Token page, then send again.',
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
    'Meta refused the access of this token. Renew its access token on the Token page, then send again.',
  number_restricted:
    'WhatsApp is restricting the sending number. Wait until the restriction ends; replies to those who wrote first can still be sent.',
  unexplained:
    'WhatsApp refused this message and gave no reason. Send it again later; if that repeats, ask Meta with the code of the answer.',
};

/** What happened, alone: for a try that is followed by another one. */
const happened: Record<Language, Record<Failure, string>> = {
  id: {
    not_on_whatsapp: 'Nomor ini tidak ditemukan di WhatsApp',
    blocked: 'Penerima memblokir nomor Anda',
    rate_limited: 'Jaringan menolak karena terlalu cepat',
    not_linked: 'Token tidak tersambung lagi',
    no_answer: 'Jaringan tidak menjawab',
    rejected: 'Jaringan menolak pesan ini',
    opted_out: 'Penerima meminta berhenti menerima pesan',
    media_unreachable: 'Berkas pada tautannya tidak dapat diambil',
    media_refused: 'Berkas pada tautannya ditolak',
    window_closed: 'Penerima belum menulis kepada Anda dalam 24 jam terakhir',
    network_declined: 'WhatsApp memilih untuk tidak menyampaikan pesan ini',
    template_refused: 'WhatsApp menolak templatnya',
    network_billing: 'Akun WhatsApp Business belum dapat ditagih oleh Meta',
    network_access: 'Meta menolak akses token ini',
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

const weRetry: Record<Language, string> = {
  id: 'Kabari mencoba lagi dengan sendirinya; tidak ada yang perlu Anda lakukan',
  en: 'Kabari is trying again by itself; nothing need be done',
};

/** Failures that last until the token's owner acts: the message waits for that. */
const ownerMends: Partial<Record<Failure, Record<Language, string>>> = {
  network_access: {
    id: 'Pesan ini menunggu. Bila access token-nya masih berlaku, Kabari mencoba lagi dengan sendirinya; bila nomornya terputus, halaman Token menyebut apa yang perlu dilakukan',
    en: 'This message waits. If the access token is still valid, Kabari tries again by itself; if the number is disconnected, the Token page says what to do',
  },
};

const weWait: Record<Language, string> = {
  id: 'Jaringan belum menjawab. Kabari menunggu laporannya lalu melanjutkan dengan sendirinya; tidak ada yang perlu Anda lakukan.',
  en: 'The network has not answered yet. Kabari is waiting for its report and goes on by itself; nothing need be done.',
};

const corrected: Record<Language, string> = {
  id: 'Laporan jaringan datang belakangan: pesan ini terkirim. Status dan biayanya diperbaiki.',
  en: 'The network reported late: this message was sent. Its status and price were put right.',
};

const silence: Record<'own' | 'earlier' | 'link', Record<Language, string>> = {
  own: {
    id: 'Jaringan belum menjawab pengiriman ini.',
    en: 'The network has not answered this try.',
  },
  earlier: {
    id: 'Pesan sebelumnya ke nomor ini belum dijawab jaringan. Pesan ini berangkat sesudahnya.',
    en: 'The network has not answered an earlier message to this number. This one leaves after it.',
  },
  link: {
    id: 'Berkas sedang diambil dari tautannya. Pesan ini berangkat sesudahnya.',
    en: 'The file is being fetched from its link. This message leaves after that.',
  },
};

/** Why a message failed for good, and what its sender can do. */
export const failureSentence = (failure: Failure, language: Language): string =>
  language === 'en' ? inEnglish[failure] : failures[failure];

/** What happened, in a few words and without what to do: for lists of causes. */
export const failureCause = (failure: Failure): string => happened.id[failure];

/** Why a try failed that is followed by another one: what happened, and what need be done, mostly nothing. */
export const retrySentence = (failure: Failure, language: Language): string =>
  `${happened[language][failure]}. ${(ownerMends[failure] ?? weRetry)[language]}.`;

/** What is said of a message whose try got no answer, while its report is awaited. */
export const waitSentence = (language: Language): string => weWait[language];

/** What is said of a final state that a late report proved wrong. */
export const correctedSentence = (language: Language): string => corrected[language];

/**
 * What a queued message waits for: the answer to its own try, or to an earlier message to the same number, or
 * the file behind its link.
 */
export const silenceSentence = (whose: 'own' | 'earlier' | 'link', language: Language): string =>
  silence[whose][language];
