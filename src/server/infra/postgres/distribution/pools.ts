import { type Sql, openDatabase, createSql, runnerOf } from '#server/infra/postgres/database.ts';
import type { As } from '#server/infra/postgres/driver/client.ts';
import {
  type Bucket,
  bucketUrl,
  coordinatorUrl,
  onServer,
  openBucketNumbers,
  readBuckets,
} from './cluster.ts';
import { inBucket, startInBucket, useScopes, type Scope, presentScope } from './scope.ts';

type PoolOptions = { max: number; as: Exclude<As, 'owner'>; name: string };

export type Topology = {
  isDistributed: boolean;
  /** If distributed, work on one account runs in its bucket, and the rest at the coordinator. */
  open: (options: PoolOptions) => Sql;
  startEach: <T extends object>(start: () => T) => readonly T[];
  inEach: (work: () => Promise<unknown>) => Promise<void>;
  listenAt: readonly string[];
  close: () => Promise<void>;
};

const BUCKET_CONNECTIONS = 4;

export async function detectTopology(url: string): Promise<Topology> {
  const buckets = await onServer(url, { as: 'all accounts', name: 'place' }, readBuckets);
  return buckets.length === 0 ? oneServer(url) : distributed(url, buckets);
}

const oneServer = (url: string): Topology => ({
  isDistributed: false,
  open: (options) => openDatabase(url, options),
  startEach: (start) => [start()],
  inEach: async (work) => void (await work()),
  listenAt: [url],
  close: async () => undefined,
});

function distributed(url: string, buckets: readonly Bucket[]): Topology {
  const stopScopes = useScopes();
  const coordinator = coordinatorUrl(url);
  const asking = openDatabase(coordinator, { max: 1, as: 'all accounts', name: 'place' });
  const numberOf = openBucketNumbers(asking);
  const openAt = (bucket: Bucket, options: PoolOptions) =>
    openDatabase(bucketUrl(url, bucket), { ...options, max: BUCKET_CONNECTIONS });
  const nodes = new Map(buckets.map((bucket) => [`${bucket.host}:${bucket.port}`, bucket]));
  return {
    isDistributed: true,
    open: (options) => {
      const pools = new Map<number, Sql>();
      return createRoutingSql({
        home: openDatabase(coordinator, options),
        poolOf: async (scope) => {
          const number = 'bucket' in scope ? scope.bucket : await numberOf(scope.accountId);
          const bucket = buckets[number - 1];
          if (!bucket) throw new Error('an account lies in no bucket');
          const pool = pools.get(number) ?? openAt(bucket, options);
          pools.set(number, pool);
          return pool;
        },
        close: async (how) => {
          await Promise.all([...pools.values()].map((pool) => pool.end(how)));
        },
      });
    },
    startEach: (start) => buckets.map(({ number }) => startInBucket(number, start)),
    inEach: async (work) => {
      for (const { number } of buckets) await inBucket(number, work);
    },
    listenAt: [coordinator, ...[...nodes.values()].map((bucket) => bucketUrl(url, bucket))],
    close: async () => {
      stopScopes();
      await asking.end({ timeout: 5 });
    },
  };
}

type Places = {
  home: Sql;
  poolOf: (scope: Scope) => Promise<Sql>;
  close: (options?: { timeout?: number }) => Promise<void>;
};

/** Routes work to the bucket of `asAccount` or of the present scope. */
export function createRoutingSql({ home, poolOf, close }: Places): Sql {
  const runnerFor = async (scope: Scope | undefined) =>
    runnerOf(scope ? await poolOf(scope) : home);
  return createSql({
    place: home.place,
    as: runnerOf(home).as,
    run: async (compiled) => (await runnerFor(presentScope())).run(compiled),
    transact: async (work, options) => {
      const accountId = options.settings?.['app.account'];
      const scope = accountId === undefined ? presentScope() : { accountId };
      return (await runnerFor(scope)).transact(work, options);
    },
    waitedSeconds: runnerOf(home).waitedSeconds,
    end: async (options) => void (await Promise.all([home.end(options), close(options)])),
  });
}
