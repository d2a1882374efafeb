import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * In a restored database, has every campaign stand still: what was placed since the backup is not known to it, and would be
 * sent a second time. Their accounts let them go on. @returns how many there are
 */
export async function pauseRestored(owner: Sql): Promise<number> {
  const { count } = await owner`
    update campaigns set status = 'paused', pause_reason = 'restored', owner = null
    where status = 'running'`;
  return count;
}
