import { join } from 'node:path';
import { type BenchDatabase, openBenchDatabase } from './bench-database.ts';
import { type Cpu, cpuMs, postgresCpuMs } from './cpu.ts';
import { type AppProcess, startApp } from './server.ts';

export type Contender = {
  app: AppProcess;
  apps: readonly AppProcess[];
  database: BenchDatabase;
  cpu: () => Promise<Cpu>;
  close: () => Promise<void>;
};

type ContenderOptions = {
  /** Another checkout, with its own packages; it migrates its database when it starts. */
  root?: string | undefined;
  /** The path of a program that runs in place of the application, on the same database. */
  program?: string | undefined;
  env?: Readonly<Record<string, string>>;
  nodes?: number;
  countsStatements?: boolean;
};

/** Running contenders: a database outlives its bench unless it is closed. */
const running = new Set<() => Promise<void>>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // Requests under way fail when their application exits; that must not end this process before the others are
    // closed.
    process.on('uncaughtException', () => undefined);
    void Promise.allSettled(Array.from(running, (close) => close())).then(() => process.exit(1));
  });
}

/** Connections per role for the bench itself; the server has 60 in all. */
const CONNECTIONS = 4;

/** Starts the application of this checkout or of `root`. Rate limits are off. */
export async function openContender(options: ContenderOptions = {}): Promise<Contender> {
  const { root, program, env = {}, nodes = 1, countsStatements = false } = options;
  const isMigrated = root === undefined;
  const database = await openBenchDatabase(CONNECTIONS, { isMigrated, countsStatements });
  const settings = {
    DATABASE_URL: database.url,
    KABARI_DATA: join(database.folder, 'application'),
    RATE_API_PER_SECOND: '1000000',
    ...env,
  };
  const apps: AppProcess[] = [];
  const stop = async () => {
    await Promise.all(apps.map((one) => one.stop()));
    await database.close();
    running.delete(close);
  };
  let stopped: Promise<void> | undefined;
  const close = () => (stopped ??= stop());
  running.add(close);
  // One after the other: the first migrates.
  try {
    while (apps.length < nodes) apps.push(await startApp(settings, { root, program }));
  } catch (error) {
    await close();
    throw error;
  }
  const cpu = async () => {
    const used = await Promise.all(apps.map(({ pid }) => cpuMs(pid)));
    const appMs = used.reduce((sum, ms) => sum + ms, 0);
    return { appMs, postgresMs: await postgresCpuMs(database.postmaster) };
  };
  const [app] = apps;
  if (!app) throw new RangeError('nodes: at least one');
  return { app, apps, database, cpu, close };
}
