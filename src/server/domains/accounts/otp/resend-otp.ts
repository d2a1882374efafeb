import { type Challenge, resendOtp } from '#contract/accounts.ts';
import { type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { askAgain } from './otp.ts';

export const resendOtpHandler = (deps: AccountsDeps): ActHandler =>
  handle(resendOtp, ({ ip }, { challenge }) => resend(deps, challenge, ip));

/**
 * Sends another code for a challenge of any purpose: who has its id asked for the first one.
 *
 * Sent after the answer: for a number that nobody has, nothing is sent, and that must not show.
 *
 * @throws Refusal `otp_too_soon` with the seconds left; `otp_expired`; `otp_limit`.
 */
export async function resend(
  deps: AccountsDeps,
  challengeId: string,
  ip: string,
): Promise<Challenge> {
  const { answer, send } = await deps.allAccountsSql.begin((tx) =>
    askAgain(tx, deps, challengeId, ip),
  );
  void send().catch(deps.report);
  return answer;
}
