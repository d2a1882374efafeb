import { zones } from '#contract/people.ts';
import { formatDateTime } from '#contract/base/time.ts';
import type { AccountsDeps } from './deps.ts';
import { deviceName } from './sessions/sessions.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { phonesOf } from '#server/domains/accounts/people.ts';

type Deps = Pick<AccountsDeps, 'sendSystemText'>;

const sendNotice = ({ sendSystemText }: Deps, phone: string, text: string): Promise<void> =>
  sendSystemText(phone, text, text);

export const notifyNewDevice = (deps: Deps, phone: string, agent: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    `Akun Kabari Anda baru saja dibuka dari browser baru: ${deviceName(agent)}. ` +
      'Bukan Anda? Segera masuk, ganti kata sandi, dan akhiri sesi itu di halaman Profil.',
  );

export const notifyPasswordChanged = (deps: Deps, phone: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    'Kata sandi akun Kabari Anda baru saja diganti, dan sesi di browser lain diakhiri. ' +
      'Bukan Anda? Pilih "Lupa kata sandi" di halaman masuk sekarang juga.',
  );

/** To the old number: the account has another number now. */
export const notifyPhoneChanged = (
  deps: Deps,
  oldPhone: string,
  lastDigits: string,
): Promise<void> =>
  sendNotice(
    deps,
    oldPhone,
    `Nomor akun Kabari Anda baru saja diganti ke nomor yang berakhiran ${lastDigits}. ` +
      'Bukan Anda? Segera hubungi layanan pelanggan.',
  );

export type FactorChange =
  | 'totp_added'
  | 'totp_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'codes_renewed';

const factorChanges: Record<FactorChange, string> = {
  totp_added: 'Aplikasi autentikator baru saja dipasang untuk verifikasi dua langkah',
  totp_removed: 'Aplikasi autentikator baru saja dihapus dari verifikasi dua langkah',
  passkey_added: 'Sebuah passkey baru saja dipasang untuk verifikasi dua langkah',
  passkey_removed: 'Sebuah passkey baru saja dihapus dari verifikasi dua langkah',
  codes_renewed: 'Kode cadangan baru saja dibuat ulang',
};

export const notifyFactorChanged = (
  deps: Deps,
  phone: string,
  change: FactorChange,
): Promise<void> =>
  sendNotice(
    deps,
    phone,
    `${factorChanges[change]} akun Kabari Anda. ` +
      'Bukan Anda? Segera masuk, ganti kata sandi, dan periksa halaman Keamanan.',
  );

/** Five wrong second factors followed a correct password. */
export const notifyFactorGuessed = (deps: Deps, phone: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    'Seseorang memasukkan kata sandi akun Kabari Anda dengan benar, lalu lima kali kode atau passkey yang salah. ' +
      'Bukan Anda? Segera ganti kata sandi Anda.',
  );

export const notifyRecoveryCodeUsed = (deps: Deps, phone: string, left: number): Promise<void> =>
  sendNotice(
    deps,
    phone,
    `Sebuah kode cadangan akun Kabari Anda baru saja dipakai; sisa ${left}. ` +
      'Bukan Anda? Segera masuk, ganti kata sandi, dan buat kode cadangan baru di halaman Keamanan.',
  );

/** An operator removed all second factors because they were lost. */
export const notifySecondFactorsReset = (deps: Deps, phone: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    'Verifikasi dua langkah akun Kabari Anda baru saja dihapus oleh operator, dan semua sesi diakhiri. ' +
      'Masuk lagi dengan kata sandi Anda, lalu pasang yang baru di halaman Keamanan. ' +
      'Tidak memintanya? Segera hubungi operator lain.',
  );

export const notifyErasureScheduled = (
  deps: Deps,
  phone: string,
  { at, timezone }: { at: string; timezone: string },
): Promise<void> =>
  sendNotice(
    deps,
    phone,
    `Akun Kabari Anda akan dihapus pada ${formatDateTime(at, timezone)} ${zoneName(timezone)}, ` +
      'seperti yang Anda minta. Sampai saat itu semuanya tetap berjalan, dan Anda dapat ' +
      'membatalkannya di halaman Profil. Bukan Anda? Segera masuk, batalkan, dan ganti kata sandi.',
  );

const zoneName = (timezone: string): string =>
  (zones as Readonly<Record<string, string>>)[timezone]?.split(' ')[0] ?? '';

export const notifyErasureCancelled = (deps: Deps, phone: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    'Penghapusan akun Kabari Anda dibatalkan. Akun dan semua isinya tetap ada.',
  );

export const notifyErased = (deps: Deps, phone: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    'Akun Kabari Anda sekarang ditutup dan isinya dihapus: pesan, token, berkas, sesi, dan data ' +
      'diri Anda. Yang tersisa hanya pembukuan tanpa nama, seperti yang diwajibkan hukum pajak. ' +
      'Ini pesan terakhir kami ke nomor ini. Terima kasih.',
  );

/** Links to the profile page, which requires a session. */
export const notifyExportReady = (deps: Deps, phone: string): Promise<void> =>
  sendNotice(
    deps,
    phone,
    'Unduhan data akun Kabari Anda sudah siap di halaman Profil, dan dapat diambil selama 24 jam. ' +
      'Bukan Anda yang memintanya? Segera ganti kata sandi dan akhiri sesi lain.',
  );

/** Older suspensions are not sent: users who were not reached by then read them at sign-in. */
const NOTIFY_WITHIN_MS = 86_400_000;

/**
 * Notifies the users of suspended or reinstated accounts who were not notified yet. Called after the change, and by a
 * job after a crash or while the channel was down.
 */
export async function notifySuspensions(
  deps: Pick<AccountsDeps, 'allAccountsSql' | 'report'> & {
    /** Sends a text through the installation's own token; the same `key` sends it once. */
    sendSystemText: (phone: string, text: string, shownText: string, key: string) => Promise<void>;
    now: () => Date;
  },
): Promise<void> {
  const { allAccountsSql: sql } = deps;
  const due = await sql<{ accountId: string; id: string; becomes: string; reason: string }[]>`
    select account_id as "accountId", suspension_id as id, becomes, reason from account_suspensions
    where notified_at is null and at > ${new Date(deps.now().getTime() - NOTIFY_WITHIN_MS)}
    order by at limit 100`;
  for (const { accountId, id, becomes, reason } of due) {
    try {
      const text = becomes === 'suspended' ? suspended(reason) : reactivated(reason);
      for (const { userId, phone } of await phonesOf(sql, [accountId])) {
        await deps.sendSystemText(phone, text, text, `suspension:${id}:${userId}`);
      }
      await sql`
        update account_suspensions set notified_at = clock_timestamp()
        where account_id = ${accountId} and suspension_id = ${id}`;
    } catch (error) {
      // If the installation's own token takes no messages, the overview and the doctor report it.
      if (!(error instanceof Refusal)) deps.report(error);
    }
  }
}

const suspended = (reason: string): string =>
  `Akun Kabari Anda ditangguhkan. Alasannya: ${sentence(reason)} Pengiriman berhenti sementara dan pesan yang menunggu tetap tersimpan. Masuk ke portal untuk bertanya kepada layanan pelanggan.`;

const reactivated = (reason: string): string =>
  `Akun Kabari Anda aktif kembali. ${sentence(reason)} Pesan yang menunggu dilanjutkan otomatis.`;

/** Ends the reason with punctuation. */
const sentence = (reason: string): string => (/[.!?…]$/.test(reason) ? reason : `${reason}.`);
