import { Refusal } from '#contract/base/refusals.ts';
import { randomBytes } from 'node:crypto';
import type { Role } from '#contract/accounts.ts';
import type { OperatorRole } from '#contract/base/act.ts';
import type { Call, Person, Reauth } from '#server/infra/acts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { sha256 } from '#server/infra/security/secrets.ts';
import type { UserRef } from '#server/domains/accounts/people.ts';
import { publicId } from '#contract/base/ids.ts';
import type { SessionRow } from '#contract/people.ts';

/** Limits of a session: days without use, and days in total (docs/threats.md, T10). */
const IDLE_DAYS = 7;
const LIFE_DAYS = 30;
const SESSIONS_MAX = 10;
/** The lifetime of a cached session; a revocation elsewhere takes effect within 1 s (docs/threats.md, T10). */
const CACHE_TTL_MS = 900;
const CACHE_MAX = 10_000;
const AGENT_LENGTH_MAX = 300;
/** The lifetime of the previous token after `rotateToken`, for requests under way and lost responses. */
const PREVIOUS_TOKEN_SECONDS = 60;
const tokenPattern = /^kbs_[A-Za-z0-9_-]{43}$/;

/** The stored form of a browser's cookie; null for portals on another origin, which have none. */
export const deviceHash = (device: string): Buffer | null =>
  device === '' ? null : sha256(device);

export type Sessions = {
  find(token: string): Promise<Person | undefined>;
  /**
   * True if the session of a user from `find` began in another browser. Reads only the cache, for every call; changes
   * require `reauthOf`.
   */
  isElsewhere(person: Person, device: string): boolean;
  /** Ends a session: at once in this process, within a second in the others. */
  end(sessionId: string): Promise<void>;
  /** Removes sessions from this process's cache after they were ended in a transaction. */
  evict(sessionIds: readonly string[]): Promise<void>;
  /**
   * Whether this browser is the session's own, and when the password was last given in it, by the database's clock.
   *
   * @throws Refusal `not_signed_in` if the session has ended.
   */
  reauthOf(sessionId: string, device: string): Promise<Reauth>;
};

type CacheEntry = { found: Promise<Person | undefined>; expiresAtMs: number };

/**
 * Opens the look-up of sessions. A result is cached for 0.9 s counted from the start of the query, and concurrent calls
 * share one query.
 *
 * @param nowMs a monotonic clock, in milliseconds.
 */
export function openSessions(
  allAccountsSql: Sql,
  nowMs: () => number = () => performance.now(),
): Sessions {
  const cache = new Map<string, CacheEntry>();
  /** As text: a small buffer of the driver would keep its 64 kB read buffer alive. */
  const browsers = new WeakMap<Person, string | null>();

  const lookUp = (token: string, hash: string): Promise<Person | undefined> => {
    const found = findActiveSession(allAccountsSql, token).then((session) => {
      if (session) browsers.set(session.person, textOf(session.browser));
      return session?.person;
    });
    if (cache.size >= CACHE_MAX) cache.clear();
    const entry = { found, expiresAtMs: nowMs() + CACHE_TTL_MS };
    cache.set(hash, entry);
    const evict = () => {
      if (cache.get(hash) === entry) cache.delete(hash);
    };
    found.then((person) => person ?? evict(), evict);
    return found;
  };

  const evict = async (sessionIds: readonly string[]): Promise<void> => {
    for (const [hash, { found }] of cache) {
      const person = await found.catch(() => undefined);
      if (person && sessionIds.includes(person.sessionId)) cache.delete(hash);
    }
  };

  return {
    evict,
    async find(token) {
      if (!tokenPattern.test(token)) return undefined;
      const hash = sha256(token).toString('base64');
      const cached = cache.get(hash);
      return cached && nowMs() < cached.expiresAtMs ? cached.found : lookUp(token, hash);
    },
    isElsewhere(person, device) {
      const own = browsers.get(person);
      return own !== undefined && own !== textOf(deviceHash(device));
    },
    async end(sessionId) {
      await allAccountsSql`
        update sessions set revoked_at = statement_timestamp()
        where session_id = ${sessionId} and revoked_at is null`;
      await evict([sessionId]);
    },
    async reauthOf(sessionId, device) {
      const browser = deviceHash(device);
      const [row] = await allAccountsSql<{ inOwnBrowser: boolean; ago: number | null }[]>`
        select own as "inOwnBrowser",
          extract(epoch from clock_timestamp()
            - case when own then reauth_at when other_device_hash = ${browser} then other_reauth_at end
          )::float8 as ago
        from sessions, lateral (select device_hash is not distinct from ${browser} as own) browser
        where session_id = ${sessionId} and revoked_at is null`;
      // Ended meanwhile, as by a sign-out in another tab.
      if (!row) throw new Refusal('not_signed_in', {});
      return { inOwnBrowser: row.inOwnBrowser, secondsAgo: row.ago ?? Infinity };
    },
  };
}

const textOf = (hash: Buffer | null): string | null => hash && hash.toString('base64');

