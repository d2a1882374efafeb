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
 * Who keeps the database. `own`: the app itself, one process, so that its death is also a test of
 * how it finds its server again. `apart`: a server of its own, with two processes of the app, each behind a way
 * of its own to the database; the clock of the first is wrong. `distributed`: the servers of a cluster, each
 * behind a way that two processes of the app and the other servers share; the clock of the first is wrong.
 */
export type Kind = 'own' | 'apart' | 'distributed';

/** What a run happens on: processes of the app, and a durable PostgreSQL that only this run uses. */
export type Resources = {
  kind: Kind;
  nodes: readonly Node[];
  /** The ways of the nodes to the database, in their order, or those to its servers; none in the world `own`. */
  links: readonly DatabaseLink[];
  /** Sees every account; for looking, and for furnishing before the run. */
  allAccountsSql: Sql;
  /** Owns the tables. */
  owner: Sql;
  /** The server's number, and what can be done to it. Rejects while none runs. */
  postmaster: () => Promise<number>;
  signalPostmaster: (signal: 'SIGKILL' | 'SIGQUIT') => Promise<number>;
  /** Its servers: more than one where it is distributed. */
  servers: readonly DatabaseServer[];
  /** Waits until no transaction is left that is prepared on one server of a cluster, and not decided yet. */
  settleInDoubt: () => Promise<void>;
  /** Stops everything gently and removes it. @returns what did not stop as it should. */
  close: () => Promise<string[]>;
};

export type DatabaseServer = {
  /** Kills the server process behind one of the app's connections, so that all others end, too. @returns its number. */
  killBackend: () => Promise<number>;
};

const SPEED = '20';
/** Settings of each node in each run. */
export const settings = {
  NODE_ENV: 'test',
  SIMULATOR: 'on',
  SIMULATOR_SPEED: SPEED,
  RATE_API_PER_SECOND: '1000000',
};

export type Options = {
  /** Settings beside those of every run. */
  more?: Readonly<Record<string, string>>;
  /** How wrong the clock of the first of two nodes is. */
  clockSeconds?: number;
  /** Puts what the run needs into the migrated database; a cluster's is laid out after it. */
  furnish?: (sqls: Pick<Resources, 'allAccountsSql' | 'owner'>) => Promise<void>;
};

/** Starts a database and the app on it, in a folder that goes away. */
export async function openResources(
  kind: Exclude<Kind, 'distributed'>,
  { more = {}, clockSeconds = 0, furnish }: Options = {},
): Promise<Resources> {
  const folder = await mkdtemp(join(tmpdir(), 'kabari-chaos-'));
  // PostgreSQL's own user, who is not root, must get to the data in it.
  await chmod(folder, 0o711);
  const dataFolder = join(folder, kind === 'own' ? 'app' : 'database');
  const env = { ...settings, ...more, KABARI_DATA: join(folder, 'app') };
  const leave = () => {
    quitLeft(dataFolder);
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
    // While a new server is on its way, the file names who starts it.
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
      if (left !== undefined) quitLeft(dataFolder);
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
      process.off('exit', leave);
      return [...unstopped, ...(left === undefined ? [] : ['the database was left running'])];
    },
  };
}

/** Two nodes that share what stands in the data folder; the clock of the first is wrong. They are not started. */
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

/** Stops nodes gently. @returns those that did not stop as they should. */
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

/** Ends a server that outlived its run, when it is the one of this folder. */
function quitLeft(dataFolder: string): void {
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
 * A backend that is at work when there is one: its death makes PostgreSQL end all the others too.
 *
 * @param sql sees what others do on that server.
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
