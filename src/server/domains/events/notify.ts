import type { Sql } from '#server/infra/postgres/database.ts';

/** The channel on which every process is notified, after COMMIT, whose events have grown. */
export const LIVE_CHANNEL = 'kabari_live';

/** Accounts named in one notification: a NOTIFY carries at most 8,000 bytes. */
const NAMES_MAX = 200;

/** Notifies every process whose events have grown. */
export async function notifyLive(sql: Sql, accounts: ReadonlySet<string>): Promise<void> {
  const names = [...accounts];
  for (let from = 0; from < names.length; from += NAMES_MAX) {
    const payload = names.slice(from, from + NAMES_MAX).join(',');
    await sql`select pg_notify(${LIVE_CHANNEL}, ${payload})`;
  }
}
