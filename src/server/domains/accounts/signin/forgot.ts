import { randomBytes } from 'node:crypto';
import type { SignedIn } from '#contract/accounts.ts';
import { changeForgotten, forgotPassword, verifyForgot } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import { beginCoolDown } from '#server/domains/accounts/cool-down.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { tellPasswordChanged } from '#server/domains/accounts/notices.ts';
import { askCode, forgetCodes, withCode } from '#server/domains/accounts/otp/otp.ts';
import { type Whose, passwordOf, statusOf, userOf } from '#server/domains/accounts/people.ts';
import { endOthers, startSession } from '#server/domains/accounts/sessions/sessions.ts';

const GRANT_SECONDS = 600;

/**
 * Sends a code to a number that has an account. Every number gets the same answer in the same time: the
 * code leaves after the answer, and for a number that nobody has none does.
 */
export const forgotPasswordHandler = (deps: AccountsDeps): ActHandler =>
  handle(forgotPassword, async (call, { phone, captcha }) => {
    await deps.captcha.demand('user_forgot_password', captcha, call.ip);
    const { answer, send } = await deps.allAccountsSql.begin(async (tx) => {
      const whose = await ownerOf(tx, phone);
      return askCode(tx, deps, { purpose: 'forgot', phone, whose, dud: !whose }, call);
    });
    void send().catch(deps.report);
    return answer;
  });

async function ownerOf(tx: Tx, phone: string): Promise<Whose | undefined> {
  const [row] = await tx<Whose[]>`
    select p.account_id as "accountId", p.user_id as "userId"
    from user_phones p join accounts a on a.account_id = p.account_id
    where p.phone = ${phone} and a.status <> 'closed'`;
  return row;
}

export const verifyForgotHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifyForgot, async (_call, { challenge: challengeId, code }) => {
    const typed = { challengeId, code };
    return withCode(deps, typed, { purposes: ['forgot'] }, async (tx, { whose }) => {
      if (!whose) throw new Error('a code for a forgotten password was nobody’s');
      const grant = randomBytes(32).toString('base64url');
      const { accountId, userId } = whose;
      await tx`
        insert into password_grants (grant_hash, account_id, user_id, expires_at)
        values (${sha256(grant)}, ${accountId}, ${userId},
          clock_timestamp() + make_interval(secs => ${GRANT_SECONDS}))`;
      return { grant, expires_in_seconds: GRANT_SECONDS };
    });
  });

export const changeForgottenHandler = (deps: AccountsDeps): ActHandler =>
  handle(changeForgotten, async (call, { grant, password }) => {
    const signedIn = await resetPassword(deps, { grant, password }, call);
    if (call.caller.kind === 'person') await deps.sessions.end(call.caller.sessionId);
    return signedIn;
  });

/**
 * Sets the password that a grant stands for, once; every session of the person ends, and this browser,
 * whose person had the code, is signed in. The phone is told, and the account cools down.
 *
 * @throws Refusal `grant_gone`, `password_common` (the grant stays), `account_suspended`.
 */
async function resetPassword(
  deps: AccountsDeps,
  { grant, password }: { grant: string; password: string },
  visitor: Pick<Call, 'ip' | 'agent' | 'device'>,
): Promise<SignedIn> {
  const holder = await holderOf(deps, grant);
  if (isCommonPassword(password, await passwordOf(deps.allAccountsSql, holder))) {
    throw new Refusal('password_common', {});
  }
  const hash = await hashPassword(password);
  const { signedIn, ended } = await deps.allAccountsSql.begin(async (tx) => {
    const [used] = await tx`
      delete from password_grants
      where grant_hash = ${sha256(grant)} and expires_at > clock_timestamp() returning 1`;
    if (!used) throw new Refusal('grant_gone', {});
    if ((await statusOf(tx, holder.accountId)) !== 'active') {
      throw new Refusal('account_suspended', {});
    }
    await tx`
      update users set password_hash = ${hash}
      where (account_id, user_id) = (${holder.accountId}, ${holder.userId})`;
    await forgetCodes(tx, holder);
    await beginCoolDown(tx, holder.accountId, 'password_reset');
    const all = await endOthers(tx, holder);
    const token = await startSession(tx, { ...holder, ...visitor });
    return { signedIn: { token, user: await userOf(tx, deps, holder) }, ended: all };
  });
  await deps.sessions.forget(ended);
  void tellPasswordChanged(deps, signedIn.user.phone).catch(deps.report);
  return signedIn;
}

async function holderOf({ allAccountsSql }: AccountsDeps, grant: string): Promise<Whose> {
  const [row] = await allAccountsSql<Whose[]>`
    select account_id as "accountId", user_id as "userId" from password_grants
    where grant_hash = ${sha256(grant)} and expires_at > clock_timestamp()`;
  if (!row) throw new Refusal('grant_gone', {});
  return row;
}
