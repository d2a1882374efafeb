import { createHash, randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  open,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Embedded, startEmbedded } from '#server/infra/embedded-postgres/embedded.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { fastFolder } from '#tests/support/database/fast-folder.ts';
import { makeSmallDisk, mayMount } from '#tests/support/database/small-disk.ts';
import { endProcess } from '#tests/support/end-process.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type BackupOptions, makeBackup } from './backup.ts';
import { listBackups } from './archive/folder.ts';
import { restoreBackup } from './restore.ts';
import { backupKeyOf } from './archive/seal.ts';
import { verifyBackup } from './archive/verify.ts';

let data = '';
let server: Embedded;
let owner: Sql;
const photo = randomBytes(200_000);
const digest = createHash('sha256').update(photo).digest('hex');
const photoName = `files/${digest.slice(0, 2)}/${digest}`;

beforeAll(async () => {
  data = await mkdtemp(join(fastFolder(), 'kabari-backup-'));
  server = await startEmbedded({ dataFolder: data, durable: false });
  owner = openDatabase(server.url, { max: 2, as: 'owner', name: 'tests' });
  await owner`create table words (n int primary key, word text not null)`;
  await owner`insert into words select n, md5(n::text) from generate_series(1, 20000) as n`;
  await mkdir(join(data, 'files', digest.slice(0, 2)), { recursive: true });
  await writeFile(join(data, photoName), photo);
  await writeFile(join(data, 'ledger-seals.txt'), 'seal 1\n');
  await writeFile(join(data, 'first-operator.txt'), 'a password');
});

const shared = { plain: '', encrypted: '' };

beforeAll(async () => {
  const folders = [join(data, 'backups/plain'), join(data, 'backups/encrypted')] as const;
  shared.plain = (await makeBackup(optionsFor(folders[0]))).path;
  shared.encrypted = (await makeBackup(optionsFor(folders[1], { key }))).path;
});

const forms = [
  ['plain', undefined],
  ['encrypted', backupKeyOf('a key of chance, long enough for everything')],
] as const;
const key = forms[1][1];

afterAll(async () => {
  await owner.end();
  await server.stop();
  await rm(data, { recursive: true, force: true });
});

