import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_HOURS } from '#contract/uploads.ts';
import { syncFolder } from '#server/infra/sync-folder.ts';
import { newId } from '#server/infra/ids.ts';

/** Bytes on their way in, as they come from the network. */
export type Incoming = AsyncIterable<Uint8Array>;

/** One piece of an upload on the disk, whole and synced. */
export type Part = { partId: string; bytes: number; sha256: Buffer };

/** Where the pieces of uploads lie: by ids of ours, never by a name. */
export type Parts = {
  /**
   * Writes a piece; nothing of it is left when that fails.
   *
   * @param bytesMax one more is too many: `tooMany` is thrown.
   * @param look sees the first bytes before the rest is taken.
   */
  write(
    uploadId: string,
    incoming: Incoming,
    rules: { bytesMax: number; tooMany: () => Error; look?: (head: Uint8Array) => void },
  ): Promise<Part>;
  /** Forgets one piece. */
  drop(uploadId: string, partId: string): Promise<void>;
  /** Joins pieces into one file of its own and gives its path. */
  join(uploadId: string, partIds: readonly string[]): Promise<string>;
  /** Forgets all of an upload. */
  clear(uploadId: string): Promise<void>;
  /** Forgets folders that nothing was written to for longer than an upload lives. */
  clearOld(): Promise<void>;
};

const HOUR_MS = 3_600_000;

/** @param folder made when it is missing; on the disk of the store of files. */
export function openParts(folder: string): Parts {
  const folderOf = (uploadId: string) => join(folder, uploadId);
  const pathOf = (uploadId: string, partId: string) => join(folder, uploadId, partId);
  return {
    async write(uploadId, incoming, rules) {
      const partId = newId();
      await mkdir(folderOf(uploadId), { recursive: true, mode: 0o700 });
      const path = pathOf(uploadId, partId);
      try {
        const written = await writeAll(path, incoming, rules);
        await syncFolder(folderOf(uploadId));
        return { partId, ...written };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    drop: (uploadId, partId) => rm(pathOf(uploadId, partId), { force: true }),
    async join(uploadId, partIds) {
      const path = pathOf(uploadId, `whole-${newId()}`);
      const [only] = partIds;
      if (only !== undefined && partIds.length === 1) {
        // A second name for the same bytes: what becomes of it leaves the piece alone.
        await link(pathOf(uploadId, only), path);
        return path;
      }
      const whole = await open(path, 'wx', 0o600);
      try {
        for (const partId of partIds) {
          for await (const chunk of createReadStream(pathOf(uploadId, partId))) {
            await whole.writeFile(chunk as Buffer);
          }
        }
      } finally {
        await whole.close();
      }
      return path;
    },
    clear: (uploadId) => rm(folderOf(uploadId), { recursive: true, force: true }),
    async clearOld() {
      const before = Date.now() - (UPLOAD_HOURS + 1) * HOUR_MS;
      for (const name of await readdir(folder).catch(() => [])) {
        const facts = await stat(join(folder, name)).catch(() => undefined);
        if (facts && facts.mtimeMs < before) {
          await rm(join(folder, name), { recursive: true, force: true });
        }
      }
    },
  };
}

async function writeAll(
  path: string,
  incoming: Incoming,
  { bytesMax, tooMany, look }: Parameters<Parts['write']>[2],
): Promise<Omit<Part, 'partId'>> {
  const file = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of incoming) {
      if (bytes === 0) look?.(chunk);
      bytes += chunk.length;
      if (bytes > bytesMax) throw tooMany();
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return { bytes, sha256: hash.digest() };
  } finally {
    await file.close();
  }
}

/** The hash of bytes that are not kept; undefined when they are more than `bytesMax`. */
export async function hashOf(incoming: Incoming, bytesMax: number): Promise<Buffer | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    hash.update(chunk);
  }
  return hash.digest();
}
