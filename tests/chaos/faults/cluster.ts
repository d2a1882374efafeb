import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { onServer } from '#server/infra/postgres/distribution/cluster.ts';
import {
  makeBuckets,
  distributeTables,
} from '#server/infra/postgres/distribution/layout/upkeep.ts';
import { detectTopology } from '#server/infra/postgres/distribution/pools.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import {
  clusterNodes,
  dropEverywhere,
  makeUndistributed,
} from '#tests/support/database/cluster.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { openDatabaseLink } from './database-link.ts';
import {
  type Options,
  type Resources,
  killBackend,
  openTwoNodes,
  settings,
  stopAll,
} from './resources.ts';

const serverFolder = join(import.meta.dirname, '../../../src/server');

/** More than servers, so that transactions of several buckets meet on one. */
const BUCKETS = 4;

/** Only one run at a time uses a cluster, because it kills the servers. */
const DATABASE = 'chaos';

/**
 * Creates a database on a cluster's servers and two app processes that use it. The links between the servers, and from
 * the app to them, can be disturbed.
 * @param citusUrl superuser address of a database in which Citus and its nodes are known. The servers must run on
 * this machine: their processes are killed.
 */
export async function openClusterResources(
  citusUrl: string,
  { more = {}, clockSeconds = 0, furnish }: Options = {},
): Promise<Resources> {
  const servers = await clusterNodes(citusUrl);
  await Promise.all(servers.map(requireDurable));
  await dropEverywhere(servers, DATABASE);
  const links = await Promise.all(servers.map(openDatabaseLink));
  const url = await makeUndistributed({ nodes: links.map((link) => link.url) }, DATABASE);
  await migrateAndDistribute(url, furnish);

  const folder = await mkdtemp(join(tmpdir(), 'kabari-chaos-'));
  const leave = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', leave);
  const env = { ...settings, ...more, KABARI_DATA: join(folder, 'app') };
  const nodes = openTwoNodes(env, { urls: [url, url], clockSeconds });
  await Promise.all(nodes.map((node) => node.start()));
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'chaos' });
  const place = await detectTopology(url);
  const allAccountsSql = place.open({ max: 3, as: 'all accounts', name: 'chaos' });
  const superusers = servers.map((server) => {
    const address = Object.assign(new URL(server), { pathname: `/${DATABASE}` });
    return openDatabase(address.href, { max: 1, as: 'owner', name: 'chaos' });
  });
  const resolvePrepared = async () => {
    await waitFor(() => resolveAbandoned(superusers), { patienceMs: 120_000 });
  };
  const notOurs = () => Promise.reject(new Error('the servers of a cluster are not started here'));
  return {
    kind: 'distributed',
    nodes,
    links,
    allAccountsSql,
    owner,
    servers: superusers.map((superuser) => ({ killBackend: () => killBackend(superuser) })),
    postmaster: notOurs,
    signalPostmaster: notOurs,
    settleInDoubt: resolvePrepared,
    close: async () => {
      const unstopped = await stopAll(nodes);
      // The database cannot be dropped before this.
      await resolvePrepared();
      const pools = [...superusers, allAccountsSql, owner];
      await Promise.all(pools.map((sql) => sql.end({ timeout: 1 })));
      await place.close();
      await Promise.all(links.map((link) => link.close()));
      await dropEverywhere(servers, DATABASE);
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
      process.off('exit', leave);
      return unstopped;
    },
  };
}

const migrateAndDistribute = (url: string, furnish: Options['furnish']): Promise<void> =>
  onServer(url, { as: 'owner', name: 'chaos' }, async (owner) => {
    await updateSchema(owner, serverFolder);
    await onServer(url, { as: 'all accounts', name: 'chaos' }, async (allAccountsSql) =>
      furnish?.({ allAccountsSql, owner }),
    );
    await distributeTables(owner, BUCKETS);
    await makeBuckets(owner, url);
  });

/** Resolves abandoned prepared transactions. @returns whether none is left. */
async function resolveAbandoned(superusers: readonly Sql[]): Promise<boolean> {
  try {
    let left = 0;
    for (const superuser of superusers) {
      await superuser`select recover_prepared_transactions()`;
      const prepared = await superuser`
        select from pg_prepared_xacts where database = current_database()`;
      left += prepared.length;
    }
    return left === 0;
  } catch {
    // The server is still restarting.
    return false;
  }
}

/** Rejects a server that answers before its writes are durable: the run would prove nothing. */
async function requireDurable(node: string): Promise<void> {
  const [set] = await onServer(
    node,
    { as: 'owner', name: 'chaos' },
    async (sql) => sql<{ commit: string }[]>`
      select current_setting('synchronous_commit') as commit`,
  );
  if (set?.commit === 'off') {
    throw new Error(`set synchronous_commit = on for the server at ${new URL(node).host}`);
  }
}
