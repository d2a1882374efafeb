import { randomBytes } from 'node:crypto';
import type { SecondFactorRequired, SignedIn } from '#contract/accounts.ts';
import { changeForgotten, forgotPassword, verifyForgot } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import { isCommonPassword } from '#server/infra/security/common-passwords.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { beginIn } from '#server/infra/postgres/distribution/scope.ts';
import { hashPassword } from '#server/infra/security/passwords.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import {
  beginCoolDown,
  type UserRef,
  passwordOf,
  statusOf,
} from '#server/domains/accounts/people.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { notifyPasswordChanged } from '#server/domains/accounts/notices.ts';
import { isNotExpired } from '#server/domains/accounts/operators.ts';
import { issueCode, revokeCodes, withVerifiedCode } from '#server/domains/accounts/otp.ts';
import { endOtherSessions } from '#server/domains/accounts/sessions/sessions.ts';
import { signIn } from './login.ts';

const GRANT_SECONDS = 600;

/**
 * Sends a code to a number that has an account. Every number gets the same response in the same time: the code is sent
 * after the response, and not for unknown numbers.
 */
export const forgotPasswordHandler = (deps: AccountsDeps): ActHandler =>
  handle(forgotPassword, async (call, { phone, captcha }) => {
    await deps.captcha.verify('user_forgot_password', captcha, call.ip);
    const { answer, send } = await deps.allAccountsSql.begin(async (tx) => {
      const user = await ownerOf(tx, phone);
      return issueCode(tx, deps, { purpose: 'forgot', phone, user, isDecoy: !user }, call);
    });
    void send().catch(deps.report);
    return answer;
  });

async function ownerOf(tx: Tx, phone: string): Promise<UserRef | undefined> {
  const [row] = await tx<UserRef[]>`
    select p.account_id as "accountId", p.user_id as "userId"
    from user_phones p join accounts a on a.account_id = p.account_id
    join users u on (u.account_id, u.user_id) = (p.account_id, p.user_id)
    where p.phone = ${phone} and a.status <> 'closed' and ${isNotExpired(tx)}`;
  return row;
}

export const verifyForgotHandler = (deps: AccountsDeps): ActHandler =>
  handle(verifyForgot, async (_call, { challenge: challengeId, code }) => {
    const codeInput = { challengeId, code };
    return withVerifiedCode(deps, codeInput, { purposes: ['forgot'] }, async (tx, { user }) => {
      if (!user) throw new Error('a code for a forgotten password has no user');
      const grant = randomBytes(32).toString('base64url');
      const { accountId, userId } = user;
      await tx`
        insert into password_grants (grant_hash, account_id, user_id, expires_at)
        values (${sha256(grant)}, ${accountId}, ${userId},
          clock_timestamp() + make_interval(secs => ${GRANT_SECONDS}))`;
      return { grant, expires_in_seconds: GRANT_SECONDS };
    });
  });

export const changeForgottenHandler = (deps: AccountsDeps): ActHandler =>
  handle(changeForgotten, async (call, { grant, password }) => {
    const answer = await resetPassword(deps, { grant, password }, call);
    if ('token' in answer && call.caller.kind === 'person') {
      await deps.sessions.end(call.caller.sessionId);
    }
    return answer;
  });

/**
 * Sets the password by a grant, once; every session of the user ends, and this browser is signed in, after the second
 * factor if there is one, which stays. The phone is notified, and the account cools down.
 *
 * @throws Refusal `grant_gone`, `password_common` (the grant stays), `account_suspended`.
 */
async function resetPassword(
  deps: AccountsDeps,
  { grant, password }: { grant: string; password: string },
  client: Pick<Call, 'ip' | 'agent' | 'device'>,
): Promise<SignedIn | SecondFactorRequired> {
  const holder = await holderOf(deps, grant);
  const person = await passwordOf(deps.allAccountsSql, holder);
  if (isCommonPassword(password, person)) {
    throw new Refusal('password_common', {});
  }
  const hash = await hashPassword(password);
  const { answer, ended } = await beginIn(deps.allAccountsSql, holder.accountId, async (tx) => {
    const [used] = await tx`
      delete from password_grants
      where grant_hash = ${sha256(grant)} and expires_at > statement_timestamp() returning 1`;
    if (!used) throw new Refusal('grant_gone', {});
    if ((await statusOf(tx, holder.accountId)) === 'closed') {
      throw new Refusal('account_suspended', {});
    }
    await tx`
      update users set password_hash = ${hash}
      where (account_id, user_id) = (${holder.accountId}, ${holder.userId})`;
    await revokeCodes(tx, holder);
    await beginCoolDown(tx, holder.accountId, 'password_reset');
    const endedSessions = await endOtherSessions(tx, holder);
    return { answer: await signIn(tx, deps, holder, client), ended: endedSessions };
  });
  await deps.sessions.evict(ended);
  void notifyPasswordChanged(deps, person.phone).catch(deps.report);
  return answer;
}

async function holderOf({ allAccountsSql }: AccountsDeps, grant: string): Promise<UserRef> {
  const [row] = await allAccountsSql<UserRef[]>`
    select account_id as "accountId", user_id as "userId" from password_grants
    where grant_hash = ${sha256(grant)} and expires_at > clock_timestamp()`;
  if (!row) throw new Refusal('grant_gone', {});
  return row;
}
