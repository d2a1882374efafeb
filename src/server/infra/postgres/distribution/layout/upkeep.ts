import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { MIGRATION_LOCK } from '#server/infra/postgres/migrations.ts';
import { makeBuckets } from './buckets.ts';
import {
  readCluster,
  type Cluster,
  onServer,
  readNodes,
  readPlaced,
} from '#server/infra/postgres/distribution/cluster.ts';
import { StartError } from '#server/infra/start-error.ts';
import { onlyHere } from './commands.ts';

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

/** What a cluster is made of is tried with this one; older ones lack tables that lie whole on one node. */
const CITUS_MIN = 13;

const PAGE = 'docs/running/distributed.md';
const NAME = 'db:distribute';

/**
 * Why a database cannot be distributed yet, or not be worked with where it is.
 *
 * @param url the coordinator's address, as the owner.
 * @returns one sentence that says what to do; undefined where everything is there.
 */
export async function troubleOf(
  owner: Sql,
  url: string,
  cluster: Cluster,
): Promise<string | undefined> {
  const { version, nodes, holding } = cluster;
  if (version === undefined) {
    return `The database has no extension citus: ${PAGE} says how a cluster is made.`;
  }
  if (version < CITUS_MIN) {
    return `The cluster has Citus ${version}; Kabari needs ${CITUS_MIN} or newer.`;
  }
  if (nodes.length < 2 || holding === 0) {
    return `The cluster has no second server that keeps shards: add one by citus_add_node (${PAGE}).`;
  }
  for (const node of await readNodes(owner, url)) {
    const trouble = await troubleAt(node);
    if (trouble !== undefined) return trouble;
  }
  return (await troubleOfNew(owner)) ?? troubleBetween(url);
}

/** `missing`: roles that are not there; `apart`: grants that are not. */
type NodeFacts = { missing: string[]; apart: string[] };

/** What is missing on one node. */
async function troubleAt(url: string): Promise<string | undefined> {
  const { host } = new URL(url);
  try {
    const { missing, apart } = await onServer(url, { as: 'owner', name: NAME }, readFacts);
    const [role] = missing;
    if (role !== undefined) {
      return `The role ${role} is missing on ${host} or may not log in there: ${PAGE} has the statements.`;
    }
    const [grant] = apart;
    return grant && `A grant is missing on ${host}: ${grant}; (${PAGE} has all of them).`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `The server ${host} cannot be reached as the user of DATABASE_URL (${why}).`;
  }
}

async function readFacts(node: Sql): Promise<NodeFacts> {
  const [facts] = await node<NodeFacts[]>`
    select
      array(
        select role from unnest(array['kabari_app', 'kabari_all']) as asked(role)
        where not exists (select from pg_roles where rolname = role and rolcanlogin)
      ) as missing,
      array(
        select format('grant %I to %I', role, to_role)
        from (values
          ('kabari_app', current_user::text), ('kabari_all', current_user::text),
          ('kabari_app', 'kabari_all')
        ) as asked(role, to_role)
        join pg_roles r on r.rolname = role
        join pg_roles m on m.rolname = to_role
        where not pg_has_role(m.oid, r.oid, 'member')
      ) as apart`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}

/** The server that was added and has not been given the tables that each one has whole. */
async function troubleOfNew(owner: Sql): Promise<string | undefined> {
  const [bare] = await owner<{ name: string }[]>`
    select nodename || ':' || nodeport as name from pg_dist_node n
    where isactive and noderole = 'primary' and groupid <> 0 and exists (
      select from pg_dist_shard s
      join pg_dist_partition p on p.logicalrelid = s.logicalrelid
        and p.partmethod = 'n' and p.repmodel = 't'
      where s.shardid not in (select shardid from pg_dist_placement l where l.groupid = n.groupid)
    ) limit 1`;
  return (
    bare &&
    `The server ${bare.name} does not have the tables yet that each server has whole: let the rebalancing end first (${PAGE}, "Another server").`
  );
}

