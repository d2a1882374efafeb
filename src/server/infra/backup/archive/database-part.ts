import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { type TarEntry, tarEntries } from './tar.ts';
import { BackupError } from './trouble.ts';

const ServerManifest = z.object({
  Files: z.array(
    z.object({
      Path: z.string(),
      Size: z.number(),
      'Checksum-Algorithm': z.literal('SHA256'),
      Checksum: z.string(),
    }),
  ),
});

export type ServerFiles = ReadonlyMap<string, { size: number; sha256: string }>;

/** @throws BackupError `damaged` if it is not a manifest. */
export function readServerManifest(bytes: Buffer): ServerFiles {
  try {
    const { Files } = ServerManifest.parse(JSON.parse(bytes.toString('utf8')));
    return new Map(Files.map((one) => [one.Path, { size: one.Size, sha256: one.Checksum }]));
  } catch (error) {
    throw new BackupError('damaged', 'The database’s own list of its files is damaged.', error);
  }
}

/**
 * The manifest does not list WAL, which has its own checksums and is read first by PostgreSQL.
 *
 * @param keep must read each body to the end. @throws BackupError `damaged` if a file is missing or different.
 */
export async function readDatabase(
  archive: Readable,
  files: ServerFiles,
  keep: (entry: TarEntry) => Promise<void> = drain,
): Promise<void> {
  const missing = new Set(files.keys());
  for await (const entry of tarEntries(archive)) {
    const expected = files.get(entry.name);
    if (entry.kind === 'folder' || !expected) {
      await keep(entry);
      continue;
    }
    const hash = createHash('sha256');
    const body = async function* () {
      for await (const chunk of entry.body) {
        hash.update(chunk);
        yield chunk;
      }
    };
    await keep({ ...entry, body: body() });
    if (entry.size !== expected.size || hash.digest('hex') !== expected.sha256) {
      throw new BackupError('damaged', `${entry.name} is not what the database read.`);
    }
    missing.delete(entry.name);
  }
  const [first] = missing;
  if (first !== undefined) throw new BackupError('damaged', `${first} is missing in the database.`);
}

async function drain({ body }: TarEntry): Promise<void> {
  for await (const _ of body);
}
