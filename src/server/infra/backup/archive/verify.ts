import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type ServerFiles, readDatabase, readServerManifest } from './database-part.ts';
import { type FileEntry, entriesOf, readFileOf } from './files.ts';
import { type Manifest, partNamed, readManifest } from './manifest.ts';
import { readPart, readSum } from './part.ts';
import type { BackupKey } from './seal.ts';
import { BackupError } from './trouble.ts';

export const DATABASE = 'database.tar';
export const DATABASE_LIST = 'database.json';
export const FILE_LIST = 'files.txt';

export const fileOf = (part: string, { key_id }: Pick<Manifest, 'key_id'>): string =>
  `${part}.zst${key_id === null ? '' : '.sealed'}`;

export type OpenedBackup = { folder: string; manifest: Manifest; key: BackupKey | undefined };

/** Opens a part of a backup; the result of `take` is valid only if the part is intact. */
export function readNamed<T>(
  { folder, manifest, key }: OpenedBackup,
  part: string,
  take: Parameters<typeof readPart<T>>[2],
): Promise<T> {
  const file = fileOf(part, manifest);
  const expected = manifest.parts[file];
  if (!expected) throw new BackupError('damaged', `${folder} has no ${file}.`);
  return readPart(join(folder, file), { ...partNamed(manifest, part, key), expected }, take);
}

export const serverFilesOf = async (backup: OpenedBackup): Promise<ServerFiles> =>
  readServerManifest(await readNamed(backup, DATABASE_LIST, buffer));

/** Calls `each` with every listed file of the data folder; the list itself must be intact. */
export async function eachFile(
  backup: OpenedBackup,
  each: (entry: FileEntry) => Promise<void>,
): Promise<void> {
  const { files } = backup.manifest;
  const found = { count: 0, bytes: 0 };
  await readNamed(backup, FILE_LIST, async (list) => {
    for await (const entry of entriesOf(list)) {
      await each(entry);
      found.count += 1;
      found.bytes += entry.bytes;
    }
  });
  if (found.count === files.count && found.bytes === files.bytes) return;
  throw new BackupError('damaged', `${backup.folder} lists other files than its manifest.`);
}

export type VerifyOptions = { key: BackupKey | undefined; isDatabaseOnly?: boolean };

/**
 * Reads a whole backup and compares every byte with its checksums, and the database with the server's manifest.
 *
 * @throws BackupError `damaged`, or `wrong_key`.
 */
export async function verifyBackup(
  folder: string,
  { key, isDatabaseOnly = false }: VerifyOptions,
): Promise<Manifest> {
  const manifest = await readManifest(folder, key);
  const backup = { folder, manifest, key: manifest.key_id === null ? undefined : key };
  const listed = await serverFilesOf(backup);
  await readNamed(backup, DATABASE, (archive) => readDatabase(archive, listed));
  await eachFile(backup, async ({ name, bytes, sha256 }) => {
    if (isDatabaseOnly) return;
    const sum = await readFileOf(folder, name, backup.key, readSum);
    if (sum.bytes !== bytes || sum.sha256 !== sha256) {
      throw new BackupError('damaged', `The file ${name} of ${folder} is not as it was written.`);
    }
  });
  return manifest;
}