/** Whether nodes reach each other as each role that works: transactions go along as the one that began them. */
async function troubleBetween(url: string): Promise<string | undefined> {
  for (const as of ['owner', 'tenant', 'all accounts'] as const) {
    const [apart] = await onServer(
      url,
      { as, name: NAME },
      async (sql) =>
        sql<{ one: string; other: string; role: string }[]>`
        select from_nodename || ':' || from_nodeport as one, to_nodename || ':' || to_nodeport as other,
          current_user as role
        from citus_check_cluster_node_health() where result is not true limit 1`,
    );
    if (apart) {
      return `${apart.one} does not reach ${apart.other} as ${apart.role}: pg_hba.conf there must let it in (${PAGE}).`;
    }
  }
  return undefined;
}

/**
 * Lays the tables out over the nodes of the cluster, in one transaction: whatever breaks it off leaves everything as
 * it was. Tables that lie there already stay; a new version may have brought more.
 *
 * @param owner the pool of the database's owner, at the coordinator.
 * @param shards how many shards each table has; tables that come later have as many as the first ones.
 * @returns the names of the tables laid out now.
 */
export async function distributeTables(owner: Sql, shards: number): Promise<readonly string[]> {
  return owner.begin(async (tx) => {
    await tx.query(`set local search_path = public;
      set local client_min_messages = warning;
      set local citus.multi_shard_modify_mode = 'sequential';
      set local citus.enable_unsafe_triggers = on;
      set local citus.shard_count = ${shards}`);
    const plan = await readPlan(tx);
    const placed = await readPlaced(tx);
    const isNew = (table: string) => !placed.has(table);
    const first = besideWhich(plan.distributed, placed);
    await replacePolicies(tx);
    const keys = await dropForeignKeys(tx, plan, isNew);
    const triggers = await dropTriggers(tx, isNew);
    for (const name of plan.reference.filter(isNew)) {
      await tx.query(`select create_reference_table('${name}')`);
    }
    for (const group of plan.single) {
      const only = besideWhich(group, placed);
      for (const name of group.filter(isNew)) {
        const beside = name === only ? 'none' : only;
        await tx.query(
          `select create_distributed_table('${name}', null, colocate_with => '${beside}')`,
        );
      }
    }
    for (const name of plan.distributed.filter(isNew)) {
      const beside = name === first ? '' : `, colocate_with => '${first}'`;
      await tx.query(`select create_distributed_table('${name}', 'account_id'${beside})`);
    }
    const laid = [...plan.reference, ...plan.single.flat(), ...plan.distributed].filter(isNew);
    for (const name of laid) {
      // What was here before is a copy that nobody would erase.
      await tx.query(`select truncate_local_data_after_distributing_table('${name}')`);
    }
    for (const { one, name, definition } of keys) {
      await tx.query(`alter table ${one} add constraint ${name} ${definition}`);
    }
    for (const definition of triggers) await tx.query(definition);
    return laid;
  });
}

/** The table beside whose shards those of the others are laid. */
const besideWhich = (tables: readonly string[], placed: ReadonlySet<string>): string =>
  tables.find((name) => placed.has(name)) ?? tables[0] ?? '';

type Key = { one: string; other: string; name: string; definition: string };

/** Drops the foreign keys from and to new tables, and returns those of them that a cluster can hold. */
async function dropForeignKeys(
  tx: Tx,
  { distributed, single }: Plan,
  isNew: (table: string) => boolean,
): Promise<readonly Key[]> {
  const keys = await tx<Key[]>`
    select conrelid::regclass::text as one, confrelid::regclass::text as other, conname as name,
      pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
    -- Keys of shards go with those of their tables; shards are not seen here.
    join pg_class c on c.oid = k.conrelid
    where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`;
  const concerned = keys.filter(({ one, other }) => isNew(one) || isNew(other));
  for (const { one, name } of concerned) {
    const drop = `alter table ${one} drop constraint ${name}`;
    // The key of a table that lies there already has not come to its shards yet.
    await (isNew(one) ? tx.query(drop) : onlyHere(tx, drop));
  }
  const isSpread = (table: string) => distributed.includes(table);
  const isSingle = (table: string) => single.flat().includes(table);
  return concerned.filter(
    ({ one, other, definition }) =>
      (!isSpread(other) && !isSingle(other) && !isSingle(one)) ||
      (isSpread(one) && /\(.*account_id.*\).*\(.*account_id.*\)/.test(definition)),
  );
}

