import { randomInt } from 'node:crypto';
import type { Challenge } from '#contract/accounts.ts';
import { publicId } from '#contract/ids.ts';
import { Refusal } from '#contract/refusals.ts';
import type { Tx } from '#server/platform/database.ts';
import { hit, hitsWithin, networkOf } from '#server/platform/limits.ts';
import { hmac } from '#server/platform/secrets.ts';
import type { AccountsDeps } from './deps.ts';

/** How long a code lives, and how long one may ask for another (rulings, 27). */
export const CODE_SECONDS = 300;
export const RESENDABLE_SECONDS = 1800;
export const TRIES = 5;
/** The wait after the first, second and every later code to a number. */
const WAITS_SECONDS = [60, 120, 300] as const;

const DAY_SECONDS = 86_400;
const PER_PHONE_DAILY = 10;
/** Numbers that differ in their last four digits only (`security.md`, T2). */
const PER_PREFIX_DAILY = 100;
const NETWORK_FACTOR = 4;
/**
 * From so many codes to a prefix on, a fifth must have been entered, or it gets no more that day.
 */
const PREFIX_JUDGED_FROM = 30;
const PREFIX_ENTERED_SHARE = 0.2;

/** Seconds to wait after the nth code to a number, counting from 1. */
export const waitAfter = (sends: number): number =>
  WAITS_SECONDS[Math.min(sends, WAITS_SECONDS.length) - 1] ?? 300;

/** Six digits of chance. */
export const newCode = (): string => randomInt(1_000_000).toString().padStart(6, '0');

type Keyed = Pick<AccountsDeps, 'secrets'>;

/** What is stored of a code: useless without the pepper, and for any other challenge. */
export const codeHmac = ({ secrets }: Keyed, challengeId: string, code: string): Buffer =>
  hmac(secrets.key('pepper'), 'otp', challengeId, code);

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

/** Sends a code, or, to a number that is registered already, the news that it is. */
export async function sendCode(
  { sendOtp }: Pick<AccountsDeps, 'sendOtp'>,
  { phone, code, taken }: { phone: string; code: string; taken: boolean },
): Promise<void> {
  const text = `Kode verifikasi Kabari: ${code}. Berlaku 5 menit. Jangan berikan kepada siapa pun.`;
  await (taken ? sendOtp(phone, TAKEN, TAKEN) : sendOtp(phone, text, SHOWN_AT_REST));
}

/** What the browser is told of a code on its way; the same whether or not the number is known. */
export const challengeAnswer = (challengeId: string, phone: string, sends: number): Challenge => ({
  challenge: publicId('challenge', challengeId),
  sent_to: `+62 ${phone.slice(2, 5)}-••••-${phone.slice(-4)}`,
  resend_in_seconds: waitAfter(sends),
  expires_in_seconds: CODE_SECONDS,
});
