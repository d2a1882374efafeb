import type { Sql } from '#server/infra/postgres/database.ts';
import { type Cluster, onServer, readNodes } from '#server/infra/postgres/distribution/cluster.ts';

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
