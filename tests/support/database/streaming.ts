import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { chownSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { updateSchema } from '#server/infra/postgres/functions.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { receiveBaseBackup } from '#server/infra/postgres/driver/base-backup.ts';
import {
  startEmbedded,
  type Running,
  startServer,
  stopServer,
} from '#server/infra/embedded-postgres/embedded.ts';
import { type Home, prepareHome, openFolder } from '#server/infra/embedded-postgres/home.ts';
import { fastFolder } from './fast-folder.ts';

/** A test's own PostgreSQL, which nothing restarts after its end. */
export type StreamingServer = {
  url: string;
  superuserUrl: string;
  /** Runs scripts as the superuser in order; settings of `ALTER SYSTEM` are then in force. */
  run: (...scripts: string[]) => Promise<void>;
  start: () => Promise<void>;
  /** Ends all of its processes at once, as a power loss does. */
  kill: () => void;
  /** Suspends all of its processes: a machine that hangs. */
  freeze: () => void;
  thaw: () => void;
  remove: () => Promise<void>;
};

const PORT = 5432;
const serverFolder = join(import.meta.dirname, '../../../src/server');

/**
 * Starts a server with the migrated database `kabari`.
 * @param durable whether commits are synced, which is required to survive a kill.
 */
export async function startPrimary({ durable = false } = {}): Promise<StreamingServer> {
  const folder = await newFolder();
  const embedded = await startEmbedded({ dataFolder: folder, durable });
  const owner = openDatabase(embedded.url, { max: 1, as: 'owner', name: 'template' });
  await updateSchema(owner, serverFolder);
  await owner.end();
  await embedded.stop();
  return startHere(folder, durable);
}

/**
 * Starts a standby of a server from its base backup.
 * @param name its `application_name` on the primary.
 */
export async function startStandby(
  primary: Pick<StreamingServer, 'url'>,
  { name = 'standby', durable = false } = {},
): Promise<StreamingServer> {
  const folder = await newFolder();
  const home = prepareHome(folder, openFolder(folder));
  await mkdir(home.data, { mode: 0o700 });
  if (home.osUser) chownSync(home.data, home.osUser.uid, home.osUser.gid);
  const backup = await receiveBaseBackup(primary.url, { label: name });
  const tar = spawn('tar', ['-x', '-C', home.data], {
    ...home.osUser,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const unpacked = once(tar, 'close');
  // tar may exit, which destroys its input, before Node has seen that all was written: its exit code tells.
  const isEarlyExit = (error: NodeJS.ErrnoException) => error.code === 'ERR_STREAM_PREMATURE_CLOSE';
  await pipeline(backup.archive, tar.stdin).catch((error: NodeJS.ErrnoException) => {
    if (!isEarlyExit(error)) throw error;
  });
  const [[code]] = await Promise.all([unpacked, backup.manifest]);
  if (code !== 0) throw new Error(`tar ended with ${code}`);
  await backup.close();
  await follow(home, primary, name);
  return startHere(folder, durable);
}

/** Makes a data folder replay the primary's WAL from now on. */
async function follow(home: Home, { url }: { url: string }, name: string): Promise<void> {
  const { hostname, username } = new URL(url);
  const from = `host=${decodeURIComponent(hostname)} port=${PORT} user=${username} application_name=${name}`;
  await appendFile(
    join(home.data, 'postgresql.auto.conf'),
    `primary_conninfo = '${from}'\nwal_retrieve_retry_interval = '200ms'\n`,
  );
  await writeFile(join(home.data, 'standby.signal'), '');
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(fastFolder(), 'kabari-streaming-'));
  await chmod(folder, 0o711);
  return folder;
}

async function startHere(folder: string, durable: boolean): Promise<StreamingServer> {
  const home = prepareHome(folder, openFolder(folder));
  let running: Running | undefined;
  const start = async () => {
    running = await startServer(home, durable, PORT);
    if (!running) throw new Error(readFileSync(home.log, 'utf8'));
  };
  const signal = (name: NodeJS.Signals) => {
    for (const pid of running ? processesOf(running.pid) : []) {
      try {
        process.kill(pid, name);
      } catch {
        // It has just ended.
      }
    }
  };
  const kill = () => {
    // The postmaster first: it would restart the others.
    signal('SIGKILL');
    running = undefined;
  };
  const leave = () => {
    kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', leave);
  await start();
  const host = encodeURIComponent(home.sockets ?? '');
  const superuserUrl = `postgres://postgres@${host}/postgres`;
  return {
    url: `postgres://kabari@${host}/kabari`,
    superuserUrl,
    run: async (...scripts) => {
      const sql = openDatabase(superuserUrl, { max: 1, as: 'owner', name: 'tests' });
      for (const script of scripts) await sql.query(script);
      await sql.end();
    },
    start,
    kill,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    remove: async () => {
      if (running) {
        signal('SIGCONT');
        await stopServer(home, running);
      }
      process.off('exit', leave);
      if (home.sockets !== undefined) await rm(home.sockets, { recursive: true, force: true });
      await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

function processesOf(pid: number): number[] {
  const children = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && parentOf(name) === pid,
  );
  return [pid, ...children.map(Number)];
}

function parentOf(pid: string): number {
  try {
    return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
  } catch {
    return 0;
  }
}
