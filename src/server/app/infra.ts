import { type Clock, databaseNow, followDatabaseTime, openClock } from '#server/infra/clock.ts';
import type { Config } from '#server/infra/config.ts';
import { type LiveSettings, openLiveSettings } from '#server/infra/settings/live.ts';
import type { FileStore } from '#server/infra/file-store/file-store.ts';
import { openFileStore, startFileStore } from '#server/infra/file-store/open.ts';
import { type DiskWatch, isDiskFull, watchDisks } from '#server/infra/observability/disk.ts';
import { type Log, countedWarnings } from '#server/infra/observability/log.ts';
import { type Metrics, openMetrics } from '#server/infra/observability/metrics.ts';
import { openTracing } from '#server/infra/observability/tracing/open-tracing.ts';
import type { Tracing } from '#server/infra/observability/tracing/tracing.ts';
import { type Sql, isTransient } from '#server/infra/postgres/database.ts';
import type { UntilReachable } from '#server/infra/postgres/check.ts';
import { type Topology, detectTopology } from '#server/infra/postgres/distribution/pools.ts';
import { type Replica, openReplica } from '#server/infra/postgres/replica.ts';
import { verifyRowLevelSecurity } from '#server/infra/postgres/row-level-security.ts';
import {
  type Secrets,
  installationId,
  readSecrets,
  refuseOtherKey,
} from '#server/infra/security/secrets.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** The tools that every part works with. */
export type Infra = {
  /** The settings as they are at this moment: those that operators change are to be read each time. */
  config: Config;
  settings: LiveSettings;
  log: Log;
  now: () => Date;
  /** The clock that `now` reads: the database's time. */
  clock: Clock;
  closeClock: () => void;
  /** Names the built web app. */
  build: string;
  /** The database as its owner. */
  url: string;
  /** How it is worked with. */
  place: Topology;
  /** Where everything that lasts lies, and what is worked on. */
  dataFolder: string;
  /** Where files lie. */
  store: FileStore;
  secrets: Secrets;
  metrics: Metrics;
  /** Where long work reads that writes nothing. */
  replica: Replica;
  /** Only where traces are switched on. */
  tracing: Tracing | undefined;
  /** Knows when a disk is full. */
  disks: DiskWatch;
  /** Logs what is our fault as a bug, and trouble that passes by itself as a warning. */
  report: (trouble: unknown) => void;
};

/** The pools of connections of one process. */
export type Pools = {
  /** Sees one account at a time. */
  tenantSql: Sql;
  /** Sees all accounts. */
  allAccountsSql: Sql;
  /** The accept path's own, so that nothing else delays it. */
  acceptSql: Sql;
  /** Who is calling is looked up in a pool of its own: many sign-ins at once hold nobody else up. */
  callersSql: Sql;
};

/** What a process is started with. */
export type Options = Pick<Infra, 'build' | 'config' | 'dataFolder' | 'log' | 'url'> & {
  now?: () => Date;
  /** Runs each step that asks the database; without it, a step is tried once. */
  untilReachable?: UntilReachable;
};

/** Tries a step of a start once. */
export const tryOnce: UntilReachable = (step) => step();

/** Connections of each pool; the application's own server has 60 in all. */
const CONNECTIONS = { tenantSql: 10, allAccountsSql: 8, acceptSql: 10, callersSql: 2 } as const;

/**
 * Opens the pools on a migrated database, and the tools.
 *
 * @throws StartError when a connection sees more than it may, or the store of files cannot be used as it is set.
 */
export async function openInfra(options: Options): Promise<{ infra: Infra; pools: Pools }> {
  const { build, dataFolder, log, url, now: real, untilReachable = tryOnce } = options;
  const place = await untilReachable(() => detectTopology(url));
  const pools = openPools(place);
  await untilReachable(() => verifyPools(pools));
  const report = (trouble: unknown) => {
    if (isTransient(trouble) || isDiskFull(trouble))
      countedWarnings(log)({ err: trouble }, 'trouble that may pass');
    else log.error({ err: trouble }, 'a bug');
  };
  const { allAccountsSql } = pools;
  // That the database is away is told by whoever needs it.
  const lasting = (trouble: unknown) => void (isTransient(trouble) || report(trouble));
  const time = real
    ? undefined
    : await untilReachable(() =>
        followDatabaseTime({ databaseNow: () => databaseNow(allAccountsSql), report: lasting }),
      );
  const clock = openClock({
    isMovable: options.config.CLOCK === 'movable',
    real: real ?? time?.now ?? (() => new Date()),
  });
  const settings = await untilReachable(() =>
    openLiveSettings({ allAccountsSql, config: options.config, report }),
  );
  const { config } = settings;
  const { secrets, owner } = await untilReachable(() => openSecrets(allAccountsSql, config));
  const store = await openFileStore({ config, dataFolder, owner });
  await startFileStore(store, log);
  const disks = watchDisks({ folder: dataFolder, sql: allAccountsSql, log });
  const metrics = openMetrics();
  const fallbacks = metrics.counter(
    'kabari_replica_fallbacks_total',
    'What was to be read from the replica and was read from the database itself, by why',
  );
  const replica = await untilReachable(() =>
    openReplica({ url: config.DATABASE_REPLICA_URL, primary: pools, log, fallbacks }),
  );
  const tracing = await openTracing({ config, log, version: RELEASE });
  const tools = { settings, secrets, store, metrics, replica, tracing, disks, report };
  const named = { build, config, dataFolder, log, url, place, clock, now: clock.now };
  return { infra: { ...named, ...tools, closeClock: () => time?.close() }, pools };
}

/** @throws StartError when the secrets were sealed with another SECRET_KEY. @returns `owner`: the installation's id. */
async function openSecrets(
  allAccountsSql: Sql,
  config: Config,
): Promise<{ secrets: Secrets; owner: string }> {
  const secrets = await readSecrets(allAccountsSql, config);
  await refuseOtherKey(allAccountsSql, secrets);
  return { secrets, owner: await installationId(allAccountsSql) };
}

function openPools(place: Topology): Pools {
  const open = (name: keyof typeof CONNECTIONS, as: 'tenant' | 'all accounts', label: string) =>
    place.open({ max: CONNECTIONS[name], as, name: label });
  return {
    tenantSql: open('tenantSql', 'tenant', 'portal'),
    allAccountsSql: open('allAccountsSql', 'all accounts', 'all accounts'),
    acceptSql: open('acceptSql', 'all accounts', 'accept'),
    callersSql: open('callersSql', 'all accounts', 'callers'),
  };
}

const verifyPools = ({ tenantSql, allAccountsSql, acceptSql, callersSql }: Pools): Promise<void> =>
  verifyRowLevelSecurity([
    { sql: tenantSql, max: CONNECTIONS.tenantSql, sees: 'one account' },
    ...[allAccountsSql, acceptSql, callersSql].map(
      (sql) => ({ sql, max: CONNECTIONS.callersSql, sees: 'all accounts' }) as const,
    ),
  ]);

/** Closes what `openInfra` opened. */
export async function closeInfra(infra: Infra, pools: Pools): Promise<void> {
  infra.closeClock();
  infra.settings.close();
  infra.store.close();
  await Promise.all([infra.disks.close(), infra.replica.close(), infra.tracing?.close()]);
  await Promise.all(Object.values(pools).map((sql) => sql.end({ timeout: 5 })));
  await infra.place.close();
}

const Package = z.object({ version: z.string() });
const file = join(import.meta.dirname, '../../..', 'package.json');

/** The release that runs: the package's version. */
export const RELEASE: string = Package.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
