import { appConfig, checkToken, logoutUser } from '#contract/accounts.ts';
import { listSessions, revokeSessions } from '#contract/people.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActHandler, handle } from '#server/infra/acts.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import type { AccountsDeps } from '#server/domains/accounts/deps.ts';
import {
  type StoredSession,
  sessionRow,
  endSession,
  endOtherSessions,
  isActiveSession,
} from './sessions.ts';
import { userOf } from '#server/domains/accounts/people.ts';
import { needsSecondFactor } from '#server/domains/accounts/secondfactor/factors.ts';

/** Ends the caller's own session, and no other. */
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

/** The active sessions: the caller's own first, then by last use. */
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

/** Ends one session of the caller's, or all others; their browsers become unknown. */
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
 * An empty `api_url` means the address the page came from. A browser can begin while the database is away: nothing
 * is said of codes then.
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
