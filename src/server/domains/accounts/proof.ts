import { prove } from '#contract/people.ts';
import { Refusal } from '#contract/refusals.ts';
import { type Call, type KeptAct, on } from '#server/platform/act.ts';
import type { Sql } from '#server/platform/database.ts';
import { passwordFits } from '#server/platform/passwords.ts';
import { hmac } from '#server/platform/secrets.ts';
import type { AccountsDeps } from './deps.ts';
import { forgetTries, takeTry } from './login-tries.ts';
import { passwordOf } from './people.ts';
import { PROOF_SECONDS, deviceHash } from './sessions.ts';

type Deps = Pick<AccountsDeps, 'house' | 'secrets' | 'sessions'>;
type Asking = Pick<Call<'anyone_signed_in'>, 'caller' | 'device'>;

/**
 * Checks the password of somebody who is signed in. Tries are counted as at a sign-in, apart from
 * those of strangers.
 *
 * A session is proved in the browser it began in and nowhere else. Its token in another one was copied,
 * so the session ends there and then: the password that a thief may know as well counts for nothing
 * without a code.
 *
 * @throws Refusal `password_wrong`, `too_many_requests` with the seconds to wait; `not_signed_in` from
 *   another browser.
 */
export async function demandPassword(deps: Deps, { caller, device }: Asking, password: string) {
  const { house, secrets, sessions } = deps;
  if (!(await isAtHome(house, caller.sessionId, device))) {
    await sessions.end(caller.sessionId);
    throw new Refusal('not_signed_in', {});
  }
  const key = secrets.key('pepper');
  const subject = hmac(key, 'prove', caller.userId).toString('hex').slice(0, 32);
  const wait = await takeTry(house, subject);
  if (wait > 0) throw new Refusal('too_many_requests', { seconds: wait });
  const person = await passwordOf(house, caller);
  if (!(await passwordFits(password, person.hash))) throw new Refusal('password_wrong', {});
  await forgetTries(house, subject);
  return person;
}

/** True in the browser that the session began in; sessions of portals elsewhere have none. */
async function isAtHome(house: Sql, sessionId: string, device: string): Promise<boolean> {
  const [row] = await house`
    select 1 from sessions where session_id = ${sessionId}
      and (device_hash is null or device_hash = ${deviceHash(device)})`;
  return row !== undefined;
}

/** The password once more: the session is proved, in this browser, for five minutes. */
export const proving = (deps: AccountsDeps): KeptAct =>
  on(prove, async (call, { password }) => {
    await demandPassword(deps, call, password);
    await deps.house`
      update sessions set proved_at = clock_timestamp(), device_hash = ${deviceHash(call.device)}
      where session_id = ${call.caller.sessionId}`;
    return { seconds: PROOF_SECONDS };
  });
