import { type Sql, type Tx, openDatabase } from '#server/infra/postgres/database.ts';
import type { As } from '#server/infra/postgres/driver/client.ts';
import type { Tag } from '#server/infra/postgres/sql.ts';

export type Bucket = { number: number; schema: string; host: string; port: number };

/** The table whose shards define the buckets; the shards of all others are colocated with them. */
export const FIRST_TABLE = 'wallets';

export async function onServer<T>(
  url: string,
  who: { as: As; name: string },
  work: (sql: Sql) => Promise<T>,
): Promise<T> {
  const sql = openDatabase(url, { max: 1, ...who });
  try {
    return await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The buckets of a distributed database, ordered by range; none on one server. */
export async function readBuckets(sql: Sql): Promise<readonly Bucket[]> {
  if (!(await isCluster(sql))) return [];
  return sql<Bucket[]>`
    select number::int, 'bucket_' || number as schema, host, port
    from (
      select row_number() over (order by s.shardminvalue::int) as number, n.nodename as host, n.nodeport as port
      from pg_dist_shard s
      join pg_dist_placement p using (shardid)
      join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
      where s.logicalrelid = to_regclass(${`public.${FIRST_TABLE}`})
    ) x order by number`;
}

export type Cluster = {
  version: number | undefined;
  nodes: readonly string[];
  holding: number;
  buckets: number;
};

export async function readCluster(owner: Sql): Promise<Cluster> {
  if (!(await isCluster(owner))) return { version: undefined, nodes: [], holding: 0, buckets: 0 };
  const [citus] = await owner<{ version: string }[]>`
    select extversion as version from pg_extension where extname = 'citus'`;
  const nodes = await owner<{ name: string; holds: boolean }[]>`
    select nodename || ':' || nodeport as name, shouldhaveshards as holds from pg_dist_node
    where isactive and noderole = 'primary' order by groupid`;
  return {
    version: Number.parseFloat(citus?.version ?? '0'),
    nodes: nodes.map(({ name }) => name),
    holding: nodes.filter(({ holds }) => holds).length,
    buckets: (await readBuckets(owner)).length,
  };
}

/**
 * The tables that are distributed over a cluster; none on one server. Citus may know a new table with a foreign key
 * to one of them as local to the coordinator.
 */
export async function readPlaced(tx: Tx): Promise<ReadonlySet<string>> {
  if (!(await isCluster(tx))) return new Set();
  const placed = await tx<{ name: string }[]>`
    select logicalrelid::text as name from pg_dist_partition
    where not (partmethod = 'n' and repmodel = 's' and colocationid = 0)`;
  return new Set(placed.map(({ name }) => name));
}

async function isCluster(sql: Tag): Promise<boolean> {
  const [found] = await sql<{ yes: boolean }[]>`
    select to_regclass('pg_catalog.pg_dist_partition') is not null as yes`;
  return found?.yes ?? false;
}

const ACCOUNTS_MAX = 100_000;

/** Cached, because an account's bucket does not change while the application runs. */
export function openBucketNumbers(coordinator: Sql): (accountId: string) => Promise<number> {
  const known = new Map<string, Promise<number>>();
  const ask = async (accountId: string) => {
    const [row] = await coordinator<{ number: number }[]>`
      with mine as (
        select shardminvalue::int as since from pg_dist_shard
        where shardid = get_shard_id_for_distribution_column(${FIRST_TABLE}::regclass, ${accountId}::uuid)
      )
      select count(*)::int as number from pg_dist_shard s, mine
      where s.logicalrelid = ${FIRST_TABLE}::regclass and s.shardminvalue::int <= mine.since`;
    if (!row) throw new Error('an account lies in no bucket');
    return row.number;
  };
  return (accountId) => {
    const before = known.get(accountId);
    if (before) return before;
    if (known.size >= ACCOUNTS_MAX) known.clear();
    const bucketNumber = ask(accountId);
    known.set(accountId, bucketNumber);
    bucketNumber.catch(() => known.delete(accountId));
    return bucketNumber;
  };
}

const SETTINGS = [
  // Propagates `SET LOCAL` to other nodes within a transaction.
  'citus.propagate_set_commands=local',
  // Allows triggers of reference tables to write other reference tables.
  'citus.enable_unsafe_triggers=on',
  'citus.allow_nested_distributed_execution=on',
];

const withSettings = (url: string, settings: readonly string[]): string => {
  const address = new URL(url);
  const options = address.searchParams.get('options') ?? '';
  address.searchParams.set(
    'options',
    [options, ...settings.map((one) => `-c ${one}`)].join(' ').trim(),
  );
  return address.href;
};

export const coordinatorUrl = (url: string): string =>
  withSettings(url, [...SETTINGS, 'plan_cache_mode=force_custom_plan']);

export const bucketUrl = (url: string, { host, port, schema }: Bucket): string =>
  withSettings(atNode(url, { host, port }), [
    ...SETTINGS,
    `search_path=${schema},public`,
    'citus.enable_manual_changes_to_shards=on',
  ]);

function atNode(url: string, { host, port }: { host: string; port: number }): string {
  const address = new URL(url);
  address.host = `${host}:${port}`;
  return address.href;
}

export async function readNodes(sql: Sql, url: string): Promise<readonly string[]> {
  const nodes = await sql<{ host: string; port: number }[]>`
    select nodename as host, nodeport as port from pg_dist_node
    where isactive and noderole = 'primary' order by groupid`;
  return nodes.map((node) => atNode(url, node));
}
