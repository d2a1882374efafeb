import { randomInt } from 'node:crypto';
import { Refusal } from '#contract/base/refusals.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { hit, hitAtomically, hitsOfScope, hitsWithin, networkOf } from '#server/infra/acts.ts';
import type { Config } from '#server/infra/config.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
/** Codes per number, day and pot. */
const PER_PHONE_DAILY = 10;
/** Of these, the most that one network may request without authentication. */
const PER_PHONE_AND_NETWORK_DAILY = 5;
/** Numbers that differ only in their last four digits (docs/threats.md, T2). */
const PER_PREFIX_DAILY = 100;
const NETWORK_FACTOR = 4;
/** From this many codes to a prefix on, a fifth must have been entered, or it gets no more that day. */
const PREFIX_JUDGED_FROM = 30;
const PREFIX_ENTERED_SHARE = 0.2;
const UNLIMITED = 1_000_000_000;

type SecretsDeps = Pick<AccountsDeps, 'secrets'>;

export type OtpPurpose = 'register' | 'login' | 'forgot' | 'phone_old' | 'phone_new' | 'delete';

/**
 * The daily caps of a code, by how its request is authenticated. Each pot has its own caps, so that unauthenticated
 * requests never use up the codes of users with a correct password or a session.
 */
const potOf = {
  register: 'register',
  forgot: 'forgot',
  login: 'login',
  phone_old: 'session',
  delete: 'session',
  phone_new: 'new_number',
} as const satisfies Record<OtpPurpose, string>;
type Pot = (typeof potOf)[OtpPurpose];
const pots = [...new Set<Pot>(Object.values(potOf))];

const isAnonymous = (pot: Pot): boolean => pot === 'register' || pot === 'forgot';
/** Pots whose codes go to numbers without an account: the target of pumping. */
const reachesStrangers = (pot: Pot): boolean => pot === 'register' || pot === 'new_number';

export const newCode = (): string => randomInt(1_000_000).toString().padStart(6, '0');

/** Hashes a phone, or its prefix, as the subject of a counter, so that the database does not reveal numbers. */
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

export type CodeCount = {
  purpose: OtpPurpose;
  phone: string;
  hasAccount: boolean;
  /** The requesting browser, if the number's owner has signed in there before. */
  knownBrowser: Buffer | null;
  ip: string;
};

/**
 * Counts one code to a number in the daily caps of its pot, or in none of them if one is full.
 *
 * The caps that all users share count a request only if it costs a message, and the caps of a prefix only if the number
 * has no account. All requests are refused alike, so that the response does not reveal which case applies.
 *
 * Call it in the transaction that writes the challenge: a refusal must roll it back.
 *
 * @throws Refusal `otp_limit`.
 */
export async function countCode(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets' | 'config' | 'log'>,
  { purpose, phone, hasAccount, knownBrowser, ip }: CodeCount,
): Promise<void> {
  const pot = potOf[purpose];
  const perAddress = deps.config.OTP_DAILY_PER_ADDRESS;
  const network = networkOf(ip);
  const asker = knownBrowser ? `${phone} ${knownBrowser.toString('hex')}` : phone;
  const day = { windowSeconds: DAY_SECONDS };
  const total = { ...day, scope: 'otp_total', subject: pot, max: deps.config.OTP_DAILY_TOTAL };
  const prefix = {
    ...day,
    scope: 'otp_prefix',
    subject: subjectHash(deps, prefixOf(phone)),
    max: PER_PREFIX_DAILY,
  };
  const countsPrefix = reachesStrangers(pot) && !hasAccount;
  const countsTotal = pot !== 'forgot' || hasAccount;
  const exceeded = await hit(tx, [
    { ...day, scope: `otp_phone_${pot}`, subject: subjectHash(deps, asker), max: PER_PHONE_DAILY },
    ...(isAnonymous(pot) && !knownBrowser
      ? [
          {
            ...day,
            scope: `otp_phone_network_${pot}`,
            subject: subjectHash(deps, `${phone} ${network}`),
            max: PER_PHONE_AND_NETWORK_DAILY,
          },
        ]
      : []),
    { ...day, scope: `otp_address_${pot}`, subject: ip, max: perAddress },
    { ...day, scope: `otp_network_${pot}`, subject: network, max: perAddress * NETWORK_FACTOR },
    ...(countsPrefix ? [prefix] : []),
    ...(countsTotal ? [total] : []),
  ]);
  const refuseAt = (scope: string): never => {
    deps.log.warn({ scope }, 'a daily cap of codes is reached');
    throw new Refusal('otp_limit', {});
  };
  if (exceeded) return refuseAt(exceeded.limit.scope);

  const today = (scope: string, subject: string) =>
    hitsWithin(tx, { scope, subject, seconds: DAY_SECONDS });
  const [inTotal, sent, entered] = await Promise.all([
    today(total.scope, total.subject),
    today(prefix.scope, prefix.subject),
    today('otp_prefix_entered', prefix.subject),
  ]);
  if (!countsTotal && inTotal >= total.max) {
    return refuseAt(total.scope);
  }
  if (!reachesStrangers(pot)) return;
  if (!countsPrefix && sent >= prefix.max) {
    return refuseAt(prefix.scope);
  }
  const sentBefore = countsPrefix ? sent - 1 : sent;
  if (sentBefore < PREFIX_JUDGED_FROM || entered >= sentBefore * PREFIX_ENTERED_SHARE) return;
  deps.log.warn({ sent, entered }, 'codes to a prefix are not entered: it gets no more today');
  throw new Refusal('otp_limit', {});
}

