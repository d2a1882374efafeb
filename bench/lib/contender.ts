import { join } from 'node:path';
import { type BenchDatabase, openBenchDatabase } from './bench-database.ts';
import { type Cpu, cpuMs, postgresCpuMs } from './cpu.ts';
import { type AppProcess, startApp } from './server.ts';

/** One checkout's application, in processes of its own, on a database of its own. */
export type Contender = {
  /** The first of its processes; the only one unless more were asked for. */
  app: AppProcess;
  apps: readonly AppProcess[];
  database: BenchDatabase;
  /** What all its processes and its PostgreSQL have used so far. */
  cpu: () => Promise<Cpu>;
  /** Ends the processes, then the database. */
  close: () => Promise<void>;
};

type ContenderOptions = {
  /** Another checkout, with its own packages; it migrates its database when it starts. */
  root?: string | undefined;
  /** Settings of the application. */
  env?: Readonly<Record<string, string>>;
  /** Processes on the one database. */
  nodes?: number;
  countsStatements?: boolean;
};

/** What runs now: a database outlives the bench that started it unless it is ended. */
const running = new Set<() => Promise<void>>();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // What is under way breaks when its application goes; it must not end this process before the rest went.
    process.on('uncaughtException', () => undefined);
    void Promise.allSettled(Array.from(running, (close) => close())).then(() => process.exit(1));
  });
}

/** Connections that a bench itself may use of each role; the server has 60 in all. */
const CONNECTIONS = 4;

/** Starts a checkout's application: this one's, or that of `root`. No rate limit stops what a bench sends. */
export async function openContender(options: ContenderOptions = {}): Promise<Contender> {
  const { root, env = {}, nodes = 1, countsStatements = false } = options;
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
    while (apps.length < nodes) apps.push(await startApp(settings, root));
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
