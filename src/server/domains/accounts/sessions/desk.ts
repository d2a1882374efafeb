import type { SessionRow } from '#contract/people.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { type StoredSession, sessionRow } from './row.ts';
import { isActiveSession } from './sessions.ts';

/** The active sessions of an account's people, by last use; for operators. */
export async function sessionsOfAccount(sql: Sql, accountId: string): Promise<SessionRow[]> {
  const rows = await sql<StoredSession[]>`
    select session_id as id, agent, ip, created_at as created, last_used_at as used
    from sessions where account_id = ${accountId} and ${isActiveSession(sql)}
    order by last_used_at desc, session_id desc limit 20`;
  return rows.map((row) => sessionRow(row));
}

/**
 * Ends a session of an account, or all; their browsers become unknown, so that who signs in there needs a
 * code. Call `sessions.evict` with the result after COMMIT.
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
