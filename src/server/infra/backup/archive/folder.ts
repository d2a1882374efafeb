import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holdFolder } from '#server/infra/embedded-postgres/folder-lock.ts';
import { StartError } from '#server/infra/start-error.ts';
import { syncFolder } from '#server/infra/sync-folder.ts';
import { BackupError } from './trouble.ts';

export type StoredBackup = { name: string; path: string; at: Date };

const HALF = '.half';
const pattern = /^kabari-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:-\d+)?$/;

/** `kabari-20261122T201500Z`, in UTC. */
export const nameAt = (at: Date): string =>
  `kabari-${at.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`;

/** The complete backups of a folder, newest first; empty if the folder does not exist. */
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

export type HalfBackup = {
  path: string;
  finish: () => Promise<string>;
  remove: () => Promise<void>;
};

/** Starts a backup and removes unfinished ones. The caller must hold the folder. */
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

/** Syncs a folder and all folders below it. */
export async function syncTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await syncTree(join(folder, entry.name));
  }
  await syncFolder(folder);
}

/** Removes a backup; renames it first, so that a partly deleted one never counts. */
export async function removeBackup({ path }: StoredBackup): Promise<void> {
  await rename(path, path + HALF);
  await rm(path + HALF, { recursive: true, force: true });
}

/**
 * The lock is in the data folder, because backups may be on a disk or share without links.
 *
 * @throws BackupError `running` if another process of this installation makes a backup.
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
