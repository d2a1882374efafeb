import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * Which of these sessions still stand, in one look-up for all: for streams that stay open for hours and
 * must end soon after their session does.
 */
export async function aliveSessions(
  allAccountsSql: Sql,
  sessionIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const alive = await allAccountsSql<{ session_id: string }[]>`
    select s.session_id from sessions s join accounts a on a.account_id = s.account_id
    where s.session_id = any(${sessionIds as string[]}::uuid[])
      and s.revoked_at is null and a.status = 'active'`;
  return new Set(alive.map(({ session_id }) => session_id));
}
