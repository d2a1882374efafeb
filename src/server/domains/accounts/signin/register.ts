import type { InputOf } from '#contract/base/act.ts';
import { type Challenge, registerUser } from '#contract/accounts.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import { admitted, hashPassword } from '#server/infra/security/passwords.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { issueCode } from '#server/domains/accounts/otp/otp.ts';
import { isPhoneTaken } from '#server/domains/accounts/people.ts';

export const registerUserHandler = (deps: AccountsDeps): ActHandler =>
  handle(registerUser, async (call, input) => {
    refuseClosed(deps.config);
    return admitted(async () => {
      await deps.captcha.verify('user_register', input.captcha, call.ip);
      return register(deps, input, call);
    });
  });

/** @throws Refusal `registration_closed` while operators let nobody register. */
function refuseClosed({ REGISTRATION, REGISTRATION_CLOSED }: AccountsDeps['config']): void {
  if (!REGISTRATION) throw new Refusal('registration_closed', { text: REGISTRATION_CLOSED });
}

/**
 * Stores a registration and sends a code to the phone. The account is opened when the code is entered.
 *
 * A number that is registered already gets the same answer after the same work; its phone gets a
 * note instead of a code, and no code will ever fit.
 *
 * @throws Refusal `password_common`, `otp_unsendable`, `otp_too_soon`, `otp_limit`; `too_many_requests` when too many
 *   passwords are waiting to be hashed.
 */
export async function register(
  deps: AccountsDeps,
  { name, phone, password }: Pick<InputOf<typeof registerUser>, 'name' | 'phone' | 'password'>,
  client: Pick<Call, 'ip' | 'device'>,
): Promise<Challenge> {
  if (isCommonPassword(password, { phone, name })) throw new Refusal('password_common', {});
  const passwordHash = await hashPassword(password);
  const issued = await deps.allAccountsSql.begin(async (tx) => {
    const isDecoy = await isPhoneTaken(tx, phone);
    const pending = { name, passwordHash };
    return issueCode(tx, deps, { purpose: 'register', phone, pending, isDecoy }, client);
  });
  await issued.send();
  return issued.answer;
}
