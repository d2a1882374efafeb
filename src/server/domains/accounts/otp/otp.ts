import { type Challenge, resendOtp } from '#contract/accounts.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { json } from '#server/infra/postgres/sql.ts';
import { newId } from '#server/infra/ids.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import {
  type CodeCount,
  type OtpPurpose,
  countCode,
  countEntered,
  countWrongCode,
  newCode,
  refuseUnsendable,
  sendCode,
} from './otp-sending.ts';
import { deviceHash } from '#server/domains/accounts/sessions/sessions.ts';
import { inAccountOf } from '#server/infra/postgres/distribution/scope.ts';

/** The lifetime of a code, and how long another may be requested (docs/threats.md, T1). */
const CODE_SECONDS = 300;
const RESENDABLE_SECONDS = 1800;
const TRIES = 5;
/** The wait after the first, second and every later code to a number. */
const WAITS_SECONDS = [60, 120, 300] as const;

export const waitAfter = (sends: number): number =>
  WAITS_SECONDS[Math.min(sends, WAITS_SECONDS.length) - 1] ?? 300;

type CodeDeps = Pick<
  AccountsDeps,
  'takesCodes' | 'config' | 'log' | 'secrets' | 'sendSystemText' | 'sendSystemCode'
>;

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
  deps: CodeDeps,
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
  deps: CodeDeps,
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
