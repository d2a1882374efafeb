import { spawn, type ChildProcess, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  closeSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { FREE_BYTES_MIN, refuseFullDisk } from '#server/infra/observability/disk.ts';
import { type Home, type Places, prepareHome, openFolder, placesIn } from './home.ts';
import { holdFolder } from './folder-lock.ts';
import { StartError } from '#server/infra/start-error.ts';
import { createServer } from 'node:net';

/** The role that owns the application's database; runs migrations, and is no superuser. */
const OWNER = 'kabari';
const SUPERUSER = 'postgres';
const WATCH_MS = 200;

export type Embedded = {
  url: string;
  superuserUrl: string;
  stop(): Promise<void>;
};

type EmbeddedOptions = {
  dataFolder: string;
  /** False only for tests: nothing is flushed, so a power cut loses the database. */
  durable?: boolean;
  onDeath?: () => void;
};

/**
 * Runs the PostgreSQL that npm installed; recovers after a crash, takes over a server that outlived its application,
 * and restarts one that dies. One application per folder.
 *
 * @throws StartError if the folder is in use or not writable, or has data of another major version.
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
    const home = prepareHome(folder, osUser);
    refuseOtherMajor(home);
    const password = passwordOf(home);
    if (!existsSync(home.data)) await makeCluster(home, password);
    let running = await runServer(home, durable);
    leave = () => stopServer(home, running);
    const address = (user: string, database: string) =>
      addressOf(home, { user, database, password, port: running.port });
    await makeOwner(address(SUPERUSER, 'postgres'), password);
    const watch = supervise(home, {
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

/** Bytes written by the first start: PostgreSQL's programs and an empty cluster. */
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

/** The password for loopback TCP on systems without unix sockets; created once. */
function passwordOf(home: Places): string | undefined {
  if (home.sockets !== undefined) return undefined;
  const file = join(home.folder, 'postgres.password');
  if (!existsSync(file))
    writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
}

/** Creates the cluster under a temporary name: a folder with the final name is complete. */
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

function supervise(home: Home, { durable, current, replaced, onDeath }: Watched) {
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

/** The address of the server running on a data folder, as the owner; `undefined` if none runs. */
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

const STARTING_MS_MAX = 60_000;
const LOG_BYTES_MAX = 10_000_000;

export type Running = { pid: number; port: number; child: ChildProcess | undefined };

const program = (home: Home, name: string) =>
  join(home.programs, 'bin', process.platform === 'win32' ? `${name}.exe` : name);

/** PostgreSQL's programs run as the operating-system user, in a folder this user may enter. */
const spawnOptions = (home: Home) => ({
  ...home.osUser,
  cwd: home.folder,
  env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C', TZ: 'UTC' },
});

/** For a small machine, durable, and with a log that contains no user content. */
function serverSettings(home: Home, durable: boolean, port: number): string[] {
  const durability = durable ? 'on' : 'off';
  const settings: Record<string, string> = {
    listen_addresses: home.sockets === undefined ? '127.0.0.1' : '',
    port: String(port),
    ...(home.sockets !== undefined && {
      unix_socket_directories: home.sockets,
      unix_socket_permissions: '0700',
    }),
    // Only tests run without durability, and they run several processes' worth of pools at once.
    max_connections: durable ? '60' : '200',
    shared_buffers: '128MB',
    max_locks_per_transaction: '256',
    fsync: durability,
    synchronous_commit: durability,
    full_page_writes: durability,
    wal_compression: 'on',
    max_wal_size: '1GB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Above ERROR: a failed statement may contain user content.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length_on_error: '0',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

function pidFile({ data }: Places): { pid: number; port: number; state: string } | undefined {
  try {
    const lines = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), state: (lines[7] ?? '').trim() };
  } catch {
    return undefined;
  }
}

/** Whether the process is alive and serves this data, and is not another one with the same PID. */
function isServer({ data }: Places, pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  try {
    if (process.platform === 'linux') {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return basename(words[0] ?? '').startsWith('postgres') && words.includes(data);
    }
    if (process.platform === 'win32') {
      const list = ['/NH', '/FO', 'CSV', '/FI', `PID eq ${pid}`];
      return execFileSync('tasklist', list, { encoding: 'utf8' }).includes('postgres');
    }
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes('postgres') && command.includes(data);
  } catch {
    return false;
  }
}

export function findServer(places: Places): Running | undefined {
  const left = pidFile(places);
  if (left === undefined || !isServer(places, left.pid)) return undefined;
  return { pid: left.pid, port: left.port, child: undefined };
}

/**
 * Returns a server for the data: the running one if its programs and settings match, else a new one.
 *
 * @throws StartError if it does not start within a minute.
 */
async function runServer(home: Home, durable: boolean): Promise<Running> {
  const old = findServer(home);
  if (old) {
    const isCurrent = startedAs(home, serverSettings(home, durable, old.port));
    if (isCurrent && (await waitUntilReady(home, old))) return old;
    await stopServer(home, old);
  }
  const port = home.sockets === undefined ? await freePort() : 5432;
  for (let tries = 0; tries < 20; tries++) {
    const started = await startServer(home, durable, port);
    if (started) return started;
    // The last server's children may still be exiting: PostgreSQL detects them and refuses to start.
    await pause(250);
  }
  throw new StartError(`The database does not start; ${home.log} says why.`);
}

function startedAs(home: Home, settings: readonly string[]): boolean {
  try {
    const words = readFileSync(join(home.data, 'postmaster.opts'), 'utf8').trim();
    const ours = [
      program(home, 'postgres'),
      ...['-D', home.data, ...settings].map((word) => `"${word}"`),
    ];
    return words === ours.join(' ');
  } catch {
    return false;
  }
}

/**
 * PostgreSQL would refuse to start if another process reuses the PID in its pid file. The file is not removed,
 * because its shared-memory line reveals children of the dead server that still write. The PID in it becomes ours,
 * the parent's, which PostgreSQL ignores.
 */
function disownPidFile(home: Home): void {
  const left = pidFile(home);
  if (left === undefined || isServer(home, left.pid)) return;
  const file = join(home.data, 'postmaster.pid');
  const [, ...rest] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, [String(process.pid), ...rest].join('\n'));
  if (home.sockets === undefined) return;
  for (const name of readdirSync(home.sockets)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(home.sockets, name), { force: true });
  }
}

