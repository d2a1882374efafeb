import { pollEvery } from '#server/infra/polling.ts';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { StartError } from '#server/infra/start-error.ts';

const MB = 1_000_000;
/** Below this a disk counts as full: PostgreSQL stops if it cannot write a 16 MB WAL segment. */
export const FREE_BYTES_MIN = 40 * MB;

const fullCodes = new Set(['ENOSPC', 'EDQUOT', '53100']);

export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && fullCodes.has(String(error.code))) || isDiskFull(error.cause));

/** The folder need not exist yet; Infinity if the file system has no size. */
export async function freeBytes(folder: string): Promise<number> {
  const { bytes, free } = await sizeOf(folder);
  return bytes === 0 ? Infinity : free;
}

async function sizeOf(folder: string): Promise<{ bytes: number; free: number }> {
  const above = dirname(folder);
  if (!existsSync(folder) && above !== folder) return sizeOf(above);
  const { blocks, bavail, bsize } = await statfs(folder);
  return { bytes: blocks * bsize, free: bavail * bsize };
}

export function measureDisks(metrics: Metrics, folders: Readonly<Record<string, string>>): void {
  const samples = async (valueOf: (size: { bytes: number; free: number }) => number) => {
    const read = Object.entries(folders).map(async ([disk, folder]) => {
      const size = await sizeOf(folder).catch(() => undefined);
      return size && size.bytes > 0 ? [{ labels: { disk }, value: valueOf(size) }] : [];
    });
    return (await Promise.all(read)).flat();
  };
  metrics.gauge('kabari_disk_free_bytes', 'Bytes that may still be written to the disk', () =>
    samples(({ free }) => free),
  );
  metrics.gauge('kabari_disk_bytes', 'The size of the disk', () => samples(({ bytes }) => bytes));
}

const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(1)} MB`;

/** The sentence for a start that fails on a full disk, with the disk and its free space. */
export async function diskFullSentence(error: unknown, folder: string): Promise<string> {
  if (codeOf(error) === '53100') {
    return 'The disk of the database is full; free some of it (or let it grow), then start again.';
  }
  const free = await freeBytes(folder).catch(() => 0);
  return `The disk with ${folder} is full (${megabytes(free)} free); free some of it, or set KABARI_DATA to a folder on another, then start again.`;
}

const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && fullCodes.has(String(error.code))
    ? String(error.code)
    : codeOf(error.cause);
};

/** @throws StartError if the disk of a folder has fewer free bytes than needed. */
export async function refuseFullDisk(folder: string, needed = FREE_BYTES_MIN): Promise<void> {
  const free = await freeBytes(folder).catch(() => undefined);
  if (free === undefined || free >= needed) return;
  throw new StartError(
    `The disk with ${folder} has ${megabytes(free)} free, and Kabari needs ${megabytes(needed)} to start; free some of it, or set KABARI_DATA to a folder on another.`,
  );
}

/** Interval of the disk checks, so that `/readyz`, which caches for half a second, soon shows a full disk. */
const LOOK_MS = 2_000;
/** More than 64 kB of memory holds: PostgreSQL spills some 200 kB to its disk. */
const SPILLING_ROWS = 10_000;

export type DiskWatch = {
  /** The full disks: the data folder's path, or `the database`; empty if none. */
  full: () => readonly string[];
  close: () => Promise<void>;
};

/**
 * Checks the disks of the data folder and of the database by writing; logs once when one fills up and once when it
 * has space again. An unreachable database changes nothing here.
 */
export function watchDisks({
  folder,
  sql,
  log,
}: {
  folder: string;
  sql: Sql;
  log: Log;
}): DiskWatch {
  const full = new Set<string>();
  const logState = (disk: string, state: 'full' | 'well' | 'unknown', free?: number) => {
    if (state === 'unknown' || (state === 'full') === full.has(disk)) return;
    const facts = { disk, ...(free !== undefined && { free }) };
    if (state === 'well') {
      full.delete(disk);
      log.warn(facts, 'the disk has room again');
    } else {
      full.add(disk);
      log.error(facts, 'the disk is full: nothing new is accepted until it has room');
    }
  };
  const look = async () => {
    const free = await freeBytes(folder).catch(() => undefined);
    const [here, there] = await Promise.all([tryFolder(folder, free), tryDatabase(sql)]);
    logState(folder, here, free);
    logState('the database', there);
  };
  let looking: Promise<void> | undefined;
  const stop = pollEvery(LOOK_MS, () => {
    looking ??= look().finally(() => (looking = undefined));
  });
  return {
    full: () => [...full],
    close: async () => {
      stop();
      await looking;
    },
  };
}

async function tryFolder(
  folder: string,
  free: number | undefined,
): Promise<'full' | 'well' | 'unknown'> {
  if (free !== undefined && free < FREE_BYTES_MIN) return 'full';
  const path = join(folder, `.trial-${randomUUID()}`);
  try {
    await writeFile(path, Buffer.alloc(4_096), { flag: 'wx', mode: 0o600 });
    return 'well';
  } catch (error) {
    return isDiskFull(error) ? 'full' : 'unknown';
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

async function tryDatabase(sql: Sql): Promise<'full' | 'well' | 'unknown'> {
  try {
    await sql.begin(async (tx) => {
      await tx`set local work_mem = '64kB'`;
      await tx`select count(*) from generate_series(1, ${SPILLING_ROWS}::int)`;
    });
    return 'well';
  } catch (error) {
    return isDiskFull(error) ? 'full' : 'unknown';
  }
}