/** Counts an entered code: `countCode` compares it with the codes sent to the prefix. */
export async function countEntered(
  tx: Tx,
  deps: SecretsDeps,
  { purpose, phone }: Pick<CodeCount, 'purpose' | 'phone'>,
): Promise<void> {
  const day = { max: UNLIMITED, windowSeconds: DAY_SECONDS };
  const prefix = subjectHash(deps, prefixOf(phone));
  await hit(tx, [
    { ...day, scope: 'otp_entered', subject: potOf[purpose] },
    ...(reachesStrangers(potOf[purpose])
      ? [{ ...day, scope: 'otp_prefix_entered', subject: prefix }]
      : []),
  ]);
}

const WRONG_CODES = { scope: 'otp_wrong', subject: 'all' } as const;
const MINUTE_SECONDS = 60;

export async function countWrongCode(tx: Tx): Promise<void> {
  await hit(tx, [{ ...WRONG_CODES, max: UNLIMITED, windowSeconds: MINUTE_SECONDS }]);
}

export const wrongCodes = (allAccountsSql: Sql): Promise<number> =>
  hitsWithin(allAccountsSql, { ...WRONG_CODES, seconds: HOUR_SECONDS });

/**
 * Whether more codes were wrong in the last hour than `OTP_WRONG_ALERT` allows. True once an hour, on one node.
 *
 * @returns their number, or `undefined` if there is nothing to report.
 */
export async function wrongCodesToReport(
  allAccountsSql: Sql,
  { OTP_WRONG_ALERT }: Pick<Config, 'OTP_WRONG_ALERT'>,
): Promise<number | undefined> {
  const wrong = await wrongCodes(allAccountsSql);
  if (wrong < OTP_WRONG_ALERT) return undefined;
  const once = { scope: 'otp_wrong_told', subject: 'all', max: 1, windowSeconds: HOUR_SECONDS };
  return (await hitAtomically(allAccountsSql, [once])) ? undefined : wrong;
}

const SHOWN_TEXT = 'Kode verifikasi ••••••';
const ALREADY_REGISTERED =
  'Nomor ini sudah terdaftar di Kabari. Silakan masuk dengan kata sandi Anda. ' +
  'Jika Anda tidak mencoba mendaftar, abaikan pesan ini.';

/** The purpose of the code, in the message: users who did not request it must understand it too. */
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
 * Sends a code. The phone of a decoy challenge, which no code can solve, gets a note that it is registered; for a
 * forgotten password of an unknown number nothing is sent.
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

/**
 * Codes of the WIB day: requested and entered in all, requested in the fullest pot, and by the address with the most
 * requests in a pot.
 */
export async function codeCounts(
  allAccountsSql: Sql,
): Promise<{ asked: number; entered: number; fullestPot: number; fullestAddress: number }> {
  const today = (scope: string) => hitsOfScope(allAccountsSql, { scope, seconds: DAY_SECONDS });
  const [total, entered, ...addresses] = await Promise.all(
    ['otp_total', 'otp_entered', ...pots.map((pot) => `otp_address_${pot}`)].map(today),
  );
  return {
    asked: total?.sum ?? 0,
    entered: entered?.sum ?? 0,
    fullestPot: total?.most ?? 0,
    fullestAddress: Math.max(0, ...addresses.map(({ most }) => most)),
  };
}