async function someFolder(): Promise<string> {
  const folder = await mkdtemp(join(fastFolder(), 'kabari-backups-'));
  // PostgreSQL's own user traverses it to reach a restored folder.
  await chmod(folder, 0o711);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const optionsFor = (folder: string, others: Partial<BackupOptions> = {}): BackupOptions => ({
  url: server.url,
  dataFolder: data,
  folder,
  key: undefined,
  keep: { daily: 7, weekly: 4, monthly: 6 },
  at: new Date('2026-11-22T20:15:00Z'),
  app: { version: '1.0.0', build: 'test' },
  secretKey: undefined,
  signal: new AbortController().signal,
  ...others,
});

const made = async (others: Partial<BackupOptions> = {}) => {
  const folder = await someFolder();
  return { folder, ...(await makeBackup(optionsFor(folder, others))) };
};

async function flip(path: string, at: number): Promise<void> {
  const file = await open(path, 'r+');
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  await file.write(Buffer.of((buffer[0] ?? 0) ^ 1), 0, 1, at);
  await file.close();
}

/** Simulates a disk that changes a byte just before the manifest, the last file, is written. */
function damagedWhenWritten(options: BackupOptions): BackupOptions {
  const { app, folder } = options;
  const half = join(folder, 'kabari-20261123T201500Z.half');
  return Object.defineProperty(options, 'app', {
    get: () => {
      if (existsSync(join(half, 'files.txt.zst'))) {
        const database = join(half, 'database.tar.zst');
        const bytes = readFileSync(database);
        bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
        writeFileSync(database, bytes);
      }
      return app;
    },
  });
}

describe('a backup', () => {
  for (const [how, used] of forms) {
    test(`can be restored completely (${how})`, async () => {
      const folder = join(await someFolder(), 'new');
      const finish = async (unpacked: string) => {
        const again = await startEmbedded({ dataFolder: unpacked });
        const sql = openDatabase(again.url, { max: 1, as: 'owner', name: 'tests' });
        const [found] = await sql`
          select count(*) as n, bool_and(word = md5(n::text)) as whole from words`;
        expect(found).toEqual({ n: 20_000, whole: true });
        await sql.end();
        await again.stop();
      };
      await owner`delete from words where n > 19990`;
      await restoreBackup({ backup: shared[how], folder, key: used, finish });
      await owner`insert into words select n, md5(n::text) from generate_series(19991, 20000) as n`;
      expect(await readFile(join(folder, photoName))).toEqual(photo);
      expect(await readFile(join(folder, 'ledger-seals.txt'), 'utf8')).toBe('seal 1\n');
      expect(existsSync(join(folder, 'first-operator.txt'))).toBe(false);
    });
  }

  test('contains no plaintext under a key, not even names', async () => {
    const path = shared.encrypted;
    const all = await readdir(path, { recursive: true, withFileTypes: true });
    expect(all.map(({ name }) => name).join(' ')).not.toMatch(new RegExp(`${digest}|seals`));
    for (const entry of all.filter((one) => one.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name));
      expect(bytes.includes(photo.subarray(0, 64))).toBe(false);
      expect(bytes.includes('PG_VERSION')).toBe(false);
    }
  });

  test('is refused under another key, and without one', async () => {
    const path = shared.encrypted;
    const other = backupKeyOf('another key of chance, as long as the first');
    await expect(verifyBackup(path, { key: other })).rejects.toThrow(/another key/);
    await expect(verifyBackup(path, { key: undefined })).rejects.toThrow(/BACKUP_KEY_FILE/);
    await expect(verifyBackup(shared.plain, { key: other })).rejects.toThrow(/not encrypted/);
  });

  for (const [how, used] of forms) {
    test(`is damaged if one byte of any file changes (${how})`, async () => {
      const path = shared[how];
      const all = await readdir(path, { recursive: true, withFileTypes: true });
      const files = all.filter((one) => one.isFile());
      expect(files).toHaveLength(6);
      for (const entry of files) {
        const file = join(entry.parentPath, entry.name);
        const middle = Math.floor((await stat(file)).size / 2);
        await flip(file, middle);
        await expect(verifyBackup(path, { key: used }), entry.name).rejects.toThrow(
          expect.objectContaining({ problem: 'damaged' }),
        );
        await flip(file, middle);
      }
      await verifyBackup(path, { key: used });
    });
  }

  test('is damaged if a file is truncated, also if it is sealed', async () => {
    const file = join(shared.encrypted, 'database.tar.zst.sealed');
    const whole = await readFile(file);
    await writeFile(file, whole.subarray(0, -65_552));
    await expect(verifyBackup(shared.encrypted, { key })).rejects.toThrow(
      /damaged|not as it was written/,
    );
    await writeFile(file, whole);
  });

  test('shares immutable files with the previous backup unless they are damaged there', async () => {
    const { folder, path } = await made();
    const next = await makeBackup(optionsFor(folder, { at: new Date('2026-11-23T20:15:00Z') }));
    const [first, second] = await Promise.all(
      [path, next.path].map((one) => stat(join(one, 'data', photoName))),
    );
    expect(second?.ino).toBe(first?.ino);
    const seals = await Promise.all(
      [path, next.path].map((one) => stat(join(one, 'data/ledger-seals.txt'))),
    );
    expect(seals[0]?.ino).not.toBe(seals[1]?.ino);
    await flip(join(path, 'data', photoName), 77);
    const last = await makeBackup(optionsFor(folder, { at: new Date('2026-11-24T20:15:00Z') }));
    await verifyBackup(last.path, { key: undefined });
    expect(await readFile(join(last.path, 'data', photoName))).toEqual(photo);
  });

  test('removes old backups only after it was completed and read back', async () => {
    const folder = await someFolder();
    const keep = { daily: 1, weekly: 0, monthly: 0 };
    await makeBackup(optionsFor(folder, { keep }));
    const ending = new AbortController();
    ending.abort();
    const later = { keep, at: new Date('2026-11-23T20:15:00Z') };
    await expect(
      makeBackup(optionsFor(folder, { ...later, signal: ending.signal })),
    ).rejects.toThrow(/interrupted/);
    await expect(makeBackup(damagedWhenWritten(optionsFor(folder, later)))).rejects.toThrow(
      expect.objectContaining({ problem: 'damaged' }),
    );
    expect(await readdir(folder)).toEqual(['kabari-20261122T201500Z']);
    const { removed } = await makeBackup(optionsFor(folder, later));
    expect(removed).toEqual(['kabari-20261122T201500Z']);
    expect((await readdir(folder)).toSorted()).toEqual(['kabari-20261123T201500Z']);
  });

  test('runs one at a time', async () => {
    const folder = await someFolder();
    const both = await Promise.allSettled([
      makeBackup(optionsFor(folder)),
      makeBackup(optionsFor(folder)),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await listBackups(folder)).toHaveLength(1);
  });

  test('is ignored if killed half-way, and removed by the next run', async () => {
    const folder = await someFolder();
    const { key: _, signal: __, at: ___, ...given } = optionsFor(folder);
    const words = `
      import { makeBackup } from ${JSON.stringify(join(import.meta.dirname, 'backup.ts'))};
      const given = ${JSON.stringify(given)};
      const at = new Date('2026-11-22T20:15:00Z');
      await makeBackup({ ...given, at, key: undefined, signal: new AbortController().signal });`;
    const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', words], {
      stdio: 'ignore',
    });
    const half = join(folder, 'kabari-20261122T201500Z.half', 'database.tar.zst');
    await waitFor(async () => expect((await stat(half)).size).toBeGreaterThan(0));
    await endProcess(child, 'SIGKILL');
    expect(await listBackups(folder)).toEqual([]);
    const { path } = await makeBackup(optionsFor(folder));
    expect(await readdir(folder)).toEqual(['kabari-20261122T201500Z']);
    await verifyBackup(path, { key: undefined });
    const slots = await owner`select slot_name from pg_replication_slots`;
    expect(slots).toEqual([]);
  });
});

