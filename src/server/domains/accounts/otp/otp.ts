import type { Challenge } from '#contract/accounts.ts';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Call } from '#server/infra/acts/act.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { type OtpPurpose, countCode, countEntered, newCode, sendCode } from './otp-sending.ts';
import { deviceHash } from '#server/domains/accounts/sessions/sessions.ts';

/** How long a code lives, and how long one may ask for another (docs/threats.md, T1). */
const CODE_SECONDS = 300;
const RESENDABLE_SECONDS = 1800;
const TRIES = 5;
/** The wait after the first, second and every later code to a number. */
const WAITS_SECONDS = [60, 120, 300] as const;

/** Seconds to wait after the nth code to a number, counting from 1. */
export const waitAfter = (sends: number): number =>
  WAITS_SECONDS[Math.min(sends, WAITS_SECONDS.length) - 1] ?? 300;

type Whose = { accountId: string; userId: string };

type Wish = {
  purpose: OtpPurpose;
  phone: string;
  /** Whose code it is; left out for strangers. */
  whose?: Whose | undefined;
  /** What waits for the code. */
  pending?: unknown;
  /** True when no code shall ever fit: the answer is the same all the same. */
  dud?: boolean;
};

/** A challenge that was written, and how to send its code once the transaction stands. */
export type Asked = { answer: Challenge; send: () => Promise<void> };

type Visitor = Pick<Call, 'ip' | 'device'>;

/** What is stored of a code: useless without the pepper, and for any other challenge. */
const codeHmac = ({ secrets }: Pick<AccountsDeps, 'secrets'>, challengeId: string, code: string) =>
  hmac(secrets.key('pepper'), 'otp', challengeId, code);

/**
 * Writes a challenge: a code for a number, with its waits and daily caps. Send it after COMMIT.
 *
 * @throws Refusal `otp_too_soon` with the seconds left to wait; `otp_limit`.
 */
export async function askCode(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets' | 'config' | 'log' | 'sendOtp'>,
  { purpose, phone, whose, pending, dud = false }: Wish,
  { ip, device }: Visitor,
): Promise<Asked> {
  const challengeId = newId();
  const code = newCode();
  const sends = (await sendsSoFar(tx, purpose, phone)) + 1;
  await countCode(tx, deps, { phone, ip });
  await tx`
    insert into otp_challenges (
      challenge_id, purpose, phone, account_id, user_id, device_hash, code_hmac, pending,
      tries_left, sends, next_send_at, expires_at
    ) values (
      ${challengeId}, ${purpose}, ${phone}, ${whose?.accountId ?? null}, ${whose?.userId ?? null},
      ${deviceHash(device)},
      ${dud ? null : codeHmac(deps, challengeId, code)},
      ${dud || pending === undefined ? null : tx.json(pending as never)},
      ${TRIES}, ${sends},
      clock_timestamp() + make_interval(secs => ${waitAfter(sends)}),
      clock_timestamp() + make_interval(secs => ${CODE_SECONDS})
    )`;
  return {
    answer: challengeAnswer({ challengeId, phone, sends }),
    send: () => sendCode(deps, { phone, purpose, code, dud }),
  };
}

/**
 * How many codes for this a number got lately, holding off others that ask for the same.
 *
 * @throws Refusal `otp_too_soon` with the seconds left to wait.
 */
