import type { Sql } from '#server/infra/postgres/database.ts';
import { MIGRATION_LOCK } from '#server/infra/postgres/migrations.ts';
import { makeBuckets } from './buckets.ts';
import { readCluster } from '#server/infra/postgres/distribution/cluster.ts';
import { StartError } from '#server/infra/start-error.ts';
import { distributeTables } from './distribute.ts';
import { troubleOf } from './ready.ts';

/**
 * Refuses to start on a distributed database of which a server is away, or not as it should be. Asks one question on
 * one server.
 *
 * @throws StartError with the sentence that says what to do.
 */
export async function requireServers(owner: Sql, url: string): Promise<void> {
  const cluster = await readCluster(owner);
  if (cluster.buckets === 0) return;
  const trouble = await troubleOf(owner, url, cluster);
  if (trouble !== undefined) throw new StartError(trouble);
}

/**
 * Brings what a new version has changed to all servers of a distributed database: new tables are laid out, and the
 * buckets made anew where they are not as they should be. Does nothing on one server. Of several that start at the same
 * time, one does it after the other.
 *
 * @param owner a pool of the database's owner, with one connection.
 * @param url its address, the coordinator's.
 * @returns whether the database is distributed.
 */
export async function followSchema(owner: Sql, url: string): Promise<boolean> {
  const { buckets } = await readCluster(owner);
  if (buckets === 0) return false;
  await owner`select pg_advisory_lock(${MIGRATION_LOCK})`;
  try {
    await distributeTables(owner, buckets);
    await makeBuckets(owner, url);
  } finally {
    await owner`select pg_advisory_unlock(${MIGRATION_LOCK})`;
  }
  return true;
}
