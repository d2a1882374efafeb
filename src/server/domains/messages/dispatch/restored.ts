import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * In a restored database, whatever was to leave between its backup and now may have left: what it is sent with
 * says so (`possible_duplicate`), and what is too old by now ends as `no_answer`, which a receipt corrects
 * (docs/decisions/022-what-may-have-left.md). What was being sent is recovered as after a crash; what is due
 * later has not left.
 *
 * @param owner a pool of the database's owner; no worker runs.
 * @returns how many messages there are.
 */
export async function markMayHaveLeft(owner: Sql): Promise<number> {
  const marked = await owner`
    update dispatch
    set unknowns = greatest(unknowns, 1), unsure_until = coalesce(unsure_until, clock_timestamp())
    where state <> 'sending' and outcome is null
      and (ready_at <= clock_timestamp() or expires_at <= clock_timestamp())
    returning 1`;
  return marked.length;
}
