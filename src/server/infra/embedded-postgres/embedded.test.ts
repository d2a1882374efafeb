import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { startEmbedded } from './embedded.ts';
import { openFolder } from './home.ts';

const program = join(import.meta.dirname, 'embedded.ts');
const windows = process.platform === 'win32';

let folder = '';
let houses: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kabari-embedded-'));
});

afterEach(async () => {
  for (const app of houses) if (app.exitCode === null) app.kill('SIGKILL');
  houses = [];
});

afterAll(async () => {
  const last = await startEmbedded({ dataFolder: folder });
  await last.stop();
  await rm(folder, { recursive: true, force: true });
});

function appProcess(): { app: ChildProcess; said: Promise<string>; complaint: () => string } {
  const words = `
    import { startEmbedded } from ${JSON.stringify(program)};
    try {
      const { url } = await startEmbedded({ dataFolder: ${JSON.stringify(folder)} });
      console.log(url);
      setInterval(() => undefined, 1_000);
    } catch (error) {
      console.error(error.name === 'StartError' ? error.message : error);
      process.exitCode = 1;
    }`;
  const given = ['--input-type=module-typescript', '--eval', words];
  const app = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'pipe'] });
  houses.push(app);
  let complaint = '';
  app.stderr.setEncoding('utf8').on('data', (more: string) => (complaint += more));
  app.stdout.setEncoding('utf8');
  const said = new Promise<string>((resolve, reject) => {
    app.stdout.once('data', (line: string) => resolve(line.trim()));
    app.once('exit', () => reject(new Error(complaint)));
  });
  said.catch(() => undefined);
  return { app, said, complaint: () => complaint };
}

const serverPid = async () =>
  Number((await readFile(join(folder, 'postgres/postmaster.pid'), 'utf8')).split('\n')[0]);

const openOwner = (url: string) => openDatabase(url, { max: 1, as: 'owner', name: 'tests' });

const untilGone = async (pid: number) => {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await pause(10);
  }
};

describe('the embedded database', () => {
  test('keeps its data between starts', async () => {
    const first = await startEmbedded({ dataFolder: folder });
    const sql = openOwner(first.url);
    await sql`create table kept (word text)`;
    await sql`insert into kept values ('halo')`;
    await sql.end();
    await first.stop();
    expect(existsSync(join(folder, 'postgres/postmaster.pid'))).toBe(false);

    const again = await startEmbedded({ dataFolder: folder });
    const later = openOwner(again.url);
    expect(await later`select word from kept`).toEqual([{ word: 'halo' }]);
    await later.end();
    await again.stop();
  });

  test('is durable, is UTF-8, and its owner is no superuser', async () => {
    const server = await startEmbedded({ dataFolder: folder });
    const sql = openOwner(server.url);
    expect(
      await sql`
        select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
               current_setting('full_page_writes') as pages,
               current_setting('server_encoding') as encoding, rolsuper as superuser
        from pg_roles where rolname = current_user`,
    ).toEqual([{ fsync: 'on', commit: 'on', pages: 'on', encoding: 'UTF8', superuser: false }]);
    await sql.end();
    await server.stop();
  });

  test.skipIf(windows)('cannot be reached by other users of the machine', async () => {
    const server = await startEmbedded({ dataFolder: folder });
    const sql = openOwner(server.url);
    expect(await sql`select current_setting('listen_addresses') as tcp`).toEqual([{ tcp: '' }]);
    for (const inside of ['socket', 'postgres']) {
      expect(((await stat(join(folder, inside))).mode & 0o777).toString(8)).toBe('700');
    }
    await sql.end();
    await server.stop();
  });

  test('reports in one sentence that the folder is in use, and exits', async () => {
    const { app, said } = appProcess();
    await said;
    const second = appProcess();
    await once(second.app, 'close');
    expect(second.app.exitCode).toBe(1);
    expect(second.complaint()).toBe(
      `Kabari already runs on ${folder} (process ${app.pid}); stop it first, or set KABARI_DATA to another folder.\n`,
    );
  });

  test('exactly one of many concurrent starts wins', async () => {
    const starts = [1, 2, 3, 4].map(() => appProcess());
    const ends = await Promise.allSettled(starts.map(({ said }) => said));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('after a crash', () => {
  test('the server survives the application, and the next start takes it over at once', async () => {
    const { app, said } = appProcess();
    const sql = openOwner(await said);
    await sql`create table survivors (word text)`;
    await sql`insert into survivors values ('confirmed')`;
    const pid = await serverPid();
    app.kill('SIGKILL');
    await once(app, 'close');

    const server = await startEmbedded({ dataFolder: folder });
    expect(await serverPid()).toBe(pid);
    expect(await sql`select word from survivors`).toEqual([{ word: 'confirmed' }]);
    await sql.end();
    await server.stop();
    expect(existsSync(join(folder, 'postgres/postmaster.pid'))).toBe(false);
  });

  test('committed data survives when application and server are killed together', async () => {
    const { app, said } = appProcess();
    const sql = openOwner(await said);
    await sql`create table confirmed (n int)`;
    for (let n = 0; n < 50; n++) await sql`insert into confirmed values (${n})`;
    const pid = await serverPid();
    app.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await sql.end({ timeout: 0 });
    await untilGone(pid);

    const server = await startEmbedded({ dataFolder: folder });
    const later = openOwner(server.url);
    expect(await later`select count(*) as n from confirmed`).toEqual([{ n: 50 }]);
    await later.end();
    await server.stop();
  });

  test('restarts a server that dies while the application runs', async () => {
    let deaths = 0;
    const server = await startEmbedded({ dataFolder: folder, onDeath: () => deaths++ });
    const sql = openOwner(server.url);
    await sql`select 1`;
    const pid = await serverPid();
    process.kill(pid, 'SIGKILL');
    await waitFor(async () => expect(await serverPid().catch(() => pid)).not.toBe(pid));
    await waitFor(async () =>
      expect(await sql`select 1 as one`.catch(() => [])).toEqual([{ one: 1 }]),
    );
    expect(deaths).toBe(1);
    await sql.end();
    await server.stop();
  });

  test('starts although another process reuses the PID in a stale pid file', async () => {
    const server = await startEmbedded({ dataFolder: folder });
    await server.stop();
    const stranger = spawn('sleep', ['60'], await strangersSpawnOptions());
    houses.push(stranger);
    const lines = [stranger.pid, join(folder, 'postgres'), 1, 5432, '', '', '  1  1', 'ready   '];
    await writeFile(join(folder, 'postgres/postmaster.pid'), `${lines.join('\n')}\n`);

    const again = await startEmbedded({ dataFolder: folder });
    expect(await serverPid()).not.toBe(stranger.pid);
    await again.stop();
  });

  test('takes over the lock of a dead process', async () => {
    const gone = spawn(process.execPath, ['--eval', '']);
    await once(gone, 'close');
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: gone.pid, since: 'long ago' }));
    const server = await startEmbedded({ dataFolder: folder });
    await server.stop();
    expect(existsSync(join(folder, 'lock'))).toBe(false);
  });

  test('takes over a lock whose PID another process reuses', async () => {
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: process.pid, since: 'long ago' }));
    const server = await startEmbedded({ dataFolder: folder });
    await server.stop();
  });

  test('recreates an unfinished cluster', async () => {
    const other = await mkdtemp(join(tmpdir(), 'kabari-embedded-'));
    await mkdir(join(other, 'postgres.half/base'), { recursive: true });
    const server = await startEmbedded({ dataFolder: other, durable: false });
    await server.stop();
    await rm(other, { recursive: true, force: true });
  });
});