/**
 * In its own session, so that it survives Ctrl-C and the death of the application; the next start takes it over.
 *
 * @returns `undefined` if it exited instead of becoming ready.
 */
export async function startServer(
  home: Home,
  durable: boolean,
  port: number,
): Promise<Running | undefined> {
  disownPidFile(home);
  if (existsSync(home.log) && statSync(home.log).size > LOG_BYTES_MAX) {
    renameSync(home.log, `${home.log}.1`);
  }
  const log = openSync(home.log, 'a', 0o600);
  const settings = serverSettings(home, durable, port);
  const child = spawn(program(home, 'postgres'), ['-D', home.data, ...settings], {
    ...spawnOptions(home),
    detached: true,
    stdio: ['ignore', log, log],
    windowsHide: true,
  });
  closeSync(log);
  let problem: Error | undefined;
  child.once('error', (error) => (problem = error)).unref();
  const { pid } = child;
  if (pid === undefined) {
    await pause(0);
    throw new StartError(`PostgreSQL cannot be run: ${problem?.message ?? 'no process'}.`);
  }
  const server: Running = { pid, port, child };
  return (await waitUntilReady(home, server)) ? server : undefined;
}

const hasDied = (home: Home, { pid, child }: Running): boolean =>
  child ? child.exitCode !== null || child.signalCode !== null : !isServer(home, pid);

/** Waits until a server reports that it is ready; false if it dies, stops, or takes a minute. */
async function waitUntilReady(home: Home, server: Running): Promise<boolean> {
  const until = Date.now() + STARTING_MS_MAX;
  while (Date.now() < until && !hasDied(home, server)) {
    const status = pidFile(home);
    if (status?.pid === server.pid && status.state === 'ready') return true;
    if (status?.pid === server.pid && status.state === 'stopping') return false;
    await pause(10);
  }
  return false;
}

/** Fast shutdown: ends connections and flushes everything. Returns when the server has exited. */
export async function stopServer(home: Home, server: Running): Promise<void> {
  if (process.platform === 'win32') {
    const stop = ['stop', '-D', home.data, '-m', 'fast', '-w'];
    execFileSync(program(home, 'pg_ctl'), stop, { stdio: 'ignore' });
    return;
  }
  const until = Date.now() + STARTING_MS_MAX;
  for (let isSignalled = false; !hasDied(home, server); isSignalled = true) {
    if (!isSignalled) process.kill(server.pid, 'SIGINT');
    if (Date.now() > until) throw new Error(`the database (process ${server.pid}) does not stop`);
    await pause(10);
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