/** Drops the triggers of new tables, which would run for each row that is brought to its shard; returns how to make them. */
async function dropTriggers(tx: Tx, isNew: (table: string) => boolean): Promise<readonly string[]> {
  const triggers = await tx<{ table: string; name: string; definition: string }[]>`
    select c.relname as table, t.tgname as name, pg_get_triggerdef(t.oid) as definition
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
    order by t.oid`;
  const concerned = triggers.filter(({ table }) => isNew(table));
  for (const { table, name } of concerned) await tx.query(`drop trigger ${name} on ${table}`);
  return concerned.map(({ definition }) => definition);
}

type Policy = {
  table: string;
  name: string;
  as: string;
  roles: string[];
  command: string;
  using: string | null;
  check: string | null;
};

/** Other nodes take no policy with a sub-select, and who sees all accounts is known there by the role alone. */
async function replacePolicies(tx: Tx): Promise<void> {
  const policies = await tx<Policy[]>`
    select tablename as table, policyname as name, permissive as as, roles::text[] as roles, cmd as command,
      qual as using, with_check as check
    from pg_policies
    where schemaname = 'public' and (qual like '%SELECT%' or with_check like '%SELECT%')`;
  for (const { table, name, as, roles, command, using, check } of policies) {
    await tx.query(`drop policy ${name} on ${table};
      create policy ${name} on ${table} as ${as} for ${command} to ${roles.join()}
        ${using === null ? '' : `using (${withoutSelect(using)})`}
        ${check === null ? '' : `with check (${withoutSelect(check)})`}`);
  }
  const [left] = await tx<{ table: string }[]>`
    select tablename as table from pg_policies
    where schemaname = 'public' and (qual like '%SELECT%' or with_check like '%SELECT%')`;
  if (left) throw new Error(`a policy of ${left.table} cannot stand on other nodes`);
}

const withoutSelect = (condition: string): string =>
  condition
    .replaceAll(/\( SELECT (\w+\(\)) AS \w+\)/g, '$1')
    .replaceAll('sees_all()', "current_user = 'kabari_all'");

/** How a cluster keeps each table. */
type Plan = {
  /** Spread over the nodes by their account. Tables that are referred to come first. */
  distributed: readonly string[];
  /** Whole on each node: what names no account, or must be unique over all accounts. */
  reference: readonly string[];
  /** Whole on one node, those of a group together: see `OF_FUNCTIONS` and `SIMULATED`. */
  single: readonly (readonly string[])[];
};

/**
 * Unique over all accounts, and written by functions of the owner. In one transaction a cluster lets one role write
 * what lies together, and what lies on each node does: so these lie apart from what the application's roles write.
 */
const OF_FUNCTIONS = [
  'provider_payments',
  'refunds',
  'invoice_counters',
  'invoice_refs',
  'adjustments',
  'reserved_transfers',
];

/**
 * Written by everybody, all the time: as real phones do, these stand outside. Whole on each node, who writes to one of
 * them would wait for whoever works on what is due in another.
 */
const SIMULATED = ['sim_phones', 'sim_lines', 'sim_due'];

/** Small, and asked for by what concerns other accounts: who the operators are, who is at which number. */
const KNOWN_EVERYWHERE = ['accounts', 'users'];

/** Reads the plan from the catalog: a table is spread where each row, and each unique key, names the account. */
export async function readPlan(tx: Tx): Promise<Plan> {
  const tables = await tx<{ name: string; isSpread: boolean }[]>`
    select c.oid::regclass::text as name,
      a.attnum is not null and not exists (
        select from pg_index i
        where i.indrelid = c.oid and i.indisunique and a.attnum <> all(i.indkey::int2[])
      ) as "isSpread"
    from pg_class c
    left join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id' and a.attnotnull
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.oid`;
  const named = (isSpread: boolean) =>
    tables
      .filter((table) => isSpread === (table.isSpread && !KNOWN_EVERYWHERE.includes(table.name)))
      .map(({ name }) => name);
  const single = [OF_FUNCTIONS, SIMULATED];
  return {
    distributed: named(true),
    reference: named(false).filter((name) => !single.flat().includes(name)),
    single,
  };
}