/** SQL that is true of an active row of `sessions`: not ended, idle or too old, by the database's clock. */
export const isActiveSession = (sql: Sql) => sql`
  revoked_at is null
  and last_used_at > statement_timestamp() - make_interval(days => ${IDLE_DAYS})
  and sessions.created_at > statement_timestamp() - make_interval(days => ${LIFE_DAYS})`;

type Row = {
  session_id: string;
  account_id: string;
  user_id: string;
  role: Role;
  operator_roles: readonly OperatorRole[];
  device_hash: Buffer | null;
  second_factor: boolean;
  unused: boolean;
  suspended: boolean;
};

type ActiveSession = { person: Person; browser: Buffer | null };

/**
 * Finds the user of a token by the token's hash in one query, by the database's clock. Records the use at most once a
 * minute. Users of a closed account have no session; those of a suspended one are marked by `isSuspended`.
 */
export const findSession = async (
  allAccountsSql: Sql,
  token: string,
): Promise<Person | undefined> => (await findActiveSession(allAccountsSql, token))?.person;

/** The token comes first: a plan made for empty tables compared every session of an account with every user. */
async function findActiveSession(
  allAccountsSql: Sql,
  token: string,
): Promise<ActiveSession | undefined> {
  if (!tokenPattern.test(token)) return undefined;
  const hash = sha256(token);
  const [row] = await allAccountsSql<Row[]>`
    with found as materialized (
      select * from sessions
      where (token_hash = ${hash} or (previous_token_hash = ${hash} and previous_until > clock_timestamp()))
        and ${isActiveSession(allAccountsSql)}
    )
    select session_id, account_id, user_id, u.role, u.operator_roles, device_hash,
      second_factor_at is not null as second_factor,
      a.status = 'suspended' as suspended,
      last_used_at < clock_timestamp() - interval '1 minute' as unused
    from found join users u using (account_id, user_id) join accounts a using (account_id)
    where a.status <> 'closed' and u.removed_at is null`;
  if (!row) return undefined;
  if (row.unused) {
    await allAccountsSql`
      update sessions set last_used_at = statement_timestamp()
      where session_id = ${row.session_id}
        and last_used_at < statement_timestamp() - interval '1 minute'`;
  }
  const { account_id: accountId, user_id: userId, session_id: sessionId, role } = row;
  const { operator_roles: operatorRoles } = row;
  const person = { kind: 'person', accountId, userId, sessionId, role, operatorRoles } as const;
  return {
    person: {
      ...person,
      ...(row.second_factor && { secondFactor: true }),
      ...(row.suspended && { isSuspended: true }),
    },
    browser: row.device_hash,
  };
}

type NewSession = UserRef &
  Pick<Call, 'ip' | 'agent' | 'device'> & {
    secondFactor?: boolean;
  };

/**
 * Starts a session and returns its token, which is stored as a hash only. The browser becomes known; the oldest
 * sessions beyond ten end. Sign-ins must use `signIn`, which checks second factors.
 */
export async function startSession(tx: Tx, session: NewSession): Promise<string> {
  const { accountId, userId, ip, secondFactor = false } = session;
  const device = deviceHash(session.device);
  const token = newToken();
  const agent = session.agent.replace(/\p{Cc}/gu, ' ').slice(0, AGENT_LENGTH_MAX);
  await tx`
    update users set signed_in_at = statement_timestamp()
    where (account_id, user_id) = (${accountId}, ${userId}) and signed_in_at is null`;
  await tx`
    insert into sessions (
      token_hash, session_id, account_id, user_id, agent, ip, device_hash, second_factor_at
    ) values (
      ${sha256(token)}, ${newId()}, ${accountId}, ${userId}, ${agent}, ${ip}, ${device},
      case when ${secondFactor} then clock_timestamp() end
    )`;
  if (device !== null) {
    await tx`
      insert into known_devices (account_id, user_id, device_hash)
      values (${accountId}, ${userId}, ${device})
      on conflict (account_id, user_id, device_hash) do update set seen_at = clock_timestamp()`;
  }
  await tx`
    update sessions set revoked_at = statement_timestamp()
    where session_id in (
      select session_id from sessions
      where (account_id, user_id) = (${accountId}, ${userId}) and revoked_at is null
      order by created_at desc, session_id desc offset ${SESSIONS_MAX}
    )`;
  return token;
}

const newToken = (): string => `kbs_${randomBytes(32).toString('base64url')}`;

/**
 * Replaces a session's token after a reauthentication in the session's own browser, so that copies of the old one end.
 *
 * @returns the new token for the browser. The old one works for another minute.
 */
export async function rotateToken(sql: Sql | Tx, sessionId: string): Promise<string> {
  const token = newToken();
  await sql`
    update sessions set token_hash = ${sha256(token)}, previous_token_hash = token_hash,
      previous_until = statement_timestamp() + make_interval(secs => ${PREVIOUS_TOKEN_SECONDS})
    where session_id = ${sessionId} and revoked_at is null`;
  return token;
}

