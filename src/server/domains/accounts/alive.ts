import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * Which of these sessions are active, in one query: live streams stay open for hours and must end soon
 * after their session does.
 */
export async function activeSessions(
  allAccountsSql: Sql,
  sessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const active = await allAccountsSql<{ session_id: string }[]>`
    select s.session_id from sessions s join accounts a on a.account_id = s.account_id
    where s.session_id = any(${sessionIds}::uuid[])
      and s.revoked_at is null and a.status <> 'closed'`;
  return new Set(active.map(({ session_id }) => session_id));
}
