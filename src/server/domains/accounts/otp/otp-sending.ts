import { randomInt } from 'node:crypto';
import { Refusal } from '#contract/base/refusals.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { hit, hitsWithin, networkOf } from '#server/infra/acts/limits.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';

const DAY_SECONDS = 86_400;
const PER_PHONE_DAILY = 10;
/** Numbers that differ in their last four digits only (docs/threats.md, T2). */
const PER_PREFIX_DAILY = 100;
const NETWORK_FACTOR = 4;
/**
 * From so many codes to a prefix on, a fifth must have been entered, or it gets no more that day.
 */
const PREFIX_JUDGED_FROM = 30;
const PREFIX_ENTERED_SHARE = 0.2;

type Keyed = Pick<AccountsDeps, 'secrets'>;

/** What a code is for: where it was asked, and what it opens. */
export type OtpPurpose = 'register' | 'login' | 'forgot' | 'phone_old' | 'phone_new' | 'delete';

/** Six digits of chance. */
export const newCode = (): string => randomInt(1_000_000).toString().padStart(6, '0');

/** A phone, or its prefix, as counters know it: not readable in the database. */
const hidden = ({ secrets }: Keyed, phone: string): string =>
  hmac(secrets.key('pepper'), 'limit', phone).toString('hex').slice(0, 32);

const prefixOf = (phone: string): string => phone.slice(0, -4);

/**
 * Counts one code to a number in every daily cap, or none of them when one is full.
 *
 * Call it in the transaction that writes the challenge: a refusal must roll it back.
 *
 * @throws Refusal `otp_limit`.
 */
export async function countCode(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets' | 'config' | 'log'>,
  { phone, ip }: { phone: string; ip: string },
): Promise<void> {
  const perAddress = deps.config.OTP_DAILY_PER_ADDRESS;
  const prefix = hidden(deps, prefixOf(phone));
  const day = { windowSeconds: DAY_SECONDS };
  const full = await hit(tx, [
    { ...day, scope: 'otp_phone', subject: hidden(deps, phone), max: PER_PHONE_DAILY },
    { ...day, scope: 'otp_address', subject: ip, max: perAddress },
    { ...day, scope: 'otp_network', subject: networkOf(ip), max: perAddress * NETWORK_FACTOR },
    { ...day, scope: 'otp_prefix', subject: prefix, max: PER_PREFIX_DAILY },
    { ...day, scope: 'otp_total', subject: 'all', max: deps.config.OTP_DAILY_TOTAL },
  ]);
  if (full) {
    deps.log.warn({ scope: full.limit.scope }, 'a daily cap of codes is reached');
    throw new Refusal('otp_limit', {});
  }
  const today = { subject: prefix, seconds: DAY_SECONDS };
  const sent = await hitsWithin(tx, { ...today, scope: 'otp_prefix' });
  if (sent <= PREFIX_JUDGED_FROM) return;
  const entered = await hitsWithin(tx, { ...today, scope: 'otp_entered' });
  if (entered >= (sent - 1) * PREFIX_ENTERED_SHARE) return;
  deps.log.warn({ sent, entered }, 'codes to a prefix are not entered: it gets no more today');
  throw new Refusal('otp_limit', {});
}

/** Notes that a code was entered: what `countCode` judges a prefix by. */
export async function countEntered(tx: Tx, deps: Keyed, phone: string): Promise<void> {
  const subject = hidden(deps, prefixOf(phone));
  await hit(tx, [{ scope: 'otp_entered', subject, max: 1_000_000, windowSeconds: DAY_SECONDS }]);
}

const SHOWN_AT_REST = 'Kode verifikasi ••••••';
const TAKEN =
  'Nomor ini sudah terdaftar di Kabari. Silakan masuk dengan kata sandi Anda. ' +
  'Jika Anda tidak mencoba mendaftar, abaikan pesan ini.';

/** What the code is for, as the message says it: people who did not ask must understand. */
const reasons: Readonly<Record<OtpPurpose, string>> = {
  register: '',
  login: ' untuk masuk dari peramban baru',
  forgot: ' untuk mengganti kata sandi',
  phone_old: ' untuk mengganti nomor akun Anda',
  phone_new: ' untuk memakai nomor ini di akun Anda',
  delete: ' untuk MENGHAPUS akun Anda',
};

type Sent = { phone: string; purpose: OtpPurpose; code: string; dud: boolean };

/**
 * Sends a code. A challenge that no code can fit (a `dud`) tells the owner of a number that is
 * registered already that it is; for a number nobody has, asked for by who forgot a password, nothing
 * leaves the house.
 */
export async function sendCode(
  { sendOtp }: Pick<AccountsDeps, 'sendOtp'>,
  { phone, purpose, code, dud }: Sent,
): Promise<void> {
  if (dud && purpose === 'forgot') return;
  if (dud) return sendOtp(phone, TAKEN, TAKEN);
  const text =
    `Kode verifikasi Kabari: ${code}${reasons[purpose]}. Berlaku 5 menit. ` +
    'Jangan berikan kepada siapa pun.';
  return sendOtp(phone, text, SHOWN_AT_REST);
}
