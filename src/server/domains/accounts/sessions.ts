import { randomBytes } from 'node:crypto';
import type { Role } from '#contract/accounts.ts';
import type { Person } from '#server/platform/act.ts';
import type { Sql, Tx } from '#server/platform/database.ts';
import { newId } from '#server/platform/ids.ts';
import { sha256 } from '#server/platform/secrets.ts';

/** A session ends after so long without use, and after so long in any case (rulings, 27). */
const IDLE_DAYS = 7;
const LIFE_DAYS = 30;
/** A person's sessions at once; the oldest goes when there is one more. */
const SESSIONS_MAX = 10;
/**
 * How long a found session is believed; a revocation elsewhere is seen within 1 s (rulings, 17).
 */
const BELIEVED_MS = 900;
const REMEMBERED_MAX = 10_000;
const AGENT_LENGTH_MAX = 300;

const tokenShape = /^kbs_[A-Za-z0-9_-]{43}$/;

export type Sessions = {
  /** The person whose session this token is; `undefined` when there is none, or no longer. */
  find(token: string): Promise<Person | undefined>;
  /** Ends a session: at once in this process, within a second in the others. */
  end(sessionId: string): Promise<void>;
};

type Remembered = { found: Promise<Person | undefined>; until: number };

/**
 * The sessions as the doors ask for them. What was found is believed for 0.9 s counted from before
 * the question, and asked for once however many calls arrive together.
 *
 * @param nowMs a clock that never jumps, in milliseconds.
 */
export function openSessions(house: Sql, nowMs: () => number = () => performance.now()): Sessions {
  const remembered = new Map<string, Remembered>();

  const ask = (token: string, hash: string): Promise<Person | undefined> => {
    const found = findSession(house, token);
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const entry = { found, until: nowMs() + BELIEVED_MS };
    remembered.set(hash, entry);
    const forget = () => {
      if (remembered.get(hash) === entry) remembered.delete(hash);
    };
    found.then((person) => person ?? forget(), forget);
    return found;
  };

  return {
    async find(token) {
      if (!tokenShape.test(token)) return undefined;
      const hash = sha256(token).toString('base64');
      const known = remembered.get(hash);
      return known && nowMs() < known.until ? known.found : ask(token, hash);
    },
    async end(sessionId) {
      await house`
        update sessions set revoked_at = clock_timestamp()
        where session_id = ${sessionId} and revoked_at is null`;
      for (const [hash, { found }] of remembered) {
        const person = await found.catch(() => undefined);
        if (person?.sessionId === sessionId) remembered.delete(hash);
      }
    },
  };
}

type Row = {
  session_id: string;
  account_id: string;
  user_id: string;
  role: Role;
  unused: boolean;
};

/**
 * The person of a token, by the database's clock, in one look-up by the token's hash. Notes the use
 * at most once a minute. People of a suspended or closed account have no session.
 */
export async function findSession(house: Sql, token: string): Promise<Person | undefined> {
  if (!tokenShape.test(token)) return undefined;
  const [row] = await house<Row[]>`
    select s.session_id, s.account_id, s.user_id, u.role,
      s.last_used_at < clock_timestamp() - interval '1 minute' as unused
    from sessions s
    join users u on (u.account_id, u.user_id) = (s.account_id, s.user_id)
    join accounts a on a.account_id = s.account_id
    where s.token_hash = ${sha256(token)} and s.revoked_at is null and a.status = 'active'
      and s.last_used_at > clock_timestamp() - make_interval(days => ${IDLE_DAYS})
      and s.created_at > clock_timestamp() - make_interval(days => ${LIFE_DAYS})`;
  if (!row) return undefined;
  if (row.unused) {
    await house`
      update sessions set last_used_at = clock_timestamp()
      where session_id = ${row.session_id}
        and last_used_at < clock_timestamp() - interval '1 minute'`;
  }
  return {
    kind: 'person',
    accountId: row.account_id,
    userId: row.user_id,
    sessionId: row.session_id,
    role: row.role,
  };
}

type Visitor = { accountId: string; userId: string; ip: string; agent: string };

/**
 * Begins a session and returns its token, which is kept nowhere but with the person. The oldest
 * sessions beyond ten end.
 */
export async function startSession(tx: Tx, visitor: Visitor): Promise<string> {
  const { accountId, userId, ip } = visitor;
  const token = `kbs_${randomBytes(32).toString('base64url')}`;
  const agent = visitor.agent.replace(/\p{Cc}/gu, ' ').slice(0, AGENT_LENGTH_MAX);
  await tx`
    select 1 from users where (account_id, user_id) = (${accountId}, ${userId}) for update`;
  await tx`
    insert into sessions (token_hash, session_id, account_id, user_id, agent, ip)
    values (${sha256(token)}, ${newId()}, ${accountId}, ${userId}, ${agent}, ${ip})`;
  await tx`
    update sessions set revoked_at = clock_timestamp()
    where session_id in (
      select session_id from sessions
      where (account_id, user_id) = (${accountId}, ${userId}) and revoked_at is null
      order by created_at desc, session_id desc offset ${SESSIONS_MAX}
    )`;
  return token;
}
