import { join } from 'node:path';
import { RELEASE } from '#server/app/infra.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { countOthers } from '#server/infra/postgres/check.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import {
  makeBuckets,
  distributeTables,
  readPlan,
  troubleOf,
} from '#server/infra/postgres/distribution/layout/upkeep.ts';
import { type Cluster, readCluster } from '#server/infra/postgres/distribution/cluster.ts';
import { detectTopology } from '#server/infra/postgres/distribution/pools.ts';
import {
  type RowCounts,
  countRows,
  verifyDistribution,
} from '#server/infra/postgres/distribution/layout/verify.ts';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import { StartError } from '#server/infra/start-error.ts';
import { type Call, type Command, typed } from './command.ts';

const serverFolder = join(import.meta.dirname, '../../src/server');

/** Buckets per node: more than one, so that a new node can take some. */
const BUCKETS_PER_NODE = 2;
const BUCKETS_MAX = 32;

/** Distributes the database over a cluster. Without `--yes` it only prints its plan. */
export const distribute: Command = {
  usage: 'db:distribute [--buckets N] [--yes]',
  says: 'lays the database out over the servers of a Citus cluster; without --yes it says what it would do',
  run: async ({ given, config, print }) => {
    const asked = read(given);
    const { DATABASE_URL: url } = config();
    if (url === undefined) {
      throw new StartError(
        'Only the database of a server of your own can be distributed: set DATABASE_URL to the coordinator of the cluster.',
      );
    }
    const owner = openDatabase(url, { max: 1, as: 'owner', name: 'db:distribute' });
    try {
      return await run({ owner, url, print }, asked);
    } finally {
      await owner.end({ timeout: 5 });
    }
  },
};

type Asked = { buckets: number | undefined; isMeant: boolean };

function read(given: readonly string[]): Asked {
  const at = given.indexOf('--buckets');
  const buckets = at < 0 ? undefined : Number(given[at + 1]);
  const isNumber =
    buckets === undefined || (Number.isInteger(buckets) && buckets > 0 && buckets <= BUCKETS_MAX);
  if (!isNumber) {
    throw new StartError(`Give a number of buckets from 1 to ${BUCKETS_MAX}: ${typed(distribute)}`);
  }
  return { buckets, isMeant: given.includes('--yes') };
}

type Work = { owner: Sql; url: string } & Pick<Call, 'print'>;

async function run({ owner, url, print }: Work, { buckets, isMeant }: Asked): Promise<number> {
  const cluster = await readCluster(owner);
  const trouble = await troubleOf(owner, url, cluster);
  if (trouble !== undefined) throw new StartError(trouble);
  if (cluster.buckets > 0 && buckets !== undefined && buckets !== cluster.buckets) {
    throw new StartError(`There are ${cluster.buckets} buckets already: their number stays.`);
  }
  const [kept] = await owner<{ yes: boolean }[]>`
    select to_regclass('public.migrations') is not null as yes`;
  if (!kept?.yes) {
    throw new StartError(
      'This database has no tables yet: start Kabari on it once, or restore it.',
    );
  }
  const shards = cluster.buckets || (buckets ?? cluster.holding * BUCKETS_PER_NODE);
  await say({ owner, print }, cluster, shards);
  if (!isMeant) {
    print('Nothing was changed. Back the database up, stop all nodes, then: --yes');
    return 0;
  }
  const others = await countOthers(owner);
  if (others > 0) {
    throw new StartError(
      `${others} connections of the application are open; stop it on all nodes, then call this again.`,
    );
  }
  await updateSchema(owner, serverFolder, RELEASE);
  const before = await countRows(owner);
  await refuseRedBooks(url);
  const placed = await distributeTables(owner, shards);
  print(`${placed.length} tables were laid out now.`);
  await makeBuckets(owner, url, { anew: true });
  return verify({ owner, url, print }, before);
}

async function say(
  { owner, print }: Pick<Work, 'owner' | 'print'>,
  { nodes, buckets }: Cluster,
  shards: number,
): Promise<void> {
  const { distributed, reference, single } = await owner.begin(readPlan);
  print(`Servers: ${nodes.join(', ')}`);
  print(
    `Tables: ${distributed.length} by account in ${shards} buckets, ${reference.length} whole on each server, ${single.flat().length} whole on one`,
  );
  if (buckets > 0) print(`Distributed already, in ${buckets} buckets: what is missing is added.`);
}

async function refuseRedBooks(url: string): Promise<void> {
  const red = await redInvariants(url);
  if (red.length === 0) return;
  throw new StartError(
    `The books are red (${red.join(', ')}): npm run ledger:check shows where, docs/running/incidents.md how to go on. Nothing was laid out.`,
  );
}

async function redInvariants(url: string): Promise<string[]> {
  const place = await detectTopology(url);
  const allAccountsSql = place.open({ max: 1, as: 'all accounts', name: 'db:distribute' });
  try {
    const findings = await checkLedger(allAccountsSql);
    return findings.filter(({ ok }) => !ok).map(({ invariant }) => invariant);
  } finally {
    await allAccountsSql.end({ timeout: 5 });
    await place.close();
  }
}

async function verify({ owner, url, print }: Work, before: RowCounts): Promise<number> {
  const rows = [...before.values()].reduce((sum, one) => sum + one, 0);
  const found = [...(await verifyDistribution(owner, url, before))];
  const red = await redInvariants(url);
  if (red.length > 0) found.push(`the books are red: ${red.join(', ')}`);
  for (const line of found) print(`DIFFERS  ${line}`);
  if (found.length > 0) {
    print('Do not start the application: restore the backup, and tell us what differs.');
    return 1;
  }
  print(
    `${rows} rows of ${before.size} tables lie where they belong, keys and policies with them; the books are green.`,
  );
  print('Start the application on all nodes, with the coordinator as DATABASE_URL.');
  return 0;
}
