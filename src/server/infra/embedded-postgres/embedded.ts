import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { FREE_BYTES_MIN, refuseFullDisk } from '#server/infra/observability/disk.ts';
import { type Home, type Places, furnish, openFolder, placesIn } from './home.ts';
import {
  type Running,
  findServer,
  hasDied,
  spawnOptions,
  program,
  runServer,
  startServer,
  stopServer,
} from './server.ts';
import { holdFolder } from './folder-lock.ts';
import { StartError } from '#server/infra/start-error.ts';

/** The role that owns the application's database: it migrates, and is no superuser. */
const OWNER = 'kabari';
const SUPERUSER = 'postgres';
/** How often the server's life is looked after. */
const WATCH_MS = 200;

export type Embedded = {
  /** The database `kabari`, as its owner. */
  url: string;
  /** The same server as its superuser, for tests that make databases. */
  superuserUrl: string;
  /** Ends every connection, writes everything out and frees the folder. */
  stop(): Promise<void>;
};

type EmbeddedOptions = {
  dataFolder: string;
  /** False only for tests: nothing is flushed, so a power cut loses the database. */
  durable?: boolean;
  /** Called when the server died by itself and is being started again. */
  onDeath?: () => void;
};

/**
 * Runs the PostgreSQL that npm installed, with everything it keeps in one folder.
 *
 * Finds the data of the last start again, recovers what a crash left, takes over a server that
 * outlived its application, and starts the server again when it dies. One application per folder.
 *
 * @throws StartError when the folder is taken, cannot be written, or holds another major version.
 */
export async function startEmbedded({
  dataFolder,
  durable = true,
  onDeath,
}: EmbeddedOptions): Promise<Embedded> {
  const folder = resolve(dataFolder);
  await refuseFullDisk(folder, neededBytes(folder));
  const osUser = openFolder(folder);
  const lock = holdFolder(folder);
  let leave: () => Promise<void> = async () => undefined;
  try {
    const home = furnish(folder, osUser);
    refuseOtherMajor(home);
    const password = passwordOf(home);
    if (!existsSync(home.data)) await makeCluster(home, password);
    let running = await runServer(home, durable);
    leave = () => stopServer(home, running);
    const address = (user: string, database: string) =>
      addressOf(home, { user, database, password, port: running.port });
    await makeOwner(address(SUPERUSER, 'postgres'), password);
    const watch = watchOver(home, {
      durable,
      current: () => running,
      replaced: (next) => (running = next),
      onDeath,
    });
    return {
      url: address(OWNER, 'kabari'),
      superuserUrl: address(SUPERUSER, 'postgres'),
      stop: async () => {
        await watch.end();
        await leave();
        if (home.sockets !== undefined) rmSync(home.sockets, { recursive: true, force: true });
        lock.release();
      },
    };
  } catch (error) {
    await leave();
    lock.release();
    throw error;
  }
}

/** What the first start writes, in bytes: PostgreSQL's programs and an empty cluster. */
const FIRST_START_BYTES = 160_000_000;

const neededBytes = (folder: string): number =>
  FREE_BYTES_MIN + (existsSync(placesIn(folder).data) ? 0 : FIRST_START_BYTES);

function refuseOtherMajor(home: Home): void {
  const file = join(home.data, 'PG_VERSION');
  if (!existsSync(file)) return;
  const data = readFileSync(file, 'utf8').trim();
  const ours = /postgresql-(\d+)/.exec(basename(home.programs))?.[1];
  if (data === ours) return;
  throw new StartError(
    `${home.data} was made by PostgreSQL ${data} and this is ${ours}; dump it with the old version and load it here.`,
  );
}

/** The password of loopback TCP, where there are no unix sockets; made once. */
function passwordOf(home: Places): string | undefined {
  if (home.sockets !== undefined) return undefined;
  const file = join(home.folder, 'postgres.password');
  if (!existsSync(file))
    writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

/** Makes the cluster under another name first: a folder with the right name is a whole one. */
async function makeCluster(home: Home, password: string | undefined): Promise<void> {
  const half = `${home.data}.half`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { mode: 0o700 });
  if (home.osUser) chownSync(half, home.osUser.uid, home.osUser.gid);
  const ways =
    password === undefined
      ? ['--auth-local=trust', '--auth-host=reject']
      : ['--auth=scram-sha-256', `--pwfile=${join(home.folder, 'postgres.password')}`];
  const making = spawn(
    program(home, 'initdb'),
    ['-D', half, '-U', SUPERUSER, '-E', 'UTF8', '--locale-provider=builtin'].concat(
      ['--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions'],
      ways,
    ),
    { ...spawnOptions(home), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let complaint = '';
  making.stderr.setEncoding('utf8').on('data', (words: string) => (complaint += words));
  const code = await new Promise((resolve, reject) =>
    making.on('error', reject).on('close', resolve),
  );
  if (code !== 0) throw new StartError(`The database could not be made: ${lastLine(complaint)}`);
  renameSync(half, home.data);
}

const lastLine = (words: string): string => words.trim().split('\n').at(-1) ?? '';

type Watched = {
  durable: boolean;
  current: () => Running;
  replaced: (next: Running) => void;
  onDeath: (() => void) | undefined;
};

/** Starts the server again whenever it dies by itself, until `end`. */
function watchOver(home: Home, { durable, current, replaced, onDeath }: Watched) {
  const ending = new AbortController();
  const { signal } = ending;
  const watch = async () => {
    for (let isReported = false; ;) {
      await pause(WATCH_MS, undefined, { signal, ref: false });
      if (!hasDied(home, current())) continue;
      if (!isReported) onDeath?.();
      const started = await startServer(home, durable, current().port).catch(() => undefined);
      if (started) replaced(started);
      isReported = started === undefined;
    }
  };
  const watching = watch().catch(() => undefined);
  return {
    end: async () => {
      ending.abort();
      await watching;
    },
  };
}

/** The address of the server that runs on a data folder now, as the owner; `undefined` when none does. */
export function runningEmbedded(dataFolder: string): string | undefined {
  const places = placesIn(resolve(dataFolder));
  const server = findServer(places);
  const password = server && passwordOf(places);
  return (
    server && addressOf(places, { user: OWNER, database: 'kabari', password, port: server.port })
  );
}

function addressOf(
  home: Places,
  to: { user: string; database: string; password: string | undefined; port: number },
): string {
  const host =
    home.sockets === undefined ? `127.0.0.1:${to.port}` : encodeURIComponent(home.sockets);
  const who = to.password === undefined ? to.user : `${to.user}:${to.password}`;
  return `postgres://${who}@${host}/${to.database}`;
}

/** The owner's role and database, made when they are missing. */
async function makeOwner(superuserUrl: string, password: string | undefined): Promise<void> {
  const address = new URL(superuserUrl);
  address.password = password ?? '';
  const sql = openDatabase(address.href, { max: 1, as: 'owner', name: 'first start' });
  try {
    const [role] = await sql<{ replicates: boolean }[]>`
      select rolreplication as replicates from pg_roles where rolname = ${OWNER}`;
    if (!role) await sql.query(`create role ${OWNER} login createrole createdb`);
    // Backups are taken as the owner, who is no superuser.
    if (!role?.replicates) await sql.query(`alter role ${OWNER} replication`);
    if (password !== undefined) await sql.query(`alter role ${OWNER} password '${password}'`);
    const [made] = await sql`select from pg_database where datname = 'kabari'`;
    if (!made) await sql.query(`create database kabari owner ${OWNER}`);
  } finally {
    await sql.end({ timeout: 5 });
  }
}
