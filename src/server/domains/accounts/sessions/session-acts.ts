import { PASSWORD_SECONDS } from '#contract/base/act.ts';
import { appConfig, checkToken, logoutUser } from '#contract/accounts.ts';
import { listSessions, revokeSessions, reauthUser } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle, type Call } from '#server/infra/acts.ts';
import { asAccount, type Sql } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import {
  type StoredSession,
  sessionRow,
  endSession,
  endOtherSessions,
  isActiveSession,
  deviceHash,
  rotateToken,
} from './sessions.ts';
import { userOf, passwordOf } from '#server/domains/accounts/people.ts';
import {
  needsSecondFactor,
  hasSecondFactor,
} from '#server/domains/accounts/secondfactor/factors.ts';
import { passwordFits } from '#server/infra/security/passwords.ts';
import { hmac } from '#server/infra/security/secrets.ts';
import { resetTries, countTry } from '#server/domains/accounts/signin/captcha.ts';
import { notifyNewDevice } from '#server/domains/accounts/notices.ts';

export const logoutUserHandler = ({ sessions }: AccountsDeps): ActHandler =>
  handle(logoutUser, async ({ caller }) => {
    await sessions.end(caller.sessionId);
    return {};
  });

export const checkTokenHandler = (deps: AccountsDeps): ActHandler =>
  handle(checkToken, ({ caller }) =>
    asAccount(deps.sql, caller.accountId, async (tx) => {
      const user = await userOf(tx, deps, caller);
      return needsSecondFactor(deps.config, caller) ? { ...user, needs_second_factor: true } : user;
    }),
  );

export const listSessionsHandler = ({ allAccountsSql }: AccountsDeps): ActHandler =>
  handle(listSessions, async ({ caller: { accountId, userId, sessionId } }) => {
    const rows = await allAccountsSql<StoredSession[]>`
      select session_id as id, agent, ip, created_at as created, last_used_at as used
      from sessions where (account_id, user_id) = (${accountId}, ${userId}) and ${isActiveSession(allAccountsSql)}
      order by session_id = ${sessionId} desc, last_used_at desc, session_id desc`;
    return {
      rows: rows.map((row) => sessionRow(row, sessionId)),
      total: rows.length,
    };
  });

/** Ends one session of the caller, or all others; their browsers become unknown. */
export const revokeSessionsHandler = ({ allAccountsSql, sessions }: AccountsDeps): ActHandler =>
  handle(revokeSessions, async ({ caller }, { session_id: sessionId, others }) => {
    if ((sessionId === undefined) === (others === undefined)) {
      const why = 'Pilih satu sesi, atau semua yang lain.';
      throw new Refusal('input_invalid', { fields: { session_id: why } });
    }
    if (sessionId === undefined) {
      const ended = await allAccountsSql.begin((tx) =>
        endOtherSessions(tx, caller, caller.sessionId),
      );
      await sessions.evict(ended);
      return { ended: ended.length };
    }
    if (
      !(await endSession(allAccountsSql, caller, { sessionId, callerSessionId: caller.sessionId }))
    ) {
      throw new Refusal('not_found', { what: 'Sesi' });
    }
    await sessions.evict([sessionId]);
    return { ended: 1 };
  });

/**
 * An empty `api_url` means the page's own origin. The configuration works while the database is down, without facts
 * about codes.
 */
export const appConfigHandler = ({ config, build, codesInSimulator }: AccountsDeps): ActHandler =>
  handle(appConfig, async () => ({
    product: 'Kabari',
    simulator: config.SIMULATOR,
    codes_in_simulator: config.SIMULATOR && (await codesInSimulator().catch(() => false)),
    production: config.production,
    return_origins: [...config.RETURN_ORIGINS],
    api_url: config.API_URL ?? '',
    captcha: { provider: config.CAPTCHA_PROVIDER, site_key: config.CAPTCHA_SITE_KEY ?? '' },
    build,
    registration_closed: config.REGISTRATION ? null : config.REGISTRATION_CLOSED,
  }));

type ReauthCall = Pick<Call<'anyone_signed_in'>, 'caller' | 'device'>;

/**
 * Checks the password of a signed-in user, for acts that only the session's own browser may call. Tries are counted as
 * at a sign-in, apart from those of strangers.
 *
 * @throws Refusal `password_wrong`, `too_many_requests` with the seconds to wait; `sign_in_needed` from another browser
 * even with the correct password: its token was copied, and a sign-in there needs a code.
 */
export async function verifyPassword(deps: AccountsDeps, call: ReauthCall, password: string) {
  const { inOwnBrowser } = await deps.sessions.reauthOf(call.caller.sessionId, call.device);
  if (!inOwnBrowser) throw new Refusal('sign_in_needed', {});
  return checkPassword(deps, call.caller, { password, scope: 'prove' });
}

/** @param scope counts tries apart: those of a thief must not make the owner wait. */
async function checkPassword(
  { allAccountsSql, secrets }: AccountsDeps,
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
 * Re-authenticates by password: for five minutes this browser may call acts that require it, for fifteen those that
 * make something, and the session's token is replaced, so that a copy of the old one ends. A browser other than the
 * session's own is recorded beside it, and the owner's phone is notified; if the user has a second factor, the password alone gives no access there.
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
      return { seconds: PASSWORD_SECONDS.to_take, token };
    }
    // Without a cookie this browser could not be recognised; and a password alone is not enough if there is a second
    // factor.
    if (device === '' || (await hasSecondFactor(deps.allAccountsSql, caller)))
      throw new Refusal('sign_in_needed', {});
    const { phone } = await checkPassword(deps, caller, { password, scope: 'prove elsewhere' });
    const isNew = await recordReauth(deps.allAccountsSql, caller.sessionId, device);
    if (isNew) void notifyNewDevice(deps, phone, agent).catch(deps.report);
    return { seconds: PASSWORD_SECONDS.to_take };
  });

/**
 * Records that the password was given in a browser other than the session's own; only the latest such browser counts.
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
