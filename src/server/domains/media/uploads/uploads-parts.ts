import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOAD_HOURS } from '#contract/uploads.ts';
import { type FileStore, StoreAway } from '#server/infra/file-store/file-store.ts';
import { sweepScratch } from '#server/infra/file-store/scratch.ts';
import { syncFolder } from '#server/infra/sync-folder.ts';
import { newId } from '#server/infra/ids.ts';

export type Incoming = AsyncIterable<Uint8Array>;

export type Part = { partId: string; bytes: number; sha256: Buffer };

/** The parts of uploads, under our ids, never under a file name. */
export type Parts = {
  /**
   * Writes a part; a failure leaves nothing.
   *
   * @param rules.bytesMax beyond this, `tooMany` is thrown.
   * @param rules.look sees the first bytes before the rest is accepted.
   * @param rules.isWhole true for a whole upload, which this node inspects at once, so that no other node needs it.
   */
  write(uploadId: string, incoming: Incoming, rules: Rules): Promise<Part>;
  drop(uploadId: string, partId: string): Promise<void>;
  /** Joins parts, from any node, into one local file and gives its path. */
  join(uploadId: string, partIds: readonly string[]): Promise<string>;
  clear(uploadId: string): Promise<void>;
  /** Deletes parts that were not written to for longer than an upload lives. */
  clearOld(): Promise<void>;
};

type Rules = {
  bytesMax: number;
  tooMany: () => Error;
  look?: (head: Uint8Array) => void;
  isWhole?: boolean;
};

const HOUR_MS = 3_600_000;
const AGE_MS = (UPLOAD_HOURS + 1) * HOUR_MS;

/**
 * @param folder where parts are written; created when missing, on the disk of the data folder.
 * @param store where parts are kept if all nodes share it: the next part may arrive at another node.
 */
export function openParts(folder: string, store: FileStore): Parts {
  const folderOf = (uploadId: string) => join(folder, uploadId);
  const pathOf = (uploadId: string, partId: string) => join(folder, uploadId, partId);
  const keyOf = (uploadId: string, partId: string) => `uploads/${uploadId}/${partId}`;
  const isHere = async (uploadId: string, partId: string) =>
    !store.isShared || (await stat(pathOf(uploadId, partId)).catch(() => undefined)) !== undefined;
  const read = async (uploadId: string, partId: string) =>
    (await isHere(uploadId, partId))
      ? createReadStream(pathOf(uploadId, partId))
      : store.stream(keyOf(uploadId, partId));
  return {
    async write(uploadId, incoming, rules) {
      const partId = newId();
      await mkdir(folderOf(uploadId), { recursive: true, mode: 0o700 });
      const path = pathOf(uploadId, partId);
      try {
        const written = await writeAll(path, incoming, rules);
        await syncFolder(folderOf(uploadId));
        if (store.isShared && rules.isWhole !== true) {
          await store.put(keyOf(uploadId, partId), path, written.bytes);
          await rm(path, { force: true });
        }
        return { partId, ...written };
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },
    async drop(uploadId, partId) {
      await rm(pathOf(uploadId, partId), { force: true });
      await deleteParts(store, keyOf(uploadId, partId));
    },
    async join(uploadId, partIds) {
      const path = pathOf(uploadId, `whole-${newId()}`);
      const [only] = partIds;
      if (only !== undefined && partIds.length === 1 && (await isHere(uploadId, only))) {
        // A hard link: moving or deleting the joined file does not affect the part.
        await link(pathOf(uploadId, only), path);
        return path;
      }
      if (store.isShared) await mkdir(folderOf(uploadId), { recursive: true, mode: 0o700 });
      const whole = await open(path, 'wx', 0o600);
      try {
        for (const partId of partIds) {
          for await (const chunk of await read(uploadId, partId)) {
            await whole.writeFile(chunk as Buffer);
          }
        }
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      } finally {
        await whole.close();
      }
      return path;
    },
    async clear(uploadId) {
      await rm(folderOf(uploadId), { recursive: true, force: true });
      await deleteParts(store, `uploads/${uploadId}/`);
    },
    async clearOld() {
      await sweepScratch(folder, AGE_MS);
      await deleteParts(store, 'uploads/', Date.now() - AGE_MS);
    },
  };
}

/**
 * Deletes unused parts of a shared store; parts that cannot be deleted now are deleted when they are old.
 */
async function deleteParts(store: FileStore, prefix: string, beforeMs = Infinity): Promise<void> {
  if (!store.isShared) return;
  try {
    for await (const { key, modifiedMs } of store.list(prefix)) {
      if (modifiedMs < beforeMs) await store.delete(key);
    }
  } catch (error) {
    if (!(error instanceof StoreAway)) throw error;
  }
}

async function writeAll(
  path: string,
  incoming: Incoming,
  { bytesMax, tooMany, look }: Rules,
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

/** Hash of bytes without storing them; undefined when they exceed `bytesMax`. */
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
