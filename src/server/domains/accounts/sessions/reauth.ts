import { prove } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type Call, type ActHandler, handle } from '#server/infra/acts/act.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { passwordFits } from '#server/infra/security/passwords.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import { forgetTries, takeTry } from '#server/domains/accounts/signin/login-tries.ts';
import { tellNewDevice } from '#server/domains/accounts/notices.ts';
import { passwordOf } from '#server/domains/accounts/people.ts';
import { PROOF_SECONDS, deviceHash } from './sessions.ts';

type Deps = Pick<AccountsDeps, 'allAccountsSql' | 'secrets' | 'sessions'>;
type Asking = Pick<Call<'anyone_signed_in'>, 'caller' | 'device'>;

/**
 * Checks the password of somebody who is signed in, for what only the session's own browser may do.
 * Tries are counted as at a sign-in, apart from those of strangers.
 *
 * @throws Refusal `password_wrong`, `too_many_requests` with the seconds to wait; `sign_in_needed` from
 *   another browser, whatever the password: its token was copied, and who signs in there needs a code.
 */
export async function demandPassword(deps: Deps, asking: Asking, password: string) {
  const { inOwnBrowser } = await deps.sessions.reauthOf(asking.caller.sessionId, asking.device);
  if (!inOwnBrowser) throw new Refusal('sign_in_needed', {});
  return checkPassword(deps, asking.caller, { password, triesOf: 'prove' });
}

/** @param triesOf whose wrong tries these are: a thief's must not keep the owner waiting. */
async function checkPassword(
  { allAccountsSql, secrets }: Deps,
  caller: Asking['caller'],
  { password, triesOf }: { password: string; triesOf: 'prove' | 'prove elsewhere' },
) {
  const key = secrets.key('pepper');
  const subject = hmac(key, triesOf, caller.userId).toString('hex').slice(0, 32);
  const wait = await takeTry(allAccountsSql, subject);
  if (wait > 0) throw new Refusal('too_many_requests', { seconds: wait });
  const person = await passwordOf(allAccountsSql, caller);
  if (!(await passwordFits(password, person.hash))) throw new Refusal('password_wrong', {});
  await forgetTries(allAccountsSql, subject);
  return person;
}

/**
 * The password once more: for five minutes it opens what asks for it, in this browser. In another than
 * the session's own it leaves the session where it is, and its owner's phone is told.
 */
export const proveHandler = (deps: AccountsDeps): ActHandler =>
  handle(prove, async (call, { password }) => {
    const { caller, device, agent } = call;
    const { inOwnBrowser } = await deps.sessions.reauthOf(caller.sessionId, device);
    if (inOwnBrowser) {
      await checkPassword(deps, caller, { password, triesOf: 'prove' });
      await deps.allAccountsSql`
        update sessions set reauth_at = clock_timestamp() where session_id = ${caller.sessionId}`;
      return { seconds: PROOF_SECONDS };
    }
    // Without a cookie there is nothing by which this browser would be known again.
    if (device === '') throw new Refusal('sign_in_needed', {});
    const { phone } = await checkPassword(deps, caller, { password, triesOf: 'prove elsewhere' });
    const isNew = await rememberReauth(deps.allAccountsSql, caller.sessionId, device);
    if (isNew) void tellNewDevice(deps, phone, agent).catch(deps.report);
    return { seconds: PROOF_SECONDS };
  });

/**
 * Writes down that the password was given in another browser than the session's own; of such browsers
 * the latest counts.
 *
 * @returns whether it was given in this one for the first time.
 */
async function rememberReauth(
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
    update sessions set other_device_hash = ${browser}, other_reauth_at = clock_timestamp()
    from before where sessions.session_id = before.session_id
    returning before.other_device_hash is distinct from ${browser} as "isNew"`;
  return row?.isNew ?? false;
}
