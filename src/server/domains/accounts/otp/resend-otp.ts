import { type Challenge, resendOtp } from '#contract/accounts.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { reissueCode } from './otp.ts';

export const resendOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(resendOtp, ({ ip }, { challenge }) => resend(deps, challenge, ip));

/**
 * Sends another code for a challenge of any purpose: whoever has its id requested the first one.
 *
 * Sent after the answer, so that the timing does not reveal a number that nobody has.
 *
 * @throws Refusal `otp_too_soon` with the seconds left; `otp_expired`; `otp_limit`.
 */
export async function resend(
  deps: AccountsDeps,
  challengeId: string,
  ip: string,
): Promise<Challenge> {
  const { answer, send } = await deps.allAccountsSql.begin((tx) =>
    reissueCode(tx, deps, challengeId, ip),
  );
  void send().catch(deps.report);
  return answer;
}
