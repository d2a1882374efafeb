import type { Tx } from '#server/infra/postgres/database.ts';
import { onServer } from '#server/infra/postgres/distribution/cluster.ts';
import type { Objects } from './objects.ts';

/** Gives a node what Citus does not bring there by itself. Safe to repeat. */
export const prepareNode = (url: string, grants: Objects['columnGrants']): Promise<void> =>
  onServer(url, { as: 'owner', name: 'buckets' }, (node) =>
    node.begin(async (tx) => {
      await tx.query(`set local citus.enable_ddl_propagation = off;
        set local citus.enable_manual_changes_to_shards = on;
        set local citus.override_table_visibility = off`);
      await grantColumns(tx, grants);
      await keepInRange(tx);
      await letTablesGrow(tx);
    }),
  );

/** The grants of single columns. */
async function grantColumns(tx: Tx, grants: Objects['columnGrants']): Promise<void> {
  const shards = await tx<{ table: string; shard: string }[]>`
    select s.logicalrelid::text as table, shard_name(s.logicalrelid, s.shardid) as shard
    from pg_dist_shard s where to_regclass(shard_name(s.logicalrelid, s.shardid)) is not null`;
  for (const { table, words } of grants) {
    for (const { shard } of shards.filter((one) => one.table === table)) {
      await tx.query(words.replace(' SHARD ', ` ${shard} `));
    }
  }
}

/**
 * Nothing is stored where its account does not lie, whatever the application takes for its bucket. Partitions have the
 * check, and not the table that they are of: it would ask new ones for it before they are there.
 */
async function keepInRange(tx: Tx): Promise<void> {
  const shards = await tx<{ shard: string; since: string; until: string }[]>`
    select shard_name(logicalrelid, shardid) as shard, shardminvalue as since, shardmaxvalue as until
    from pg_dist_shard
    join pg_class c on c.oid = to_regclass(shard_name(logicalrelid, shardid)) and c.relkind = 'r'
    where shardminvalue is not null
      and not exists (select from pg_constraint where conrelid = c.oid and conname = 'lies_here')`;
  for (const { shard, since, until } of shards) {
    await tx.query(`alter table ${shard} add constraint lies_here
      check (uuid_hash(account_id) between ${since} and ${until})`);
  }
}

/**
 * Who adds to a table that each node has whole locks it on all of them, for which Citus asks the right to change it.
 * The table has it here; its shard, where the rows are, has not.
 */
async function letTablesGrow(tx: Tx): Promise<void> {
  const growing = await tx<{ name: string }[]>`
    select logicalrelid::text as name from pg_dist_partition
    where partmethod = 'n' and has_table_privilege('kabari_app', logicalrelid, 'insert')
      and not has_table_privilege('kabari_app', logicalrelid, 'update, delete')`;
  for (const { name } of growing) await tx.query(`grant update on ${name} to kabari_app`);
}
