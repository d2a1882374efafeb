import type { Sql } from '#server/infra/postgres/database.ts';
import { onServer, readNodes } from '#server/infra/postgres/distribution/cluster.ts';

export type RowCounts = ReadonlyMap<string, number>;

/** Counts the rows of all tables on all nodes. Only useful while no other work writes to them. */
export async function countRows(owner: Sql): Promise<RowCounts> {
  const tables = await owner<{ name: string }[]>`
    select relname as name from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by relname`;
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const [row] = await owner.query<{ rows: string }[]>(`select count(*) as rows from "${name}"`);
    counts.set(name, Number(row?.rows));
  }
  return counts;
}

/**
 * @param coordinatorUrl the coordinator's address, as the owner.
 * @param before the counts before it was distributed.
 * @returns a line for each difference on any node.
 */
export async function verifyDistribution(
  owner: Sql,
  coordinatorUrl: string,
  before: RowCounts,
): Promise<readonly string[]> {
  const found = [...differences('the cluster', before, await countRows(owner))];
  const kinds = await owner<{ name: string; isSpread: boolean; isWhole: boolean }[]>`
    select logicalrelid::text as name, partmethod = 'h' as "isSpread",
      partmethod = 'n' and repmodel = 't' as "isWhole"
    from pg_dist_partition`;
  const only = (isWanted: (kind: (typeof kinds)[number]) => boolean): RowCounts => {
    const names = new Set(kinds.filter(isWanted).map(({ name }) => name));
    return new Map([...before].filter(([name]) => names.has(name)));
  };
  const whole = only(({ isWhole }) => isWhole);
  const spread = new Map<string, number>();
  for (const url of await readNodes(owner, coordinatorUrl)) {
    const node = await readNode(url);
    found.push(...node.unguarded.map((shard) => `${node.name}: ${shard} lacks policies or keys`));
    found.push(...differences(node.name, whole, node.whole));
    for (const [name, rows] of node.spread) spread.set(name, (spread.get(name) ?? 0) + rows);
  }
  return [
    ...found,
    ...differences(
      'the buckets',
      only(({ isSpread }) => isSpread),
      spread,
    ),
  ];
}

function* differences(where: string, expected: RowCounts, found: RowCounts): Generator<string> {
  for (const [name, rows] of expected) {
    const there = found.get(name);
    if (there === undefined) yield `${where}: ${name} is not there`;
    else if (there !== rows) yield `${where}: ${name} has ${there} rows, and had ${rows}`;
  }
}

type Node = {
  name: string;
  spread: RowCounts;
  whole: RowCounts;
  unguarded: readonly string[];
};

const readNode = (url: string): Promise<Node> =>
  onServer(url, { as: 'owner', name: 'db:distribute' }, (node) =>
    node.begin(async (tx) => {
      await tx.query('set local citus.override_table_visibility = off');
      const shards = await tx<
        { table: string; shard: string; isSpread: boolean; isWhole: boolean; isGuarded: boolean }[]
      >`
        select shell.relname as table, c.relname as shard, p.partmethod = 'h' as "isSpread",
          p.partmethod = 'n' and p.repmodel = 't' as "isWhole",
          c.relrowsecurity = shell.relrowsecurity
            and (select count(*) from pg_policy where polrelid = c.oid)
              = (select count(*) from pg_policy where polrelid = shell.oid)
            and (select count(*) from pg_constraint where conrelid = c.oid and contype = 'f')
              >= (select count(*) from pg_constraint where conrelid = shell.oid and contype = 'f')
            as "isGuarded"
        from pg_dist_shard s
        join pg_dist_partition p using (logicalrelid)
        join pg_class shell on shell.oid = s.logicalrelid and not shell.relispartition
        join pg_class c on c.oid = to_regclass(shard_name(s.logicalrelid, s.shardid))`;
      const [spread, whole] = [new Map<string, number>(), new Map<string, number>()];
      for (const { table, shard, isSpread, isWhole } of shards) {
        const counts = isSpread ? spread : whole;
        if (!isSpread && !isWhole) continue;
        const [row] = await tx.query<{ rows: string }[]>(`select count(*) as rows from "${shard}"`);
        counts.set(table, (counts.get(table) ?? 0) + Number(row?.rows));
      }
      const unguarded = shards.filter(({ isGuarded }) => !isGuarded).map(({ shard }) => shard);
      return { name: new URL(url).host, spread, whole, unguarded };
    }),
  );