/**
 * Ends all of a user's sessions but one, in the caller's transaction, and their browsers become unknown: signing in
 * there needs a code. Call `sessions.evict` with the result after COMMIT.
 *
 * @param exceptSessionId the session that stays; left out to end all.
 */
export async function endOtherSessions(
  tx: Tx,
  { accountId, userId }: UserRef,
  exceptSessionId?: string,
) {
  const ended = await tx<{ id: string }[]>`
    update sessions set revoked_at = statement_timestamp()
    where (account_id, user_id) = (${accountId}, ${userId}) and revoked_at is null
      and session_id is distinct from ${exceptSessionId ?? null}::uuid
    returning session_id as id`;
  const [stays] = await tx<{ device: Buffer | null }[]>`
    select device_hash as device from sessions where session_id = ${exceptSessionId ?? null}::uuid`;
  await tx`
    delete from known_devices where (account_id, user_id) = (${accountId}, ${userId})
      and device_hash is distinct from ${stays?.device ?? null}::bytea`;
  return ended.map(({ id }) => id);
}

/**
 * Ends all sessions, open codes and grants: a restored database would otherwise revive those revoked since its backup.
 * Browsers stay known.
 */
export async function endAllSessions(sql: Sql): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`update sessions set revoked_at = statement_timestamp() where revoked_at is null`;
    await tx`delete from otp_challenges`;
    await tx`delete from password_grants`;
  });
}

/**
 * Ends one session of a user; its browser becomes unknown, unless it is also the caller's.
 *
 * @param from the caller's session.
 * @returns false if this user has no such active session.
 */
export async function endSession(
  allAccountsSql: Sql,
  { accountId, userId }: UserRef,
  { sessionId, callerSessionId }: { sessionId: string; callerSessionId: string },
): Promise<boolean> {
  return allAccountsSql.begin(async (tx) => {
    const [ended] = await tx<{ device: Buffer | null }[]>`
      update sessions set revoked_at = statement_timestamp()
      where session_id = ${sessionId} and revoked_at is null
        and (account_id, user_id) = (${accountId}, ${userId})
      returning device_hash as device`;
    const [caller] = await tx<{ device: Buffer | null }[]>`
      select device_hash as device from sessions where session_id = ${callerSessionId}`;
    await tx`
      delete from known_devices
      where (account_id, user_id, device_hash) = (${accountId}, ${userId}, ${ended?.device ?? null}::bytea)
        and device_hash is distinct from ${caller?.device ?? null}::bytea`;
    return ended !== undefined;
  });
}

const browsers: readonly [name: string, mark: RegExp][] = [
  ['Edge', /\bEdgA?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bVersion\/[\d.]+ .*Safari\//],
];
const systems: readonly [name: string, mark: RegExp][] = [
  ['Android', /\bAndroid\b/],
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Windows', /\bWindows NT\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Mac', /\bMacintosh\b/],
  ['Linux', /\bLinux\b/],
];

const first = (list: readonly [string, RegExp][], agent: string): string | undefined =>
  list.find(([, mark]) => mark.test(agent))?.[0];

/** The name of a browser by its User-Agent, which is not verified: `Chrome di Android`. */
export function deviceName(agent: string): string {
  const browser = first(browsers, agent) ?? 'Browser lain';
  const system = first(systems, agent);
  return system === undefined ? browser : `${browser} di ${system}`;
}

export type StoredSession = { id: string; agent: string; ip: string; created: Date; used: Date };

/** A session as lists show it. @param current the id of the caller's session, if it is listed for its owner. */
export const sessionRow = (
  { id, agent, ip, created, used }: StoredSession,
  current?: string,
): SessionRow => ({
  id: publicId('session', id),
  current: id === current,
  device: deviceName(agent),
  ip,
  created_at: created.toISOString(),
  last_used_at: used.toISOString(),
});

export async function sessionsOfAccount(sql: Sql, accountId: string): Promise<SessionRow[]> {
  const rows = await sql<StoredSession[]>`
    select session_id as id, agent, ip, created_at as created, last_used_at as used
    from sessions where account_id = ${accountId} and ${isActiveSession(sql)}
    order by last_used_at desc, session_id desc limit 20`;
  return rows.map((row) => sessionRow(row));
}

/**
 * Ends one session of an account, or all; their browsers become unknown, so that signing in there needs a code. Call
 * `sessions.evict` with the result after COMMIT.
 */
export async function endSessionsOfAccount(
  tx: Tx,
  accountId: string,
  sessionId?: string,
): Promise<string[]> {
  const ended = await tx<{ id: string; device: Buffer | null }[]>`
    update sessions set revoked_at = statement_timestamp()
    where account_id = ${accountId} and revoked_at is null
      and (${sessionId ?? null}::uuid is null or session_id = ${sessionId ?? null}::uuid)
    returning session_id as id, device_hash as device`;
  const devices = ended.flatMap(({ device }) => device ?? []);
  await tx`
    delete from known_devices
    where account_id = ${accountId} and device_hash = any(${devices}::bytea[])`;
  return ended.map(({ id }) => id);
}
