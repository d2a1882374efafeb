import type { InputOf } from '#contract/act.ts';
import { type Challenge, registerUser } from '#contract/accounts.ts';
import { Refusal } from '#contract/refusals.ts';
import { type KeptAct, on } from '#server/platform/act.ts';
import { isCommonPassword } from '#server/platform/common-passwords.ts';
import type { Tx } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import { hashPassword } from '#server/platform/passwords.ts';
import type { AccountsDeps } from './deps.ts';
import {
  CODE_SECONDS,
  RESENDABLE_SECONDS,
  TRIES,
  challengeAnswer,
  codeHmac,
  countCode,
  newCode,
  sendCode,
  waitAfter,
} from './otp.ts';
import { isPhoneTaken } from './people.ts';

export const registering = (deps: AccountsDeps): KeptAct =>
  on(registerUser, async ({ ip }, input) => {
    await deps.captcha.demand('user_register', input.captcha);
    return register(deps, input, ip);
  });

/**
 * Keeps a person's wish to register and sends a code to their phone. The account is opened when the
 * code comes back.
 *
 * A number that is registered already gets the same answer after the same work; its phone gets a
 * note instead of a code, and no code will ever fit.
 *
 * @throws Refusal `password_common`, `otp_too_soon`, `otp_limit`; `too_many_requests` when too many
 *   passwords are waiting to be hashed.
 */
export async function register(
  deps: AccountsDeps,
  { name, phone, password }: Pick<InputOf<typeof registerUser>, 'name' | 'phone' | 'password'>,
  ip: string,
): Promise<Challenge> {
  if (isCommonPassword(password, { phone, name })) throw new Refusal('password_common', {});
  const passwordHash = await hashPassword(password);
  const challengeId = newId();
  const code = newCode();

  const { taken, sends } = await deps.house.begin(async (tx) => {
    const earlier = await sendsSoFar(tx, phone);
    await countCode(tx, deps, { phone, ip });
    const known = await isPhoneTaken(tx, phone);
    const sent = earlier + 1;
    await tx`
      insert into otp_challenges (
        challenge_id, purpose, phone, code_hmac, pending, tries_left, sends,
        next_send_at, expires_at
      ) values (
        ${challengeId}, 'register', ${phone},
        ${known ? null : codeHmac(deps, challengeId, code)},
        ${known ? null : tx.json({ name, passwordHash })},
        ${TRIES}, ${sent},
        clock_timestamp() + make_interval(secs => ${waitAfter(sent)}),
        clock_timestamp() + make_interval(secs => ${CODE_SECONDS})
      )`;
    return { taken: known, sends: sent };
  });
  await sendCode(deps, { phone, code, taken });
  return challengeAnswer(challengeId, phone, sends);
}

/**
 * How many codes a number got lately, holding off others that ask for the same number.
 *
 * @throws Refusal `otp_too_soon` with the seconds left to wait.
 */
async function sendsSoFar(tx: Tx, phone: string): Promise<number> {
  await tx`select pg_advisory_xact_lock(hashtextextended('otp ' || ${phone}, 0))`;
  const [last] = await tx<{ sends: number; seconds: number }[]>`
    select sends, ceil(extract(epoch from next_send_at - clock_timestamp()))::int as seconds
    from otp_challenges
    where phone = ${phone}
      and created_at > clock_timestamp() - make_interval(secs => ${RESENDABLE_SECONDS})
    order by next_send_at desc limit 1`;
  if (last && last.seconds > 0) throw new Refusal('otp_too_soon', { seconds: last.seconds });
  return last?.sends ?? 0;
}
