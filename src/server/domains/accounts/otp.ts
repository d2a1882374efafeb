import { type Challenge, resendOtp } from '#contract/accounts.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import {
  type Call,
  type ActHandler,
  handle,
  hit,
  hitAtomically,
  hitsOfScope,
  hitsWithin,
  networkOf,
} from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { deviceHash } from '#server/domains/accounts/sessions/sessions.ts';
import { inAccountOf } from '#server/infra/postgres/distribution/scope.ts';
import { randomInt } from 'node:crypto';
import type { Config } from '#server/infra/config.ts';

/** The lifetime of a code, and how long another may be requested (docs/threats.md, T1). */
const CODE_SECONDS = 300;
const RESENDABLE_SECONDS = 1800;
const TRIES = 5;
/** The wait after the first, second and every later code to a number. */
const WAITS_SECONDS = [60, 120, 300] as const;

/** Seconds to wait after the nth code to a number, counting from 1. */
export const waitAfter = (sends: number): number =>
  WAITS_SECONDS[Math.min(sends, WAITS_SECONDS.length) - 1] ?? 300;

type CodeRequest = {
  purpose: OtpPurpose;
  phone: string;
  user?: UserRef | undefined;
  /** Stored until the code is entered. */
  pending?: unknown;
  /** True if no code may ever be correct; the response is the same. */
  isDecoy?: boolean;
};

/** A stored challenge, and a function that sends its code after COMMIT. */
export type IssuedCode = { answer: Challenge; send: () => Promise<void> };

type Client = Pick<Call, 'ip' | 'device'>;

/** The stored form of a code: useless without the pepper, and bound to its challenge. */
const codeHmac = ({ secrets }: Pick<AccountsDeps, 'secrets'>, challengeId: string, code: string) =>
  hmac(secrets.key('pepper'), 'otp', challengeId, code);

/**
 * Writes a challenge: a code for a number, with its waits and daily caps. Send it after COMMIT.
 *
 * @throws Refusal `otp_unsendable`; `otp_too_soon` with the seconds left to wait; `otp_limit`.
 */
export async function issueCode(
  tx: Tx,
  deps: AccountsDeps,
  { purpose, phone, user, pending, isDecoy = false }: CodeRequest,
  { ip, device }: Client,
): Promise<IssuedCode> {
  await refuseUnsendable(tx, deps);
  const challengeId = newId();
  const code = newCode();
  const knownBrowser = await browserIfKnown(tx, { user, browser: deviceHash(device) });
  const sends = (await recentSends(tx, { purpose, phone, knownBrowser })) + 1;
  const hasAccount = hasAccountOf({ purpose, isDecoy });
  await countCode(tx, deps, { purpose, phone, hasAccount, knownBrowser, ip });
  await tx`
    insert into otp_challenges (
      challenge_id, purpose, phone, account_id, user_id, device_hash, code_hmac, pending,
      tries_left, sends, next_send_at, expires_at
    ) values (
      ${challengeId}, ${purpose}, ${phone}, ${user?.accountId ?? null}, ${user?.userId ?? null},
      ${deviceHash(device)},
      ${isDecoy ? null : codeHmac(deps, challengeId, code)},
      ${isDecoy || pending === undefined ? null : json(pending)},
      ${TRIES}, ${sends},
      clock_timestamp() + make_interval(secs => ${waitAfter(sends)}),
      clock_timestamp() + make_interval(secs => ${CODE_SECONDS})
    )`;
  return {
    answer: challengeAnswer({ challengeId, phone, sends }),
    send: () => sendCode(deps, { phone, purpose, code, isDecoy }),
  };
}

/** Whether the number of a challenge belongs to an account; inverted for decoys. */
const hasAccountOf = ({ purpose, isDecoy }: { purpose: OtpPurpose; isDecoy: boolean }): boolean =>
  purpose === 'register' || purpose === 'phone_new' ? isDecoy : !isDecoy;