async function sendsSoFar(tx: Tx, purpose: OtpPurpose, phone: string): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended('otp ' || ${phone}, 0))`;
  const [last] = await tx<{ sends: number; seconds: number }[]>`
    select sends, ceil(extract(epoch from next_send_at - clock_timestamp()))::int as seconds
    from otp_challenges
    where phone = ${phone} and purpose = ${purpose}
      and created_at > clock_timestamp() - make_interval(secs => ${RESENDABLE_SECONDS})
    order by next_send_at desc limit 1`;
  if (last && last.seconds > 0) throw new Refusal('otp_too_soon', { seconds: last.seconds });
  return last?.sends ?? 0;
}

type Row = { purpose: OtpPurpose; phone: string; dud: boolean; sends: number; seconds: number };

/**
 * Writes another code for the same challenge, after 60, 120, then every 300 s. The code before it
 * ends, and the five tries begin anew; the caps of a day stay.
 *
 * @throws Refusal `otp_too_soon` with the seconds left; `otp_expired` half an hour after the first
 *   code, or when there is no such challenge; `otp_limit`.
 */
export async function askAgain(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets' | 'config' | 'log' | 'sendOtp'>,
  challengeId: string,
  ip: string,
): Promise<Asked> {
  const [row] = await tx<Row[]>`
    select purpose, phone, code_hmac is null as dud, sends,
      ceil(extract(epoch from next_send_at - clock_timestamp()))::int as seconds
    from otp_challenges
    where challenge_id = ${challengeId}
      and created_at > clock_timestamp() - make_interval(secs => ${RESENDABLE_SECONDS})
    for update`;
  if (!row) throw new Refusal('otp_expired', {});
  if (row.seconds > 0) throw new Refusal('otp_too_soon', { seconds: row.seconds });
  const { purpose, phone, dud } = row;
  await countCode(tx, deps, { phone, ip });
  const code = newCode();
  const sends = row.sends + 1;
  await tx`
    update otp_challenges set
      code_hmac = ${dud ? null : codeHmac(deps, challengeId, code)},
      tries_left = ${TRIES}, sends = ${sends},
      next_send_at = clock_timestamp() + make_interval(secs => ${waitAfter(sends)}),
      expires_at = clock_timestamp() + make_interval(secs => ${CODE_SECONDS})
    where challenge_id = ${challengeId}`;
  return {
    answer: challengeAnswer({ challengeId, phone, sends }),
    send: () => sendCode(deps, { phone, purpose, code, dud }),
  };
}

type Waiting = { purpose: OtpPurpose; phone: string; whose: Whose; device: string };

/**
 * The challenge that this browser has waiting already, when its code still lives: asking twice sends
 * one code.
 */
export async function waitingCode(
  tx: Tx,
  { purpose, phone, whose, device }: Waiting,
): Promise<Challenge | undefined> {
  if (device === '') return undefined;
  const [row] = await tx<{ challengeId: string; sends: number; left: number; wait: number }[]>`
    select challenge_id as "challengeId", sends,
      ceil(extract(epoch from expires_at - clock_timestamp()))::int as left,
      ceil(extract(epoch from next_send_at - clock_timestamp()))::int as wait
    from otp_challenges
    where phone = ${phone} and purpose = ${purpose} and device_hash = ${deviceHash(device)}
      and (account_id, user_id) = (${whose.accountId}, ${whose.userId}) and tries_left > 0 and expires_at > clock_timestamp()
    order by created_at desc limit 1`;
  return (
    row && {
      ...challengeAnswer({ challengeId: row.challengeId, phone, sends: row.sends }),
      resend_in_seconds: Math.max(0, row.wait),
      expires_in_seconds: row.left,
    }
  );
}

/** A right code: whose it was, and what waited for it. */
export type Right = { phone: string; pending: unknown; whose: Whose | undefined };

type Typed = { challengeId: string; code: string };

/** What codes are taken for, and whose; a challenge for anything or anybody else is not there. */
type Taking = { purposes: readonly OtpPurpose[]; of?: Whose };

type Tried = Right & { purpose: OtpPurpose };

/**
 * Does what a code was asked for, in the transaction that takes the code. A wrong code costs a try,
 * also of guesses made in parallel, and is told once that try is committed.
 *
 * @throws Refusal `otp_wrong` with the tries left; `otp_expired` after five minutes, five wrong
 *   codes, or success.
 */
export async function withCode<T extends object>(
  deps: Pick<AccountsDeps, 'allAccountsSql' | 'secrets'>,
  typed: Typed,
  taking: Taking,
  work: (tx: Tx, right: Tried) => Promise<T>,
): Promise<T> {
  const outcome = await deps.allAccountsSql.begin(async (tx) => {
    const tried = await tryCode(tx, deps, typed, taking);
    return 'left' in tried ? tried : { done: await work(tx, tried) };
  });
  if ('left' in outcome) throw new Refusal('otp_wrong', { left: outcome.left });
  return outcome.done;
}

/**
 * Takes the challenge away when the code is right; else takes a try. The row's lock orders guesses, so
 * of two right answers at the same moment one succeeds.
 *
 * A wrong code is an answer, not an error: its lost try must be committed. Throw `otp_wrong` after.
 *
 * @throws Refusal `otp_expired` after five minutes, five wrong codes, or success.
 */
export async function tryCode(
  tx: Tx,
  deps: Pick<AccountsDeps, 'secrets'>,
  { challengeId, code }: Typed,
  { purposes, of }: Taking,
): Promise<Tried | { left: number }> {
  const [open] = await tx<{ purpose: OtpPurpose; userId: string | null }[]>`
    select purpose, user_id as "userId" from otp_challenges
    where challenge_id = ${challengeId} and tries_left > 0 and expires_at > clock_timestamp()
    for update`;
  if (!open || !purposes.includes(open.purpose) || (of && open.userId !== of.userId)) {
    throw new Refusal('otp_expired', {});
  }
  const [right] = await tx<
    { phone: string; pending: unknown; accountId: string | null; userId: string | null }[]
  >`
    delete from otp_challenges
    where challenge_id = ${challengeId} and code_hmac = ${codeHmac(deps, challengeId, code)}
    returning phone, pending, account_id as "accountId", user_id as "userId"`;
  if (right) {
    const { phone, pending, accountId, userId } = right;
    await countEntered(tx, deps, phone);
    const whose = accountId !== null && userId !== null ? { accountId, userId } : undefined;
    return { purpose: open.purpose, phone, pending, whose };
  }
  const [wrong] = await tx<{ tries_left: number }[]>`
    update otp_challenges set tries_left = tries_left - 1 where challenge_id = ${challengeId}
    returning tries_left`;
  return { left: wrong?.tries_left ?? 0 };
}

/**
 * Ends every code of a person's that is under way, and every right to set a password that one gave: what
 * was asked for before their password or number changed counts for nothing after.
 */
export async function forgetCodes(tx: Tx, { accountId, userId }: Whose): Promise<void> {
  await tx`
    delete from otp_challenges where (account_id, user_id) = (${accountId}, ${userId})`;
  await tx`
    delete from password_grants where (account_id, user_id) = (${accountId}, ${userId})`;
}

type Told = { challengeId: string; phone: string; sends: number };

/** What the browser is told of a code on its way; the same whether or not the number is known. */
const challengeAnswer = ({ challengeId, phone, sends }: Told): Challenge => ({
  challenge: publicId('challenge', challengeId),
  sent_to: `+62 ${phone.slice(2, 5)}-••••-${phone.slice(-4)}`,
  resend_in_seconds: waitAfter(sends),
  expires_in_seconds: CODE_SECONDS,
});
