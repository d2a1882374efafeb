import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { makeBuckets } from '#server/infra/postgres/distribution/layout/buckets.ts';
import { distributeTables } from '#server/infra/postgres/distribution/layout/distribute.ts';
import { findPlace } from '#server/infra/postgres/distribution/pools.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import { clusterNodes, dropDatabase, makeUndistributed } from '#tests/support/database/cluster.ts';
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

/**
 * A database of its own over the servers of a cluster, which reach each other and are reached by the app through ways
 * that can be disturbed, and two processes of the app on it.
 *
 * @param citusUrl a superuser's address of a database in which Citus and its nodes are known. The servers run on this
 *   machine: their processes are killed.
 */
export async function openClusterResources(
  citusUrl: string,
  { more = {}, clockSeconds = 0, furnish }: Options = {},
): Promise<Resources> {
  const nodesOfCluster = await clusterNodes(citusUrl);
  await Promise.all(nodesOfCluster.map(refuseForgetful));
  const links = await Promise.all(nodesOfCluster.map(openDatabaseLink));
  const url = await makeUndistributed({ nodes: links.map((link) => link.url) });
  const folder = await mkdtemp(join(tmpdir(), 'kabari-chaos-'));

  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'chaos' });
  await updateSchema(owner, serverFolder);
  const furnishing = openDatabase(url, { max: 1, as: 'all accounts', name: 'chaos' });
  await furnish?.({ allAccountsSql: furnishing, owner });
  await furnishing.end();
  await distributeTables(owner, BUCKETS);
  await makeBuckets(owner, url);

  const { pathname } = new URL(url);
  const lookers = nodesOfCluster.map((node) =>
    openDatabase(Object.assign(new URL(node), { pathname }).href, {
      max: 1,
      as: 'owner',
      name: 'chaos',
    }),
  );
  const env = { ...settings, ...more, KABARI_DATA: join(folder, 'app') };
  const nodes = openTwoNodes(env, { urls: [url, url], clockSeconds });
  await Promise.all(nodes.map((node) => node.start()));
  const place = await findPlace(url);
  const allAccountsSql = place.open({ max: 3, as: 'all accounts', name: 'chaos' });
  const notOurs = () => Promise.reject(new Error('the servers of a cluster are not started here'));
  return {
    kind: 'distributed',
    nodes,
    links,
    allAccountsSql,
    owner,
    servers: lookers.map((looker) => ({ killBackend: () => killBackend(looker) })),
    postmaster: notOurs,
    signalPostmaster: notOurs,
    close: async () => {
      const unstopped = await stopAll(nodes);
      await Promise.all([...lookers, allAccountsSql, owner].map((sql) => sql.end({ timeout: 1 })));
      await place.close();
      await Promise.all(links.map((link) => link.close()));
      await Promise.all(nodesOfCluster.map((node) => dropDatabase(node, pathname.slice(1))));
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
      return unstopped;
    },
  };
}

/** A server that answers before what it answers for is written loses it when it is killed: then nothing is proved. */
async function refuseForgetful(node: string): Promise<void> {
  const looker = openDatabase(node, { max: 1, as: 'owner', name: 'chaos' });
  try {
    const [set] = await looker<{ commit: string }[]>`
      select current_setting('synchronous_commit') as commit`;
    if (set?.commit === 'off') {
      throw new Error(`set synchronous_commit = on for the server at ${new URL(node).host}`);
    }
  } finally {
    await looker.end();
  }
}
