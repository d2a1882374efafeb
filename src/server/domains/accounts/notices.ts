import { zones } from '#contract/people.ts';
import { formatDateTime } from '#contract/base/time.ts';
import type { AccountsDeps } from './deps.ts';
import { deviceName } from './sessions/device-name.ts';

type Deps = Pick<AccountsDeps, 'sendOtp'>;

const tell = ({ sendOtp }: Deps, phone: string, text: string): Promise<void> =>
  sendOtp(phone, text, text);

/** Somebody signed in from a browser that was not known: its owner, or somebody else. */
export const tellNewDevice = (deps: Deps, phone: string, agent: string): Promise<void> =>
  tell(
    deps,
    phone,
    `Akun Kabari Anda baru saja dibuka dari peramban baru: ${deviceName(agent)}. ` +
      'Bukan Anda? Segera masuk, ganti kata sandi, dan akhiri sesi itu di halaman Profil.',
  );

/** The password was changed: by its owner, or by somebody else. */
export const tellPasswordChanged = (deps: Deps, phone: string): Promise<void> =>
  tell(
    deps,
    phone,
    'Kata sandi akun Kabari Anda baru saja diganti, dan sesi di peramban lain diakhiri. ' +
      'Bukan Anda? Pilih "Lupa kata sandi" di halaman masuk sekarang juga.',
  );

/** To the old number: from now on the account answers to another one. */
export const tellPhoneChanged = (deps: Deps, oldPhone: string, newEnd: string): Promise<void> =>
  tell(
    deps,
    oldPhone,
    `Nomor akun Kabari Anda baru saja diganti ke nomor yang berakhiran ${newEnd}. ` +
      'Bukan Anda? Segera hubungi layanan pelanggan.',
  );

/** The account will be erased: by its owner's wish, or by somebody else's. */
export const tellClosing = (
  deps: Deps,
  phone: string,
  { at, timezone }: { at: string; timezone: string },
): Promise<void> =>
  tell(
    deps,
    phone,
    `Akun Kabari Anda akan dihapus pada ${formatDateTime(at, timezone)} ${zoneName(timezone)}, ` +
      'seperti yang Anda minta. Sampai saat itu semuanya tetap berjalan, dan Anda dapat ' +
      'membatalkannya di halaman Profil. Bukan Anda? Segera masuk, batalkan, dan ganti kata sandi.',
  );

const zoneName = (timezone: string): string =>
  (zones as Readonly<Record<string, string>>)[timezone]?.split(' ')[0] ?? '';

/** The deletion was called off. */
export const tellKept = (deps: Deps, phone: string): Promise<void> =>
  tell(deps, phone, 'Penghapusan akun Kabari Anda dibatalkan. Akun dan semua isinya tetap ada.');

/** The last message to a number, before it is forgotten. */
export const tellGone = (deps: Deps, phone: string): Promise<void> =>
  tell(
    deps,
    phone,
    'Akun Kabari Anda sekarang ditutup dan isinya dihapus: pesan, token, berkas, sesi, dan data ' +
      'diri Anda. Yang tersisa hanya pembukuan tanpa nama, seperti yang diwajibkan hukum pajak. ' +
      'Ini pesan terakhir kami ke nomor ini. Terima kasih.',
  );

/** The archive that was asked for lies ready; its address is on the page that asks who is there. */
export const tellExportReady = (deps: Deps, phone: string): Promise<void> =>
  tell(
    deps,
    phone,
    'Unduhan data akun Kabari Anda sudah siap di halaman Profil, dan dapat diambil selama 24 jam. ' +
      'Bukan Anda yang memintanya? Segera ganti kata sandi dan akhiri sesi lain.',
  );
