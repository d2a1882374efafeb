import { randomBytes } from 'node:crypto';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import {
  makeBuckets,
  distributeTables,
} from '#server/infra/postgres/distribution/layout/upkeep.ts';
import {
  bucketUrl,
  onServer,
  readBuckets,
  readNodes,
} from '#server/infra/postgres/distribution/cluster.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';

/** A distributed database to clone; connections to it are forbidden. */
export type ClusterTemplate = {
  name: string;
  /** Superuser addresses of the nodes, the coordinator's first. */
  nodes: readonly string[];
  /** Address of its one bucket in a clone, with `NAME` for the clone's name. */
  bucket: string;
};

const at = (url: string, change: { host?: string; database?: string; user?: string }): string => {
  const address = new URL(url);
  if (change.host !== undefined) address.host = change.host;
  if (change.database !== undefined) address.pathname = `/${change.database}`;
  if (change.user !== undefined) address.username = change.user;
  return address.href;
};

const on = (url: string, text: string): Promise<unknown> =>
  onServer(url, { as: 'owner', name: 'tests' }, (sql) => sql.query(text));

async function makeEmpty(nodes: readonly string[], name: string): Promise<string> {
  for (const node of nodes) {
    await on(node, ROLES);
    await on(node, `create database ${name} owner kabari`);
    await on(at(node, { database: name }), PREPARED);
  }
  const [coordinator = ''] = nodes;
  await on(
    at(coordinator, { database: name }),
    nodes.map((node, nth) => knowing(new URL(node).host, nth === 0)).join(';'),
  );
  return at(coordinator, { database: name, user: 'kabari' });
}

/**
 * Creates such a database for a test of distribution. @returns its address, as its owner. Databases of tests are
 * dropped at the end of the run; those with another name by their creator.
 */
export const makeUndistributed = (
  { nodes }: Pick<ClusterTemplate, 'nodes'>,
  name = `test_${randomBytes(6).toString('hex')}`,
): Promise<string> => makeEmpty(nodes, name);

export async function clusterNodes(citusUrl: string): Promise<readonly string[]> {
  const nodes = await onServer(citusUrl, { as: 'owner', name: 'tests' }, (given) =>
    readNodes(given, citusUrl),
  );
  return nodes.map((node) => at(node, { database: 'postgres' }));
}

/** Drops a database on all nodes, in spite of open connections. */
export async function dropEverywhere(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes) await on(node, `drop database if exists ${name} with (force)`);
}

/**
 * Distributes a migrated database over a cluster's nodes in one bucket. All data of an account is in there, as on one
 * server, so the domains' tests show whether each statement works there.
 * @param citusUrl superuser address of a database in which Citus and its nodes are known.
 */
export async function makeClusterTemplate(
  citusUrl: string,
  serverFolder: string,
): Promise<ClusterTemplate> {
  const name = `template_${randomBytes(6).toString('hex')}`;
  const nodes = await clusterNodes(citusUrl);
  const url = await makeEmpty(nodes, name);
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'tests' });
  const bucket = await distribute(owner, url, serverFolder);
  await owner.end();
  for (const node of nodes) {
    await on(node, `alter database ${name} with allow_connections false`);
    await on(
      node,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
    );
  }
  return { name, nodes, bucket: bucket.replace(name, 'NAME') };
}

const ROLES = `
  do $$ begin
    if not exists (select from pg_roles where rolname = 'kabari') then
      create role kabari login createrole createdb;
      create role kabari_app login;
      create role kabari_all login in role kabari_app;
      grant kabari_app, kabari_all to kabari with admin option;
    end if;
  end $$`;
const PREPARED = 'create extension citus; grant all on schema public to kabari, kabari_all';

function knowing(host: string, isCoordinator: boolean): string {
  const [name, port] = host.split(':');
  const call = isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node';
  return `select ${call}('${name}', ${port})`;
}

async function distribute(owner: Sql, url: string, serverFolder: string): Promise<string> {
  await updateSchema(owner, serverFolder);
  await distributeTables(owner, 1);
  await makeBuckets(owner, url);
  const [bucket] = await readBuckets(owner);
  if (!bucket) throw new Error('the database was not distributed');
  return bucketUrl(url, bucket);
}

/** Clones it on each node. @returns the owner's addresses of the clone's bucket and coordinator. */
export async function cloneCluster({
  name,
  nodes,
  bucket,
}: ClusterTemplate): Promise<{ bucket: string; coordinator: string }> {
  const clone = `test_${randomBytes(6).toString('hex')}`;
  const text = `create database ${clone} template ${name} strategy file_copy owner kabari`;
  await Promise.all(nodes.map((node) => on(node, text)));
  const [coordinator = ''] = nodes;
  return {
    bucket: bucket.replace('NAME', clone),
    coordinator: at(coordinator, { database: clone, user: 'kabari' }),
  };
}

/** Drops a run's databases, all at its end: one by one during the tests would take seconds. */
export async function dropClones({ name, nodes }: ClusterTemplate): Promise<void> {
  await Promise.all(
    nodes.map(async (node) => {
      const sql = openDatabase(node, { max: 1, as: 'owner', name: 'tests' });
      const left = await sql<{ datname: string }[]>`
        select datname from pg_database where datname ~ '^test_[0-9a-f]{12}$' or datname = ${name}`;
      for (const { datname } of left) await sql.query(`drop database ${datname} with (force)`);
      await sql.end();
    }),
  );
}
