import { type Sql, retrying } from '#server/platform/database.ts';

/** Messages withdrawn in one call. */
const BATCH = 500;

/**
 * Ends messages whose `ttl` has passed before they left, and gives their price back. A lane that runs
 * finds them by itself; this is for lanes whose phone is away. Called by a job, every minute.
 */
export async function expireMessages(house: Sql): Promise<void> {
  for (;;) {
    const due = await house<{ account_id: string; message_id: string }[]>`
      select account_id, message_id from dispatch
      where expires_at <= clock_timestamp() and state = 'ready'
      order by expires_at limit ${BATCH}`;
    for (const [accountId, rows] of Map.groupBy(due, (row) => row.account_id)) {
      const ids = rows.map((row) => row.message_id);
      await retrying(
        () => house`select withdraw_messages(${accountId}, ${ids}::uuid[], 'expired')`,
      );
    }
    if (due.length < BATCH) return;
  }
}
