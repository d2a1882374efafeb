import type { Sql } from '#server/infra/postgres/database.ts';
import { type Cluster, onServer, readNodes } from '#server/infra/postgres/distribution/cluster.ts';

/** What a cluster is made of is tried with this one; older ones lack tables that lie whole on one node. */
const CITUS_MIN = 13;

const PAGE = 'docs/running/distributed.md';
const NAME = 'db:distribute';

/**
 * Why a database cannot be distributed yet.
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
  return troubleBetween(url);
}

type NodeFacts = { prepared: number; missing: string[] };

/** What is missing on one node. */
async function troubleAt(url: string): Promise<string | undefined> {
  const { host } = new URL(url);
  try {
    const { prepared, missing } = await onServer(url, { as: 'owner', name: NAME }, readFacts);
    if (prepared === 0) {
      return `The server ${host} takes no prepared transactions: set max_prepared_transactions = 200 there and start it anew.`;
    }
    const [role] = missing;
    if (role === undefined) return undefined;
    return `The role ${role} is missing on ${host} or may not log in there: ${PAGE} has the statements.`;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `The server ${host} cannot be reached with the user and password of DATABASE_URL (${why}).`;
  }
}

async function readFacts(node: Sql): Promise<NodeFacts> {
  const [facts] = await node<NodeFacts[]>`
    select current_setting('max_prepared_transactions')::int as prepared,
      array(
        select role from unnest(array['kabari_app', 'kabari_all']) as asked(role)
        where not exists (select from pg_roles where rolname = role and rolcanlogin)
      ) as missing`;
  if (!facts) throw new Error('the database answers nothing');
  return facts;
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
