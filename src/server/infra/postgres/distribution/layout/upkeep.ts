import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { MIGRATION_LOCK } from '#server/infra/postgres/migrations.ts';
import {
  readCluster,
  type Cluster,
  onServer,
  readNodes,
  readPlaced,
  type Bucket,
  FIRST_TABLE,
  bucketUrl,
  readBuckets,
} from '#server/infra/postgres/distribution/cluster.ts';
import { StartError } from '#server/infra/start-error.ts';
import { onlyHere } from './commands.ts';
import { createHash } from 'node:crypto';

/**
 * @throws StartError if a server of a distributed database is unreachable or misconfigured, with a sentence on what to
 *   do.
 */
export async function requireServers(owner: Sql, url: string): Promise<void> {
  const cluster = await readCluster(owner);
  if (cluster.buckets === 0) return;
  const trouble = await troubleOf(owner, url, cluster);
  if (trouble !== undefined) throw new StartError(trouble);
}

/**
 * Distributes new tables and recreates outdated buckets. Does nothing on one server. Concurrent starts take turns.
 *
 * @param owner with one connection.
 * @param url the coordinator's address, as the owner.
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

/** The oldest tested version; older ones lack tables that are whole on one node. */
const CITUS_MIN = 13;

const PAGE = 'docs/running/distributed.md';
const NAME = 'db:distribute';

/**
 * @param url the coordinator's address, as the owner.
 * @returns one sentence on what to do; undefined if the database can be distributed or used.
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

/** `missing`: absent roles; `apart`: absent grants. */
type NodeFacts = { missing: string[]; apart: string[] };

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

/** Checks each role, because transactions propagate as the role that began them. */
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
 * All in one transaction. Skips tables that are distributed already; a new version may have added others.
 *
 * @param shards number of shards per table; later tables get as many as the first ones.
 * @returns the names of the tables distributed now.
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
    const first = colocationTableOf(plan.distributed, placed);
    await replacePolicies(tx);
    const keys = await dropForeignKeys(tx, plan, isNew);
    const triggers = await dropTriggers(tx, isNew);
    for (const name of plan.reference.filter(isNew)) {
      await tx.query(`select create_reference_table('${name}')`);
    }
    for (const group of plan.single) {
      const only = colocationTableOf(group, placed);
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
      // The local rows are now a copy that would never be erased.
      await tx.query(`select truncate_local_data_after_distributing_table('${name}')`);
    }
    for (const { one, name, definition } of keys) {
      await tx.query(`alter table ${one} add constraint ${name} ${definition}`);
    }
    for (const definition of triggers) await tx.query(definition);
    return laid;
  });
}

const colocationTableOf = (tables: readonly string[], placed: ReadonlySet<string>): string =>
  tables.find((name) => placed.has(name)) ?? tables[0] ?? '';

type Key = { one: string; other: string; name: string; definition: string };