describe.skipIf(!mayMount)('a full disk (runs where root may mount a small one)', () => {
  const onDisk = (megabytes: number) => {
    const disk = makeSmallDisk(megabytes);
    onTestFinished(() => disk.remove());
    return disk;
  };

  test('is detected before anything is written', async () => {
    const { folder } = onDisk(120);
    await expect(makeBackup(optionsFor(join(folder, 'backups')))).rejects.toThrow(
      expect.objectContaining({
        problem: 'disk_full',
        message: expect.stringMatching(/has \d+ MB free, and a backup needs \d+ MB/),
      }),
    );
  });

  test('that fills up during a backup gets no leftover files and keeps space for the database', async () => {
    const { folder } = onDisk(230);
    const large = join(data, 'files', 'large');
    await writeFile(large, randomBytes(120_000_000));
    onTestFinished(() => rm(large, { force: true }));
    const backups = join(folder, 'backups');
    await expect(makeBackup(optionsFor(backups))).rejects.toThrow(
      expect.objectContaining({ problem: 'disk_full' }),
    );
    expect(await readdir(backups)).toEqual([]);
  });
});

describe('restoring', () => {
  const nothing = async () => undefined;

  test('refuses a folder that is not empty, and leaves it unchanged', async () => {
    const folder = await someFolder();
    await writeFile(join(folder, 'mine.txt'), 'mine');
    await expect(
      restoreBackup({ backup: shared.plain, folder, key: undefined, finish: nothing }),
    ).rejects.toThrow(/is not empty/);
    expect(await readdir(folder)).toEqual(['mine.txt']);
  });

  test('refuses targets it cannot replace, and a folder inside an existing data folder', async () => {
    const folder = await someFolder();
    await symlink(await someFolder(), join(folder, 'link'));
    const restored = (to: string) =>
      restoreBackup({ backup: '/nowhere', folder: to, key: undefined, finish: nothing });
    await expect(restored(join(folder, 'link'))).rejects.toThrow(/is a link/);
    await expect(restored(join(data, 'backups', 'new'))).rejects.toThrow(/among the data/);
  });

  test('accepts an empty folder, and leaves no files if it fails', async () => {
    const above = await someFolder();
    const folder = join(above, 'new');
    await mkdir(folder);
    const failing = () => Promise.reject(new Error('no'));
    await expect(
      restoreBackup({ backup: shared.plain, folder, key: undefined, finish: failing }),
    ).rejects.toThrow('no');
    expect(await readdir(above)).toEqual(['new']);
    await restoreBackup({ backup: shared.plain, folder, key: undefined, finish: nothing });
    expect(existsSync(join(folder, 'postgres/backup_label'))).toBe(true);
    expect(await readdir(above)).toEqual(['new']);
  });

  test('refuses damaged backups and other files before it writes', async () => {
    const above = await someFolder();
    const folder = join(above, 'new');
    const restore = (backup: string) =>
      restoreBackup({ backup, folder, key: undefined, finish: nothing });
    await expect(restore(above)).rejects.toThrow(/is no backup/);
    const database = join(shared.plain, 'database.tar.zst');
    await flip(database, 1_000);
    await expect(restore(shared.plain)).rejects.toThrow(
      expect.objectContaining({ problem: 'damaged' }),
    );
    await flip(database, 1_000);
    expect(await readdir(above)).toEqual([]);
  });
});
