import { randomInt } from 'node:crypto';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hit, hitsOfScope, hitsWithin, networkOf } from '#server/infra/acts/limits.ts';
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

type SecretsDeps = Pick<AccountsDeps, 'secrets'>;

/** What a code is for. */
export type OtpPurpose = 'register' | 'login' | 'forgot' | 'phone_old' | 'phone_new' | 'delete';

/** Six random digits. */
export const newCode = (): string => randomInt(1_000_000).toString().padStart(6, '0');

/** A phone, or its prefix, as the subject of a counter: hashed, so that the database cannot be read for numbers. */
const subjectHash = ({ secrets }: SecretsDeps, phone: string): string =>
  hmac(secrets.key('pepper'), 'limit', phone).toString('hex').slice(0, 32);

const prefixOf = (phone: string): string => phone.slice(0, -4);

/** @throws Refusal `otp_unsendable` while the installation's own token has no number, or no template for codes. */
export async function refuseUnsendable(
  tx: Tx,
  { takesCodes, log }: Pick<AccountsDeps, 'takesCodes' | 'log'>,
): Promise<void> {
  if (await takesCodes(tx)) return;
  log.warn({}, 'a code was asked for, and the system token cannot send codes');
  throw new Refusal('otp_unsendable', {});
}

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
  const prefix = subjectHash(deps, prefixOf(phone));
  const day = { windowSeconds: DAY_SECONDS };
  const exceeded = await hit(tx, [
    { ...day, scope: 'otp_phone', subject: subjectHash(deps, phone), max: PER_PHONE_DAILY },
    { ...day, scope: 'otp_address', subject: ip, max: perAddress },
    { ...day, scope: 'otp_network', subject: networkOf(ip), max: perAddress * NETWORK_FACTOR },
    { ...day, scope: 'otp_prefix', subject: prefix, max: PER_PREFIX_DAILY },
    { ...day, scope: 'otp_total', subject: 'all', max: deps.config.OTP_DAILY_TOTAL },
  ]);
  if (exceeded) {
    deps.log.warn({ scope: exceeded.limit.scope }, 'a daily cap of codes is reached');
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

/** Counts a code that was entered: `countCode` compares it with the codes sent to the prefix. */
export async function countEntered(tx: Tx, deps: SecretsDeps, phone: string): Promise<void> {
  const subject = subjectHash(deps, prefixOf(phone));
  await hit(tx, [{ scope: 'otp_entered', subject, max: 1_000_000, windowSeconds: DAY_SECONDS }]);
}

const SHOWN_TEXT = 'Kode verifikasi ••••••';
const ALREADY_REGISTERED =
  'Nomor ini sudah terdaftar di Kabari. Silakan masuk dengan kata sandi Anda. ' +
  'Jika Anda tidak mencoba mendaftar, abaikan pesan ini.';

/** What the code is for, in the message: also people who did not request it must understand. */
const reasons: Readonly<Record<OtpPurpose, string>> = {
  register: '',
  login: ' untuk masuk dari peramban baru',
  forgot: ' untuk mengganti kata sandi',
  phone_old: ' untuk mengganti nomor akun Anda',
  phone_new: ' untuk memakai nomor ini di akun Anda',
  delete: ' untuk MENGHAPUS akun Anda',
};

type OutgoingCode = { phone: string; purpose: OtpPurpose; code: string; isDecoy: boolean };

/**
 * Sends a code. A decoy challenge, which no code can solve, tells the owner of a registered number that
 * it is registered; for a forgotten password of an unknown number nothing is sent.
 */
export async function sendCode(
  { sendSystemText, sendSystemCode }: Pick<AccountsDeps, 'sendSystemText' | 'sendSystemCode'>,
  { phone, purpose, code, isDecoy }: OutgoingCode,
): Promise<void> {
  if (isDecoy && purpose === 'forgot') return;
  if (isDecoy) return sendSystemText(phone, ALREADY_REGISTERED, ALREADY_REGISTERED);
  const text =
    `Kode verifikasi Kabari: ${code}${reasons[purpose]}. Berlaku 5 menit. ` +
    'Jangan berikan kepada siapa pun.';
  return sendSystemCode({ phone, text, shownText: SHOWN_TEXT, code });
}

/** Codes of the WIB day: asked for, entered, and how many the address asked for that asked most. */
export async function codeCounts(
  allAccountsSql: Sql,
): Promise<{ asked: number; entered: number; fullestAddress: number }> {
  const today = (scope: string) => hitsOfScope(allAccountsSql, { scope, seconds: DAY_SECONDS });
  const [total, entered, address] = await Promise.all(
    ['otp_total', 'otp_entered', 'otp_address'].map(today),
  );
  return {
    asked: total?.sum ?? 0,
    entered: entered?.sum ?? 0,
    fullestAddress: address?.most ?? 0,
  };
}
