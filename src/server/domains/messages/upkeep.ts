import type { Sql } from '#server/infra/postgres/database.ts';
import { untilNone } from '#server/infra/account-data.ts';

/** Partitions of `messages` for this month and the three that follow. */
export async function ensurePartitions(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`select ensure_message_partitions(clock_timestamp(), 3)`;
}

/** Forgets request keys and refs after 30 days, a few thousand rows at a time. */
export async function pruneRequests(allAccountsSql: Sql): Promise<void> {
  const before = allAccountsSql`clock_timestamp() - interval '30 days'`;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from request_keys where (account_id, token_id, key) in (
        select account_id, token_id, key from request_keys where created_at < ${before}
        limit ${limit})`;
    return count;
  });
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from message_refs where (account_id, ref) in (
        select account_id, ref from message_refs where created_at < ${before} limit ${limit})`;
    return count;
  });
}
