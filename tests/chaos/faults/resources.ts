import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { runningEmbedded, startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { type Node, openNode } from '#tests/chaos/node.ts';
import { type DatabaseLink, openDatabaseLink } from './database-link.ts';
import { waitFor } from '#tests/support/wait-for.ts';

/**
 * The owner of the database. `own`: the app itself, in one process; its death also tests how it finds its server again.
 * `apart`: a separate server with two app processes, each behind its own link to the database. `distributed`: the
 * servers of a cluster, each behind a link that two app processes and the other servers share. In the last two, the
 * clock of the first process is wrong.
 */
export type Kind = 'own' | 'apart' | 'distributed';

/** Environment of a run: app processes, and a durable PostgreSQL that only this run uses. */
export type Resources = {
  kind: Kind;
  nodes: readonly Node[];
  /** Links from the nodes to the database, or to the cluster's servers; none for `own`. */
  links: readonly DatabaseLink[];
  allAccountsSql: Sql;
  owner: Sql;
  /** The server's process id. Rejects while none runs. */
  postmaster: () => Promise<number>;
  signalPostmaster: (signal: 'SIGKILL' | 'SIGQUIT') => Promise<number>;
  /** More than one if the database is distributed. */
  servers: readonly DatabaseServer[];
  /** Waits until no transaction of a cluster is prepared but undecided. */
  settleInDoubt: () => Promise<void>;
  /** Stops everything gracefully and removes it. @returns failures to stop. */
  close: () => Promise<string[]>;
};

export type DatabaseServer = {
  /** Kills the backend of one of the app's connections; all others end too. @returns its pid. */
  killBackend: () => Promise<number>;
};

const SPEED = '20';
export const settings = {
  NODE_ENV: 'test',
  SIMULATOR: 'on',
  SIMULATOR_SPEED: SPEED,
  RATE_API_PER_SECOND: '1000000',
};

export type Options = {
  more?: Readonly<Record<string, string>>;
  clockSeconds?: number;
  /** Seeds the migrated database; a cluster is distributed afterwards. */
  furnish?: (sqls: Pick<Resources, 'allAccountsSql' | 'owner'>) => Promise<void>;
};

export async function openResources(
  kind: Exclude<Kind, 'distributed'>,
  { more = {}, clockSeconds = 0, furnish }: Options = {},
): Promise<Resources> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-chaos-'));
  // PostgreSQL's own user, which is not root, needs access to its data.
  await chmod(folder, 0o711);
  const dataFolder = join(folder, kind === 'own' ? 'app' : 'database');
  const env = { ...settings, ...more, KABARI_DATA: join(folder, 'app') };
  const leave = () => {
    stopLeftover(dataFolder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', leave);
  const server = kind === 'apart' ? await startEmbedded({ dataFolder }) : undefined;
  const links = server
    ? await Promise.all([openDatabaseLink(server.url), openDatabaseLink(server.url)])
    : [];
  const nodes = server
    ? openTwoNodes(env, { urls: links.map((link) => link.url), clockSeconds })
    : [openNode('only', env)];
  await Promise.all(nodes.map((node) => node.start()));
  const url = server?.url ?? runningEmbedded(dataFolder);
  if (url === undefined) throw new Error('the app runs without its database');
  const allAccountsSql = openDatabase(url, { max: 3, as: 'all accounts', name: 'chaos' });
  const owner = openDatabase(url, { max: 1, as: 'owner', name: 'chaos' });
  await furnish?.({ allAccountsSql, owner });
  const postmaster = async () => {
    const pid = await numberIn(join(dataFolder, 'postgres/postmaster.pid'));
    // While a new server starts, the file names the process that starts it.
    const starting = [process.pid, ...nodes.map((node) => node.pid())].includes(pid);
    if (starting) throw new Error('no database server runs');
    return pid;
  };
  return {
    kind,
    nodes,
    links,
    allAccountsSql,
    owner,
    postmaster,
    signalPostmaster: async (signal) => {
      const pid = await waitFor(postmaster, { what: 'a database server to hit' });
      process.kill(pid, signal);
      return pid;
    },
    servers: [{ killBackend: () => killBackend(allAccountsSql) }],
    settleInDoubt: async () => undefined,
    close: async () => {
      await Promise.all([allAccountsSql.end({ timeout: 1 }), owner.end({ timeout: 1 })]);
      const unstopped = await stopAll(nodes);
      await Promise.all(links.map((link) => link.close()));
      await server?.stop();
      const left = await postmaster().catch(() => undefined);
      if (left !== undefined) stopLeftover(dataFolder);
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
      process.off('exit', leave);
      return [...unstopped, ...(left === undefined ? [] : ['the database was left running'])];
    },
  };
}

/** Two nodes with a common data folder; the clock of the first is wrong. They are not started. */
export const openTwoNodes = (
  env: Readonly<Record<string, string>>,
  { urls, clockSeconds }: { urls: readonly string[]; clockSeconds: number },
): Node[] =>
  ['first', 'second'].map((name, n) =>
    openNode(name, {
      ...env,
      DATABASE_URL: urls[n] ?? '',
      ...(n === 0 && { CHAOS_CLOCK_SECONDS: String(clockSeconds) }),
    }),
  );

/** Stops nodes gracefully. @returns those that failed to stop as they should. */
export async function stopAll(nodes: readonly Node[]): Promise<string[]> {
  const codes = await Promise.all(nodes.map((node) => node.stop()));
  return codes.flatMap((code, n) =>
    code === 0 ? [] : [`${nodes[n]?.name} did not stop by itself (${code})`],
  );
}

async function numberIn(file: string): Promise<number> {
  const number = Number((await readFile(file, 'utf8')).split('\n')[0]);
  if (!Number.isInteger(number) || number <= 1) throw new Error(`${file} names no process`);
  return number;
}

/** Ends a server of this folder that outlived its run. */
function stopLeftover(dataFolder: string): void {
  try {
    const file = join(dataFolder, 'postgres/postmaster.pid');
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (command.includes(dataFolder)) process.kill(pid, 'SIGQUIT');
  } catch {
    // Gone already, or never there.
  }
}

/**
 * Kills a busy backend if there is one; PostgreSQL then ends all others too.
 * @param sql sees the other backends of that server.
 */
export function killBackend(sql: Sql): Promise<number> {
  const atWork = async () => {
    const [found] = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity
      where datname = current_database()
        and application_name like 'kabari %' and application_name <> 'kabari chaos'
      order by state = 'active' desc, random() limit 1`.catch(() => []);
    if (!found) return false;
    try {
      process.kill(found.pid, 'SIGKILL');
    } catch {
      return false;
    }
    return found.pid;
  };
  return waitFor(atWork, { what: 'a connection of the app to kill' });
}
