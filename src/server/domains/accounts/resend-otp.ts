import { type Challenge, resendOtp } from '#contract/accounts.ts';
import { Refusal } from '#contract/refusals.ts';
import { type KeptAct, on } from '#server/platform/act.ts';
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

export const resending = (deps: AccountsDeps): KeptAct =>
  on(resendOtp, ({ ip }, { challenge }) => resend(deps, challenge, ip));

type Row = { phone: string; taken: boolean; sends: number; seconds: number };

/**
 * Sends another code for the same challenge, after 60, 120, then every 300 s. The code before it
 * ends, and the five tries begin anew; the caps of a day stay.
 *
 * @throws Refusal `otp_too_soon` with the seconds left; `otp_expired` half an hour after the first
 *   code, or when there is no such challenge; `otp_limit`.
 */
export async function resend(
  deps: AccountsDeps,
  challengeId: string,
  ip: string,
): Promise<Challenge> {
  const code = newCode();
  const { phone, taken, sends } = await deps.house.begin(async (tx) => {
    const [row] = await tx<Row[]>`
      select phone, pending is null as taken, sends,
        ceil(extract(epoch from next_send_at - clock_timestamp()))::int as seconds
      from otp_challenges
      where challenge_id = ${challengeId}
        and created_at > clock_timestamp() - make_interval(secs => ${RESENDABLE_SECONDS})
      for update`;
    if (!row) throw new Refusal('otp_expired', {});
    if (row.seconds > 0) throw new Refusal('otp_too_soon', { seconds: row.seconds });
    await countCode(tx, deps, { phone: row.phone, ip });
    const sent = row.sends + 1;
    await tx`
      update otp_challenges set
        code_hmac = ${row.taken ? null : codeHmac(deps, challengeId, code)},
        tries_left = ${TRIES}, sends = ${sent},
        next_send_at = clock_timestamp() + make_interval(secs => ${waitAfter(sent)}),
        expires_at = clock_timestamp() + make_interval(secs => ${CODE_SECONDS})
      where challenge_id = ${challengeId}`;
    return { ...row, sends: sent };
  });
  await sendCode(deps, { phone, code, taken });
  return challengeAnswer(challengeId, phone, sends);
}