async function dropForeignKeys(
  tx: Tx,
  { distributed, single }: Plan,
  isNew: (table: string) => boolean,
): Promise<readonly Key[]> {
  const keys = await tx<Key[]>`
    select conrelid::regclass::text as one, confrelid::regclass::text as other, conname as name,
      pg_get_constraintdef(k.oid) as definition
    from pg_constraint k
    -- Shards are not visible here; their keys go with those of their tables.
    join pg_class c on c.oid = k.conrelid
    where contype = 'f' and conparentid = 0 and connamespace = 'public'::regnamespace`;
  const concerned = keys.filter(({ one, other }) => isNew(one) || isNew(other));
  for (const { one, name } of concerned) {
    const drop = `alter table ${one} drop constraint ${name}`;
    // The foreign key of an already distributed table has not reached its shards yet.
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

/** Triggers of new tables would run for each copied row. @returns their definitions. */
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

/**
 * Other nodes reject policies with a sub-select; there the role alone tells who sees all accounts.
 */
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

type Plan = {
  /** Distributed by account. Referenced tables come first. */
  distributed: readonly string[];
  /** Copied to each node: tables without an account, or with keys unique over all accounts. */
  reference: readonly string[];
  single: readonly (readonly string[])[];
};

/**
 * Unique over all accounts, and written by functions of the owner. In one transaction a cluster allows writes to a
 * colocation group by one role only, and all reference tables are one group: so these are kept apart from the tables
 * written by the application's roles.
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
 * Written constantly for all accounts; like real phones, they are outside of the accounts. If they were
 * reference tables, a write to one of them would wait for work on due items in another.
 */
const SIMULATED = ['sim_phones', 'sim_lines', 'sim_events'];

/** Small, and needed by other accounts' work: the operators, and the users of numbers. */
const KNOWN_EVERYWHERE = ['accounts', 'users'];

/** A table is distributed by account if each row and each unique key includes the account. */
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

/** Increase it if this file or `nodes.ts` builds buckets differently from the same objects. */
const BUCKET_VERSION = 2;

/**
 * A bucket's schema has views on its shards, and copies of the views and functions of `public`, which then use them.
 *
 * @param coordinatorUrl the coordinator's address, as the owner.
 * @param anew also recreates buckets that are up to date.
 */
export async function makeBuckets(
  owner: Sql,
  coordinatorUrl: string,
  { anew = false } = {},
): Promise<readonly Bucket[]> {
  const buckets = await readBuckets(owner);
  const objects = await readObjects(owner);
  const made = createHash('sha256')
    .update(JSON.stringify({ WAY: BUCKET_VERSION, objects }))
    .digest('hex');
  const stale: Bucket[] = [];
  for (const bucket of buckets) {
    const found = await inBucketAsOwner(coordinatorUrl, bucket, (node) => markOf(node, bucket));
    if (anew || found !== markWith(made, viewsIn(objects, bucket))) stale.push(bucket);
  }
  for (const url of await readNodes(owner, coordinatorUrl)) {
    await prepareNode(url, stale.length === 0 ? [] : objects.columnGrants);
  }
  for (const bucket of stale) {
    await inBucketAsOwner(coordinatorUrl, bucket, (node) =>
      node.begin(async (tx) => {
        await makeBucket(tx, bucket, objects);
        await tx.query(`comment on schema ${bucket.schema} is '${made}'`);
      }),
    );
  }
  return buckets;
}

const markWith = (made: string, views: number): string => `${made} ${views}`;

const viewsIn = ({ shards, views }: Objects, { number }: Bucket): number =>
  shards.filter(({ bucket }) => bucket === number).length + views.length;

/** Includes the number of views: shards that are moved take their views along. */
async function markOf(node: Sql, { schema }: Bucket): Promise<string> {
  const [found] = await node<{ made: string | null; views: number }[]>`
    select obj_description(to_regnamespace(${schema})::oid, 'pg_namespace') as made, (
      select count(*)::int from pg_class
      where relnamespace = to_regnamespace(${schema}) and relkind = 'v'
    ) as views`;
  return markWith(found?.made ?? '', found?.views ?? 0);
}

const inBucketAsOwner = <T>(
  coordinatorUrl: string,
  bucket: Bucket,
  work: (node: Sql) => Promise<T>,
): Promise<T> =>
  onServer(bucketUrl(coordinatorUrl, bucket), { as: 'owner', name: 'buckets' }, work);

async function makeBucket(tx: Tx, { number, schema }: Bucket, objects: Objects): Promise<void> {
  await tx.query(`
    set local citus.enable_ddl_propagation = off;
    set local citus.enable_manual_changes_to_shards = on;
    set local check_function_bodies = off;
    set local client_min_messages = warning;
    drop schema if exists ${schema} cascade;
    create schema ${schema};
    grant usage on schema ${schema} to kabari_app`);
  const mine = objects.shards.filter(({ bucket }) => bucket === number);
  const watched = new Set(objects.triggers.map(({ table }) => table));
  for (const { table, shard } of mine) {
    // With ctid, by which old rows are deleted in batches; a trigger would see it as a column.
    const columns = watched.has(table) ? '*' : '*, ctid';
    await tx.query(`
      create view ${schema}.${table} with (security_invoker = true)
        as select ${columns} from public.${shard};
      grant select, insert, update, delete on ${schema}.${table} to kabari_app`);
  }
  await tx.query(`set local search_path = ${schema}, public`);
  for (const { name, definition } of objects.views) {
    await tx.query(`
      create view ${schema}.${name} with (security_invoker = true) as ${definition};
      grant select on ${schema}.${name} to kabari_app`);
  }
  await tx.query(twoPhaseFunction(schema, await unusedAccountIn(tx, number)));
  const touchesReference = ofAny(objects.reference);
  const reachesOut = new RegExp(`${ofAny(objects.single).source}|set_config\\('search_path'`);
  for (const { name, definition, grants } of objects.functions) {
    const moved = movedTo(schema, definition, touchesReference);
    await tx.query(reachesOut.test(definition) ? withTwoPhaseCommit(schema, moved) : moved);
    if (!grants) continue;
    await tx.query(`revoke all on function ${schema}.${name} from public`);
    for (const role of grants) {
      await tx.query(`grant execute on function ${schema}.${name} to ${role}`);
    }
  }
  const shardOf = new Map(mine.map(({ table, shard }) => [table, shard]));
  for (const { table, definition } of objects.triggers) {
    const shard = shardOf.get(table);
    if (shard !== undefined) await tx.query(triggerOn(schema, shard, { table, definition }));
  }
}

const ofAny = (tables: readonly string[]): RegExp => new RegExp(`\\b(?:${tables.join('|')})\\b`);

const IN_TWO_PHASES = 'commit_in_two_phases';

/**
 * A function that makes a transaction commit in two phases. Its writes bypass Citus, which would see only the writes
 * to one other server and commit them there first: if this server then fails to commit, only those would remain. A
 * command on a local shard that affects no row informs Citus.
 */
const twoPhaseFunction = (schema: string, accountId: string): string => `
  create function ${schema}.${IN_TWO_PHASES}() returns void
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    delete from public.${FIRST_TABLE} where account_id = '${accountId}';
  end
  $$;
  revoke all on function ${schema}.${IN_TWO_PHASES} from public`;

async function unusedAccountIn(tx: Tx, number: number): Promise<string> {
  const [found] = await tx<{ id: string }[]>`
    with range as (
      select shardminvalue::int as since, shardmaxvalue::int as until from pg_dist_shard
      where logicalrelid = ${`public.${FIRST_TABLE}`}::regclass
      order by shardminvalue::int offset ${number - 1} limit 1
    )
    select id from (select gen_random_uuid() as id from generate_series(1, 5000)) x, range
    where uuid_hash(id) between since and until limit 1`;
  if (!found) throw new Error(`no account lies in bucket ${number}`);
  return found.id;
}

function withTwoPhaseCommit(schema: string, definition: string): string {
  const begin = /^begin$/m;
  if (!begin.test(definition)) throw new Error(`a function has no begin:\n${definition}`);
  return definition.replace(begin, `begin\n  perform ${schema}.${IN_TWO_PHASES}();`);
}

function movedTo(schema: string, definition: string, touchesReference: RegExp): string {
  const moved = definition
    .replace('FUNCTION public.', `FUNCTION ${schema}.`)
    .replace(/^ SET search_path TO .*$/m, ` SET search_path TO '${schema}', 'public', 'pg_temp'`);
  const generic = /^ SET plan_cache_mode TO .*\n/m;
  return touchesReference.test(definition) ? moved.replace(generic, '') : moved;
}

/** The trigger's name on a shard has the shard's number. */
function triggerOn(
  schema: string,
  shard: string,
  { table, definition }: { table: string; definition: string },
): string {
  const number = shard.slice(shard.lastIndexOf('_'));
  return definition
    .replace(
      /^CREATE TRIGGER (\S+)/,
      (_, name: string) => `CREATE OR REPLACE TRIGGER ${name}${number}`,
    )
    .replace(` ON public.${table} `, ` ON public.${shard} `)
    .replace(/EXECUTE FUNCTION (?:public\.)?/, `EXECUTE FUNCTION ${schema}.`);
}

/** Creates what Citus does not propagate to a node. Safe to repeat. */
const prepareNode = (url: string, grants: Objects['columnGrants']): Promise<void> =>
  onServer(url, { as: 'owner', name: 'buckets' }, (node) =>
    node.begin(async (tx) => {
      await tx.query(`set local citus.enable_ddl_propagation = off;
        set local citus.enable_manual_changes_to_shards = on;
        set local citus.override_table_visibility = off`);
      await grantColumns(tx, grants);
      await keepInRange(tx);
      await allowInsertsIntoReferenceTables(tx);
    }),
  );

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
 * Rejects rows outside of their account's shard, even if the application picks a wrong bucket. The checks are on
 * partitions and not on their parent, because it would require them of new ones before they exist.
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
 * Adding rows to a reference table locks it on all nodes, for which Citus requires the right to change it. The table
 * has the grant here; its shard, which holds the rows, does not.
 */
async function allowInsertsIntoReferenceTables(tx: Tx): Promise<void> {
  const growing = await tx<{ name: string }[]>`
    select logicalrelid::text as name from pg_dist_partition
    where partmethod = 'n' and has_table_privilege('kabari_app', logicalrelid, 'insert')
      and not has_table_privilege('kabari_app', logicalrelid, 'update, delete')`;
  for (const { name } of growing) await tx.query(`grant update on ${name} to kabari_app`);
}

type Objects = {
  shards: readonly { bucket: number; table: string; shard: string }[];
  views: readonly { name: string; definition: string }[];
  functions: readonly { name: string; definition: string; grants: readonly string[] | null }[];
  triggers: readonly { table: string; definition: string }[];
  /** Column privileges of the roles: shards do not inherit them. */
  columnGrants: readonly { table: string; words: string }[];
  reference: readonly string[];
  single: readonly string[];
};

async function readObjects(owner: Sql): Promise<Objects> {
  return owner.begin(async (tx) => {
    const shards = await tx<Objects['shards'][number][]>`
      select (row_number() over (partition by s.logicalrelid order by s.shardminvalue::int))::int as bucket,
        c.relname as table, shard_name(s.logicalrelid, s.shardid) as shard
      from pg_dist_shard s
      join pg_dist_partition p on p.logicalrelid = s.logicalrelid and p.partmethod = 'h'
      join pg_class c on c.oid = s.logicalrelid and not c.relispartition
      order by 2, 1`;
    await tx.query('set local search_path = public');
    const views = await tx<Objects['views'][number][]>`
      select viewname as name, definition from pg_views v
      join pg_class c on c.relname = v.viewname and c.relnamespace = 'public'::regnamespace
      where schemaname = 'public'
        and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
      order by c.oid`;
    const functions = await tx<Objects['functions'][number][]>`
      select p.oid::regprocedure::text as name, pg_get_functiondef(p.oid) as definition,
        case when exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner)))
            where grantee = 0) then null
          else array(select r.rolname::text from aclexplode(p.proacl) a
            join pg_roles r on r.oid = a.grantee where a.grantee <> p.proowner)
        end as grants
      from pg_proc p
      where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
        -- Functions that read no table are the same everywhere.
        and p.provolatile <> 'i'
        -- Row types of local tables of the coordinator do not exist elsewhere.
        and not exists (
          select from pg_type t left join pg_type e on e.oid = t.typelem
          join pg_class c on c.oid in (t.typrelid, e.typrelid) and c.relkind in ('r', 'p')
          where t.oid = any(p.proargtypes::oid[] || p.proallargtypes || p.prorettype)
            and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid))
      order by p.oid`;
    await tx.query('set local search_path = pg_catalog');
    const triggers = await tx<Objects['triggers'][number][]>`
      select c.relname as table, pg_get_triggerdef(t.oid) as definition
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
      join pg_dist_partition p on p.logicalrelid = c.oid and p.partmethod = 'h'
      where c.relnamespace = 'public'::regnamespace and not t.tgisinternal and t.tgparentid = 0
        and not c.relispartition and t.tgname !~ '^truncate_trigger_'
      order by 1, 2`;
    const reference = await tx<{ name: string; isSingle: boolean }[]>`
      select c.relname as name, p.repmodel = 's' as "isSingle" from pg_class c
      join pg_dist_partition p on p.logicalrelid = c.oid and p.partmethod = 'n'
      order by 1`;
    // The planner of a cluster names each column that an insert leaves to its default. Whether it may be named at all
    // is decided by the table's own grants.
    const columnGrants = await tx<Objects['columnGrants'][number][]>`
      select distinct c.relname as table,
        case when x.privilege_type = 'INSERT' and p.partmethod = 'n'
          then format('grant insert on SHARD to %I', r.rolname)
          else format('grant %s (%I) on SHARD to %I', x.privilege_type, a.attname, r.rolname)
        end as words
      from pg_class c join pg_dist_partition p on p.logicalrelid = c.oid
      join pg_attribute a on a.attrelid = c.oid and a.attacl is not null
      cross join aclexplode(a.attacl) x join pg_roles r on r.oid = x.grantee
      order by 1, 2`;
    return {
      columnGrants,
      shards,
      views,
      functions,
      triggers,
      reference: reference.map(({ name }) => name),
      single: reference.filter(({ isSingle }) => isSingle).map(({ name }) => name),
    };
  });
}
