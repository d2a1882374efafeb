import { reauthUser } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { passwordFits } from '#server/infra/security/passwords.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { resetTries, countTry } from '#server/domains/accounts/signin/login-tries.ts';
import { notifyNewDevice } from '#server/domains/accounts/notices.ts';
import { passwordOf } from '#server/domains/accounts/people.ts';
import { hasSecondFactor } from '#server/domains/accounts/secondfactor/factors.ts';
import { REAUTH_SECONDS, deviceHash, rotateToken } from './sessions.ts';

type Deps = Pick<AccountsDeps, 'allAccountsSql' | 'secrets' | 'sessions'>;
type ReauthCall = Pick<Call<'anyone_signed_in'>, 'caller' | 'device'>;

/**
 * Checks the password of somebody who is signed in, for what only the session's own browser may do.
 * Tries are counted as at a sign-in, apart from those of strangers.
 *
 * @throws Refusal `password_wrong`, `too_many_requests` with the seconds to wait; `sign_in_needed` from
 *   another browser, whatever the password: its token was copied, and who signs in there needs a code.
 */
export async function verifyPassword(deps: Deps, call: ReauthCall, password: string) {
  const { inOwnBrowser } = await deps.sessions.reauthOf(call.caller.sessionId, call.device);
  if (!inOwnBrowser) throw new Refusal('sign_in_needed', {});
  return checkPassword(deps, call.caller, { password, scope: 'prove' });
}

/** @param scope counts tries apart: those of a thief must not make the owner wait. */
async function checkPassword(
  { allAccountsSql, secrets }: Deps,
  caller: ReauthCall['caller'],
  { password, scope }: { password: string; scope: 'prove' | 'prove elsewhere' },
) {
  const key = secrets.key('pepper');
  const subject = hmac(key, scope, caller.userId).toString('hex').slice(0, 32);
  const wait = await countTry(allAccountsSql, subject);
  if (wait > 0) throw new Refusal('too_many_requests', { seconds: wait });
  const person = await passwordOf(allAccountsSql, caller);
  if (!(await passwordFits(password, person.hash))) throw new Refusal('password_wrong', {});
  await resetTries(allAccountsSql, subject);
  return person;
}

/**
 * Reauthentication by password: for five minutes this browser may do what requires it, and the session gets another
 * token: a copy of the one before ends. A browser other
 * than the session's own is recorded beside it, and the owner's phone is notified; of somebody who has a
 * second factor it opens nothing there.
 */
export const reauthUserHandler = (deps: AccountsDeps): ActHandler =>
  handle(reauthUser, async (call, { password }) => {
    const { caller, device, agent } = call;
    const { inOwnBrowser } = await deps.sessions.reauthOf(caller.sessionId, device);
    if (inOwnBrowser) {
      await checkPassword(deps, caller, { password, scope: 'prove' });
      const token = await deps.allAccountsSql.begin(async (tx) => {
        await tx`
          update sessions set reauth_at = statement_timestamp() where session_id = ${caller.sessionId}`;
        return rotateToken(tx, caller.sessionId);
      });
      return { seconds: REAUTH_SECONDS, token };
    }
    // Without a cookie this browser could not be recognised again; and a password alone is not what lets in
    // somebody who has a second factor.
    if (device === '' || (await hasSecondFactor(deps.allAccountsSql, caller)))
      throw new Refusal('sign_in_needed', {});
    const { phone } = await checkPassword(deps, caller, { password, scope: 'prove elsewhere' });
    const isNew = await recordReauth(deps.allAccountsSql, caller.sessionId, device);
    if (isNew) void notifyNewDevice(deps, phone, agent).catch(deps.report);
    return { seconds: REAUTH_SECONDS };
  });

/**
 * Records that the password was given in another browser than the session's own; only the latest such
 * browser counts.
 *
 * @returns whether it is the first time in this browser.
 */
async function recordReauth(
  allAccountsSql: Sql,
  sessionId: string,
  device: string,
): Promise<boolean> {
  const browser = deviceHash(device);
  const [row] = await allAccountsSql<{ isNew: boolean }[]>`
    with before as (
      select session_id, other_device_hash from sessions
      where session_id = ${sessionId} for update
    )
    update sessions set other_device_hash = ${browser}, other_reauth_at = statement_timestamp()
    from before where sessions.session_id = before.session_id
    returning before.other_device_hash is distinct from ${browser} as "isNew"`;
  return row?.isNew ?? false;
}