/** The other process runs as PostgreSQL's own user, whose processes PostgreSQL would check. */
async function strangersSpawnOptions(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = await stat(join(folder, 'postgres'));
  return { uid, gid };
}

describe('a relative folder', () => {
  test('is the same folder', async () => {
    const server = await startEmbedded({ dataFolder: relative(process.cwd(), folder) });
    expect(decodeURIComponent(server.url)).toContain(folder);
    await server.stop();
  });
});

describe('a folder that cannot be used', () => {
  test.runIf(process.platform === 'linux')(
    'that can never be made is named, not waited for',
    async () => {
      await expect(startEmbedded({ dataFolder: '/proc/kabari/data' })).rejects.toThrow(
        /^The data folder \/proc\/kabari\/data cannot be written \(ENOENT\); /,
      );
    },
  );

  test('that is not writable is named in one sentence', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    await expect(startEmbedded({ dataFolder: join(file, 'data') })).rejects.toThrow(
      /^The data folder .* cannot be written \(ENOTDIR\); .*KABARI_DATA/,
    );
    await chmod(file, 0o644);
    await expect(startEmbedded({ dataFolder: file })).rejects.toThrow(/\(ENOTDIR\)/);
    expect((await stat(file)).mode & 0o777).toBe(0o644);
  });

  test('that existed before keeps its read permissions', async () => {
    const other = await mkdtemp(join(tmpdir(), 'kabari-embedded-'));
    await chmod(other, 0o755);
    openFolder(other);
    expect((await stat(other)).mode & 0o777).toBe(0o755);
    await rm(other, { recursive: true, force: true });
  });

  test('of another major version is left unchanged', async () => {
    const other = await mkdtemp(join(tmpdir(), 'kabari-embedded-'));
    await mkdir(join(other, 'postgres'));
    await writeFile(join(other, 'postgres/PG_VERSION'), '15\n');
    const before = join(other, 'before');
    await cp(join(other, 'postgres'), before, { recursive: true });
    await expect(startEmbedded({ dataFolder: other })).rejects.toThrow(
      'was made by PostgreSQL 15 and this is 18',
    );
    expect(existsSync(join(other, 'lock'))).toBe(false);
    await rm(other, { recursive: true, force: true });
  });

  test('works with a path that is too long for a socket', async () => {
    const root = await mkdtemp(join(tmpdir(), 'kabari-embedded-'));
    await chmod(root, 0o711);
    const other = join(root, 'a'.repeat(60), 'b'.repeat(60));
    const server = await startEmbedded({ dataFolder: other, durable: false });
    const sql = openOwner(server.url);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    await sql.end();
    await server.stop();
    await rm(root, { recursive: true, force: true });
  });
});
