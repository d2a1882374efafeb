import { join } from 'node:path';
import { Readable } from 'node:stream';
import { freeBytes } from '#server/infra/observability/disk.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { receiveBaseBackup } from '#server/infra/postgres/driver/base-backup.ts';
import { copyFiles, lineOf } from './archive/files.ts';
import { beginBackup, holdBackups, listBackups, nameAt, removeBackup } from './archive/folder.ts';
import {
  type Manifest,
  partNamed,
  readManifest,
  secretId,
  writeManifest,
} from './archive/manifest.ts';
import { RESERVE_BYTES, type Room, type Sum, openRoom, writePart } from './archive/part.ts';
import type { BackupKey } from './archive/seal.ts';
import { BackupError } from './archive/trouble.ts';
import { DATABASE, DATABASE_LIST, FILE_LIST, fileOf, verifyBackup } from './archive/verify.ts';
import { civilDate } from '#contract/base/time.ts';

export type BackupOptions = {
  /** The embedded database, as its owner, who has REPLICATION. */
  url: string;
  dataFolder: string;
  folder: string;
  key: BackupKey | undefined;
  keep: Keep;
  at: Date;
  app: Manifest['app'];
  /** The SECRET_KEY setting, which is not part of a backup. */
  secretKey: string | undefined;
  signal: AbortSignal;
};

export type MadeBackup = {
  path: string;
  /** Total size, including files shared with earlier backups. */
  bytes: number;
  files: number;
  removed: string[];
};

/**
 * Makes a backup, reads it back, gives it its final name, and then removes expired backups. Content-addressed files
 * are copied after the database: bytes are on disk before the row that names them. Other files are copied before it,
 * so the database has at least the data that they repeat.
 *
 * @throws BackupError, or the original error; the unfinished backup is removed.
 */
export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { folder, key, keep } = options;
  const held = await holdBackups(folder, options.dataFolder);
  try {
    const previous = await previousOf(options);
    await refuseWithoutRoom(options, previous);
    const half = await beginBackup(folder, options.at);
    try {
      const manifest = await writeBackup(options, half.path, previous?.path);
      await verifyBackup(half.path, { key, isDatabaseOnly: true });
      options.signal.throwIfAborted();
      const path = await half.finish();
      const removed = await prune(folder, keep, path);
      return { path, bytes: bytesOf(manifest), files: manifest.files.count, removed };
    } catch (error) {
      await half.remove();
      throw options.signal.aborted
        ? new BackupError('interrupted', 'The backup was interrupted.', error)
        : error;
    }
  } finally {
    held.release();
  }
}

const bytesOf = ({ parts, files }: Manifest): number =>
  Object.values(parts).reduce((sum, { bytes }) => sum + bytes, files.bytes);

async function previousOf({ folder, key }: BackupOptions) {
  for (const { path } of await listBackups(folder)) {
    const manifest = await readManifest(path, key).catch(() => undefined);
    if (manifest?.key_id === (key?.id ?? null)) return { path, manifest };
  }
  return undefined;
}

/** @throws BackupError `disk_full` before anything is written. */
async function refuseWithoutRoom(
  { folder, url }: BackupOptions,
  previous: { manifest: Manifest } | undefined,
): Promise<void> {
  const last = previous?.manifest.parts[fileOf(DATABASE, previous.manifest)];
  const expected = last ? last.bytes * 1.2 : (await databaseBytes(url)) / 2;
  const free = await freeBytes(folder);
  if (free >= expected + RESERVE_BYTES) return;
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  throw new BackupError(
    'disk_full',
    `The disk with ${folder} has ${megabytes(free)} free, and a backup needs ${megabytes(expected + RESERVE_BYTES)}.`,
  );
}

async function databaseBytes(url: string): Promise<number> {
  const sql = openDatabase(url, { max: 1, as: 'owner', name: 'backup' });
  try {
    const [row] = await sql<{ bytes: number }[]>`
      select pg_database_size(current_database()) as bytes`;
    return row?.bytes ?? 0;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

type Writing = BackupOptions & { half: string; room: Room; key_id: string | null };

async function writeBackup(
  options: BackupOptions,
  half: string,
  previous: string | undefined,
): Promise<Manifest> {
  const { key, folder } = options;
  const writing: Writing = {
    ...options,
    half,
    room: openRoom(folder),
    key_id: key?.id ?? null,
  };
  const parts: Record<string, Sum> = {};
  const copying = { ...writing, folder: half, previous };
  const first = await Array.fromAsync(copyFiles(copying, 'others'));
  const { postgres } = await writeDatabase(writing, parts);
  const files = { count: 0, bytes: 0 };
  const list = async function* () {
    for await (const entry of bothOf(first, copyFiles(copying, 'named by their contents'))) {
      files.count += 1;
      files.bytes += entry.bytes;
      yield lineOf(entry);
    }
  };
  await write(writing, parts, FILE_LIST, Readable.from(list(), { objectMode: false }));
  const manifest: Manifest = {
    format: 1,
    at: options.at.toISOString(),
    app: options.app,
    postgres,
    key_id: writing.key_id,
    secret_id: secretId(options.secretKey),
    parts,
    files,
  };
  await writeManifest(half, manifest, key);
  return manifest;
}

async function* bothOf<T>(first: Iterable<T>, second: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* second;
}

async function write(
  { half, key, key_id, room, signal }: Writing,
  parts: Record<string, Sum>,
  part: string,
  contents: Readable,
): Promise<void> {
  const file = fileOf(part, { key_id });
  const form = { ...partNamed({ key_id }, part, key), room, signal };
  const { stored } = await writePart(join(half, file), contents, form);
  parts[file] = stored;
}

async function writeDatabase(
  writing: Writing,
  parts: Record<string, Sum>,
): Promise<{ postgres: string }> {
  const backup = await receiveBaseBackup(writing.url, { label: nameAt(writing.at) });
  try {
    await write(writing, parts, DATABASE, backup.archive);
    const manifest = await backup.manifest;
    await write(writing, parts, DATABASE_LIST, Readable.from([manifest], { objectMode: false }));
    return { postgres: backup.serverVersion };
  } finally {
    await backup.close();
  }
}

/** Call after a new backup is complete. Never removes that one: the clock may be set back. */
async function prune(folder: string, keep: Keep, made: string): Promise<string[]> {
  const old = superseded(await listBackups(folder), keep).filter(({ path }) => path !== made);
  for (const backup of old) await removeBackup(backup);
  return old.map(({ name }) => name);
}

type Keep = { daily: number; weekly: number; monthly: number };

const DAY_MS = 86_400_000;

function periodsOf(at: Date): Record<keyof Keep, string> {
  const daily = civilDate(at);
  // 1970-01-01 was a Thursday.
  const weekly = String(Math.floor((Date.parse(daily) / DAY_MS + 3) / 7));
  return { daily, weekly, monthly: daily.slice(0, 7) };
}

/** All but the newest, and the newest of each of the last days, weeks and months with one. */
export function superseded<T extends { at: Date }>(backups: readonly T[], keep: Keep): T[] {
  const newestFirst = backups.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const retained = new Set(newestFirst.slice(0, 1));
  for (const period of ['daily', 'weekly', 'monthly'] as const) {
    const seen = new Set<string>();
    for (const backup of newestFirst) {
      const name = periodsOf(backup.at)[period];
      if (seen.has(name)) continue;
      if (seen.size >= keep[period]) break;
      seen.add(name);
      retained.add(backup);
    }
  }
  return newestFirst.filter((backup) => !retained.has(backup));
}
