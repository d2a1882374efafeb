import { chownSync, createWriteStream, existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { refuseFullDisk } from '#server/infra/observability/disk.ts';
import { postgresMajor } from '#server/infra/embedded-postgres/home.ts';
import { type OsUser, openFolder } from '#server/infra/embedded-postgres/home.ts';
import { StartError } from '#server/infra/start-error.ts';
import { syncFolder } from '#server/infra/sync-folder.ts';
import { readDatabase } from './archive/database-part.ts';
import { readFileOf } from './archive/files.ts';
import { syncTree } from './archive/folder.ts';
import type { Manifest } from './archive/manifest.ts';
import type { BackupKey } from './archive/seal.ts';
import type { TarEntry } from './archive/tar.ts';
import {
  DATABASE,
  type OpenedBackup,
  eachFile,
  readNamed,
  serverFilesOf,
  verifyBackup,
} from './archive/verify.ts';

type RestoreOptions = {
  backup: string;
  folder: string;
  key: BackupKey | undefined;
  finish: (unpacked: string, manifest: Manifest) => Promise<void>;
};

/**
 * Verifies everything before the first write, and renames at the end, so an existing data folder is always complete.
 *
 * @throws BackupError for a damaged backup or another key; StartError for a folder in use or another major version.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const { backup, key } = options;
  const folder = resolve(options.folder);
  await refuseUsed(folder);
  const manifest = await verifyBackup(backup, { key });
  refuseOtherMajor(manifest);
  const unpacked = `${folder}.restoring-${process.pid}`;
  await refuseFullDisk(dirname(folder));
  try {
    const osUser = openFolder(unpacked);
    const opened = { folder: backup, manifest, key: manifest.key_id === null ? undefined : key };
    await unpackDatabase(opened, join(unpacked, 'postgres'), osUser);
    await unpackFiles(opened, unpacked);
    await options.finish(unpacked, manifest);
    await syncTree(unpacked);
    // Replaces an empty folder, but not one that was filled in the meantime.
    await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await rename(unpacked, folder);
    await syncFolder(dirname(folder));
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true });
    throw error;
  }
  return manifest;
}

async function refuseUsed(folder: string): Promise<void> {
  const inside = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(`${folder} cannot be restored to (${error.code}).`);
  });
  if (inside && inside.length > 0) {
    throw new StartError(`${folder} is not empty; name a folder that does not exist yet.`);
  }
  if (inside && (await isLinkOrMount(folder))) {
    throw new StartError(`${folder} is a link or a disk of its own; name a new folder on it.`);
  }
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    if (!existsSync(join(above, 'postgres', 'PG_VERSION'))) continue;
    throw new StartError(`${folder} lies among the data of ${above}; name one beside it.`);
  }
}

async function isLinkOrMount(folder: string): Promise<boolean> {
  const [itself, above] = await Promise.all([lstat(folder), stat(dirname(folder))]);
  return itself.isSymbolicLink() || itself.dev !== above.dev;
}

function refuseOtherMajor({ postgres }: Manifest): void {
  const ours = postgresMajor();
  const theirs = /^\d+/.exec(postgres)?.[0];
  if (theirs === ours) return;
  throw new StartError(
    `The backup is of PostgreSQL ${theirs} and this version of Kabari has ${ours}; restore it with the version of Kabari that made it.`,
  );
}

async function unpackDatabase(
  backup: OpenedBackup,
  data: string,
  osUser: OsUser | undefined,
): Promise<void> {
  const own = (path: string) => {
    if (osUser) chownSync(path, osUser.uid, osUser.gid);
  };
  await mkdir(data, { mode: 0o700 });
  own(data);
  const keep = async ({ name, kind, body }: TarEntry) => {
    const path = join(data, name);
    if (kind === 'folder') await mkdir(path, { recursive: true, mode: 0o700 });
    else await writeNew(path, body);
    own(path);
  };
  const listed = await serverFilesOf(backup);
  await readNamed(backup, DATABASE, (archive) => readDatabase(archive, listed, keep));
}

const writeNew = (path: string, bytes: AsyncIterable<Buffer>): Promise<void> =>
  pipeline(
    Readable.from(bytes, { objectMode: false }),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  );

const unpackFiles = (backup: OpenedBackup, unpacked: string): Promise<void> =>
  eachFile(backup, async ({ name }) => {
    const path = join(unpacked, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await readFileOf(backup.folder, name, backup.key, (contents) => writeNew(path, contents));
  });