/** The browser of a request, if this user has signed in there before. Does the same work without a user. */
async function browserIfKnown(
  tx: Tx,
  { user, browser }: { user: UserRef | undefined; browser: Buffer | null },
): Promise<Buffer | null> {
  const [known] = await tx`
    select 1 from known_devices
    where (account_id, user_id, device_hash)
      = (${user?.accountId ?? null}::uuid, ${user?.userId ?? null}::uuid, ${browser}::bytea)`;
  return known ? browser : null;
}

/**
 * Counts the recent codes for this purpose to a number; in a browser that its owner has used, only those requested
 * there, so that requests of strangers do not delay the owner. Takes a lock per number.
 *
 * @throws Refusal `otp_too_soon` with the seconds left to wait.
 */
async function recentSends(
  tx: Tx,
  { purpose, phone, knownBrowser }: Pick<CodeCount, 'purpose' | 'phone' | 'knownBrowser'>,
): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended('otp ' || ${phone}, 0))`;
  const [last] = await tx<{ sends: number; seconds: number }[]>`
    select sends, ceil(extract(epoch from next_send_at - clock_timestamp()))::int as seconds
    from otp_challenges
    where phone = ${phone} and purpose = ${purpose}
      and (${knownBrowser}::bytea is null or device_hash = ${knownBrowser}::bytea)
      and created_at > clock_timestamp() - make_interval(secs => ${RESENDABLE_SECONDS})
    order by next_send_at desc limit 1`;
  if (last && last.seconds > 0) throw new Refusal('otp_too_soon', { seconds: last.seconds });
  return last?.sends ?? 0;
}

type Row = {
  purpose: OtpPurpose;
  phone: string;
  isDecoy: boolean;
  accountId: string | null;
  userId: string | null;
  browser: Buffer | null;
  sends: number;
  seconds: number;
};

/**
 * Issues another code for the same challenge, after 60, 120, then every 300 s. The earlier code ends, and the five
 * tries start again; the daily caps stay.
 *
 * @throws Refusal `otp_too_soon` with the seconds left; `otp_expired` half an hour after the first code, or without
 * such a challenge; `otp_unsendable`; `otp_limit`.
 */
export async function reissueCode(
  tx: Tx,
  deps: AccountsDeps,
  challengeId: string,
  ip: string,
): Promise<IssuedCode> {
  const [row] = await tx<Row[]>`
    select purpose, phone, code_hmac is null as "isDecoy", account_id as "accountId",
      user_id as "userId", device_hash as browser, sends,
      ceil(extract(epoch from next_send_at - clock_timestamp()))::int as seconds
    from otp_challenges
    where challenge_id = ${challengeId}
      and created_at > clock_timestamp() - make_interval(secs => ${RESENDABLE_SECONDS})
    for update`;
  if (!row) throw new Refusal('otp_expired', {});
  if (row.seconds > 0) throw new Refusal('otp_too_soon', { seconds: row.seconds });
  await refuseUnsendable(tx, deps);
  const { purpose, phone, isDecoy, accountId, userId, browser } = row;
  const user = accountId !== null && userId !== null ? { accountId, userId } : undefined;
  const knownBrowser = await browserIfKnown(tx, { user, browser });
  const hasAccount = hasAccountOf(row);
  await countCode(tx, deps, { purpose, phone, hasAccount, knownBrowser, ip });
  const code = newCode();
  const sends = row.sends + 1;
  await tx`
    update otp_challenges set
      code_hmac = ${isDecoy ? null : codeHmac(deps, challengeId, code)},
      tries_left = ${TRIES}, sends = ${sends},
      next_send_at = statement_timestamp() + make_interval(secs => ${waitAfter(sends)}),
      expires_at = statement_timestamp() + make_interval(secs => ${CODE_SECONDS})
    where challenge_id = ${challengeId}`;
  return {
    answer: challengeAnswer({ challengeId, phone, sends }),
    send: () => sendCode(deps, { phone, purpose, code, isDecoy }),
  };
}

type PendingCodeQuery = { purpose: OtpPurpose; phone: string; user: UserRef; device: string };

/** The challenge that this browser already has, while its code is valid, so that a repeated request sends one code. */
export async function pendingCode(
  tx: Tx,
  { purpose, phone, user, device }: PendingCodeQuery,
): Promise<Challenge | undefined> {
  if (device === '') return undefined;
  const [row] = await tx<{ challengeId: string; sends: number; left: number; wait: number }[]>`
    select challenge_id as "challengeId", sends,
      ceil(extract(epoch from expires_at - clock_timestamp()))::int as left,
      ceil(extract(epoch from next_send_at - clock_timestamp()))::int as wait
    from otp_challenges
    where phone = ${phone} and purpose = ${purpose} and device_hash = ${deviceHash(device)}
      and (account_id, user_id) = (${user.accountId}, ${user.userId}) and tries_left > 0 and expires_at > clock_timestamp()
    order by created_at desc limit 1`;
  return (
    row && {
      ...challengeAnswer({ challengeId: row.challengeId, phone, sends: row.sends }),
      resend_in_seconds: Math.max(0, row.wait),
      expires_in_seconds: row.left,
    }
  );
}

export type VerifiedCode = { phone: string; pending: unknown; user: UserRef | undefined };

export type CodeInput = { challengeId: string; code: string };

/** The purposes, and the user, whose codes are accepted; other challenges are treated as missing. */
type CodeScope = { purposes: readonly OtpPurpose[]; user?: UserRef };

type VerifiedChallenge = VerifiedCode & { purpose: OtpPurpose };

/**
 * Runs `work` in the transaction that consumes the code. A wrong code costs a try, also of parallel guesses, and is
 * refused after that try is committed.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong codes, or success.
 */
export async function withVerifiedCode<T extends object>(
  deps: Pick<AccountsDeps, 'allAccountsSql' | 'secrets'>,
  input: CodeInput,
  scope: CodeScope,
  work: (tx: Tx, verified: VerifiedChallenge, newAccountId: string) => Promise<T>,
): Promise<T> {
  const newAccountId = newId();
  const find = async () => (await accountOf(deps.allAccountsSql, input)) ?? newAccountId;
  const outcome = await inAccountOf(find, () =>
    deps.allAccountsSql.begin(async (tx) => {
      const verified = await verifyCode(tx, deps, input, scope);
      return 'left' in verified ? verified : { done: await work(tx, verified, newAccountId) };
    }),
  );
  if ('left' in outcome) throw new Refusal('otp_wrong', { left: outcome.left });
  return outcome.done;
}

async function accountOf(sql: Sql, { challengeId }: CodeInput): Promise<string | undefined> {
  const [row] = await sql<{ account_id: string | null }[]>`
    select account_id from otp_challenges where challenge_id = ${challengeId}`;
  return row?.account_id ?? undefined;
}

/**
 * Deletes the challenge if the code is correct; else costs a try. The row's lock orders guesses, so that of two
 * simultaneous correct answers one succeeds.
 *
 * Returns a wrong code instead of throwing, because its lost try must be committed. Throw `otp_wrong` after that.
 *
 * @throws Refusal `otp_expired` after five minutes, five wrong codes, or success.
 */
export async function verifyCode(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets'>,
  { challengeId, code }: CodeInput,
  { purposes, user }: CodeScope,
): Promise<VerifiedChallenge | { left: number }> {
  const [open] = await tx<{ purpose: OtpPurpose; userId: string | null }[]>`
    select purpose, user_id as "userId" from otp_challenges
    where challenge_id = ${challengeId} and tries_left > 0 and expires_at > clock_timestamp()
    for update`;
  if (!open || !purposes.includes(open.purpose) || (user && open.userId !== user.userId)) {
    throw new Refusal('otp_expired', {});
  }
  const [verified] = await tx<
    { phone: string; pending: unknown; accountId: string | null; userId: string | null }[]
  >`
    delete from otp_challenges
    where challenge_id = ${challengeId} and code_hmac = ${codeHmac(deps, challengeId, code)}
    returning phone, pending, account_id as "accountId", user_id as "userId"`;
  if (verified) {
    const { phone, pending, accountId, userId } = verified;
    await countEntered(tx, deps, { purpose: open.purpose, phone });
    const user = accountId !== null && userId !== null ? { accountId, userId } : undefined;
    return { purpose: open.purpose, phone, pending, user };
  }
  const [wrong] = await tx<{ tries_left: number }[]>`
    update otp_challenges set tries_left = tries_left - 1 where challenge_id = ${challengeId}
    returning tries_left`;
  await countWrongCode(tx);
  return { left: wrong?.tries_left ?? 0 };
}

/**
 * Revokes every open code and password grant of a user: requests from before a change of their password or number must
 * not work after it.
 */
export async function revokeCodes(tx: Tx, { accountId, userId }: UserRef): Promise<void> {
  await tx`
    delete from otp_challenges where (account_id, user_id) = (${accountId}, ${userId})`;
  await tx`
    delete from password_grants where (account_id, user_id) = (${accountId}, ${userId})`;
}

type ChallengeFacts = { challengeId: string; phone: string; sends: number };

/** The same whether or not the number is known. */
const challengeAnswer = ({ challengeId, phone, sends }: ChallengeFacts): Challenge => ({
  challenge: publicId('challenge', challengeId),
  sent_to: `+62 ${phone.slice(2, 5)}-••••-${phone.slice(-4)}`,
  resend_in_seconds: waitAfter(sends),
  expires_in_seconds: CODE_SECONDS,
});

export const resendOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(resendOtp, ({ ip }, { challenge }) => resend(deps, challenge, ip));

/**
 * Sends another code for a challenge of any purpose; its id proves the first request.
 *
 * Sent after the response, so that the timing does not reveal unknown numbers.
 *
 * @throws Refusal `otp_too_soon` with the seconds left; `otp_expired`; `otp_limit`.
 */
async function resend(deps: AccountsDeps, challengeId: string, ip: string): Promise<Challenge> {
  const { answer, send } = await deps.allAccountsSql.begin((tx) =>
    reissueCode(tx, deps, challengeId, ip),
  );
  void send().catch(deps.report);
  return answer;
}

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

type OtpPurpose = 'register' | 'login' | 'forgot' | 'phone_old' | 'phone_new' | 'delete';

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

/** Pots of requests without a password. */
const isAnonymous = (pot: Pot): boolean => pot === 'register' || pot === 'forgot';
/** Pots whose codes go to numbers without an account: the target of pumping. */
const reachesStrangers = (pot: Pot): boolean => pot === 'register' || pot === 'new_number';

const newCode = (): string => randomInt(1_000_000).toString().padStart(6, '0');

/** Hashes a phone, or its prefix, as the subject of a counter, so that the database does not reveal numbers. */
const subjectHash = ({ secrets }: Pick<AccountsDeps, 'secrets'>, phone: string): string =>
  hmac(secrets.key('pepper'), 'limit', phone).toString('hex').slice(0, 32);

const prefixOf = (phone: string): string => phone.slice(0, -4);

/** @throws Refusal `otp_unsendable` while the installation's own token has no number, or no template for codes. */
async function refuseUnsendable(
  tx: Tx,
  { takesCodes, log }: Pick<AccountsDeps, 'takesCodes' | 'log'>,
): Promise<void> {
  if (await takesCodes(tx)) return;
  log.warn({}, 'a code was asked for, and the system token cannot send codes');
  throw new Refusal('otp_unsendable', {});
}

type CodeCount = {
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
async function countCode(
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
async function countEntered(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets'>,
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

/** Counts a wrong one-time code or second factor in the installation's total. */
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
  login: ' untuk masuk dari browser baru',
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
async function sendCode(
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
