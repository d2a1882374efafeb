import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holdFolder } from '#server/infra/embedded-postgres/folder-lock.ts';
import { StartError } from '#server/infra/start-error.ts';
import { syncFolder } from '#server/infra/sync-folder.ts';
import { BackupError } from './trouble.ts';

/** A backup in the folder of backups. */
export type StoredBackup = { name: string; path: string; at: Date };

const HALF = '.half';
const pattern = /^kabari-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-\d+)?$/;

/** What a backup of a moment is called: `kabari-20261122T201500Z`, in UTC. */
export const nameAt = (at: Date): string =>
  `kabari-${at.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`;

/** The whole backups of a folder, newest first; none when there is no such folder. */
export async function listBackups(folder: string): Promise<StoredBackup[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  return names
    .flatMap((name) => {
      const [, ...parts] = pattern.exec(name) ?? [];
      const [year, month, day, hour, minute, second] = parts;
      if (second === undefined) return [];
      const at = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ name, path: join(folder, name), at }];
    })
    .toSorted((a, b) => b.name.localeCompare(a.name));
}

/** A backup under way: under another name, until it is whole. */
export type HalfBackup = {
  path: string;
  /** Gives it its name, by which it counts. @returns where it lies now. */
  finish: () => Promise<string>;
  remove: () => Promise<void>;
};

/** Begins a backup; what dead processes left half-made is removed. Who calls it holds the folder. */
export async function beginBackup(folder: string, at: Date): Promise<HalfBackup> {
  for (const name of await readdir(folder)) {
    if (name.startsWith('kabari-') && name.endsWith(HALF)) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
  const taken = new Set(await readdir(folder));
  let name = nameAt(at);
  for (let nth = 2; taken.has(name); nth++) name = `${nameAt(at)}-${nth}`;
  const path = join(folder, name + HALF);
  await mkdir(path, { mode: 0o700 });
  return {
    path,
    finish: async () => {
      await syncTree(path);
      await rename(path, join(folder, name));
      await syncFolder(folder);
      return join(folder, name);
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** Makes the names in a folder, and in all below it, last. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  }
  await syncFolder(folder);
}

/** Removes a backup: no longer by its own name from the first moment on. */
export async function removeBackup({ path }: StoredBackup): Promise<void> {
  await rename(path, path + HALF);
  await rm(path + HALF, { recursive: true, force: true });
}

/**
 * Makes the folder of backups where it is missing, and takes the turn of making one. The lock lies in the data
 * folder: backups may lie on a disk or a share that has no links.
 *
 * @throws BackupError `running` when another process of this installation makes one.
 */
export async function holdBackups(
  folder: string,
  dataFolder: string,
): Promise<{ release: () => void }> {
  const locks = join(dataFolder, 'backups');
  try {
    for (const path of [folder, locks]) await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const says = `The folder of backups ${folder} cannot be made (${code}).`;
    throw new BackupError('failed', says, error);
  }
  try {
    return holdFolder(locks);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    throw new BackupError('running', 'Another process makes a backup now.', error);
  }
}
