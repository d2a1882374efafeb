import type { ProviderAnswers } from '#contract/operator/overview.ts';
import { failureCause } from '#contract/messages/failures.ts';
import { otherKinds } from '#contract/messages/captions.ts';

type Answer = ProviderAnswers['answers'][number];

/** Codes about a number rather than a message, and codes that are not the network's. */
const others: ReadonlyMap<string, string> = new Map([
  ...Object.entries(otherKinds).map(
    ([kind, words]) => [`inbound_${kind}`, `Pesan masuk: ${words}`] as const,
  ),
  ...Object.entries({
    unreachable: 'Jaringan tidak menjawab',
    inbound_unnamed: 'Pesan masuk tanpa pengirim',
    inbound_group: 'Pesan grup, disimpan terpisah',
    inbound_unsupported: 'Pesan masuk yang jenisnya belum dikenal',
    NAME_APPROVED: 'Nama tampilan disetujui Meta',
    NAME_REJECTED: 'Nama tampilan ditolak Meta',
    NAME_DECLINED: 'Nama tampilan ditolak Meta',
    ACCOUNT_DELETED: 'Akun WhatsApp Business dihapus',
    PARTNER_REMOVED: 'Aplikasi dilepas dari akun WhatsApp Business',
    SCHEDULE_FOR_DISABLE: 'Akun akan dinonaktifkan Meta',
    REINSTATE: 'Akun dipulihkan Meta',
    TEMPLATE_RED: 'Mutu templat rendah',
    passkey: 'WhatsApp meminta passkey saat penautan',
    FLAGGED: 'Mutu nomor diturunkan',
    UNFLAGGED: 'Mutu nomor pulih',
    UPGRADE: 'Batas kirim nomor dinaikkan',
    DOWNGRADE: 'Batas kirim nomor diturunkan',
    ACCOUNT_RESTRICTION: 'Akun dibatasi Meta',
    ACCOUNT_VIOLATION: 'Akun melanggar kebijakan Meta',
    DISABLED_UPDATE: 'Akun dinonaktifkan Meta',
    other: 'Kode lain, terlalu banyak untuk dihitung satu per satu',
  }),
]);

const effects: Record<NonNullable<Answer['does']>, string> = {
  fail: 'Pesan digagalkan; biayanya dikembalikan bila WhatsApp belum menerima pesannya',
  later: 'Pesan ditahan, lalu dicoba lagi',
  part: 'Nomor diputus sampai pemiliknya memperbaiki di Meta',
  verify: 'Access token diperiksa: bila ditolak nomor diputus, bila berlaku nomor dijeda',
  pause: 'Nomor dijeda; pesannya menunggu',
  rest: 'Pesan dengan templat ini menunggu',
};

const UNKNOWN =
  'Lihat artinya di dokumentasi Meta. Bila Meta menyebutnya gangguan sementara, pesan dicoba lagi; selain itu pesan digagalkan';

export const meaningWords = ({ code, failure }: Pick<Answer, 'code' | 'failure'>): string =>
  others.get(code) ?? (failure ? failureCause(failure) : 'Kode ini belum dikenal');

export function effectWords({ channel, code, does }: Pick<Answer, 'channel' | 'code' | 'does'>) {
  if (does) return effects[does];
  return channel === 'cloud' && /^\d+$/.test(code) ? UNKNOWN : 'Dicatat pada nomornya';
}
