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

export type Infra = {
  /** The current settings; read those that operators can change each time. */
  config: Config;
  settings: LiveSettings;
  log: Log;
  now: () => Date;
  /** The clock behind `now`; it follows the database's time. */
  clock: Clock;
  closeClock: () => void;
  build: string;
  /** The database address, as its owner. */
  url: string;
  place: Topology;
  dataFolder: string;
  store: FileStore;
  secrets: Secrets;
  metrics: Metrics;
  replica: Replica;
  tracing: Tracing | undefined;
  disks: DiskWatch;
  /** Logs a bug as an error, and trouble that passes by itself as a warning. */
  report: (trouble: unknown) => void;
};

export type Pools = {
  tenantSql: Sql;
  allAccountsSql: Sql;
  /** Reserved for accepting messages, so that no other work delays it. */
  acceptSql: Sql;
  /** Reserved for identifying callers, so that many sign-ins at once delay no other work. */
  callersSql: Sql;
};

export type Options = Pick<Infra, 'build' | 'config' | 'dataFolder' | 'log' | 'url'> & {
  now?: () => Date;
  /** Runs each step that needs the database; without it, a step is tried once. */
  untilReachable?: UntilReachable;
};

export const tryOnce: UntilReachable = (step) => step();

/** Connections per pool; the embedded database has 60 in all. */
const CONNECTIONS = { tenantSql: 10, allAccountsSql: 8, acceptSql: 10, callersSql: 2 } as const;

/**
 * Opens the pools on a migrated database, and the shared tools.
 *
 * @throws StartError when a connection sees more than it may, or the file store cannot be used as configured.
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
  // Each caller reports an unreachable database itself.
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

/** @throws StartError after a change of SECRET_KEY. @returns `owner`: the installation's id. */
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

/** The running release: the version in package.json. */
export const RELEASE: string = Package.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
