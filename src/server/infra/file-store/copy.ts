import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { FileStore } from './file-store.ts';

export type Copying = {
  from: FileStore;
  to: FileStore;
  /**
   * Sizes by key of the contents that must be in `to`, by the first hex digit (0 to 15) of the hash.
   */
  named: (digit: number) => Promise<ReadonlyMap<string, number>>;
  /** Also reads and compares files that are already in `to`. */
  isThorough?: boolean;
  signal: AbortSignal;
};

export type Copied = {
  copied: number;
  bytes: number;
  already: number;
  /** Keys of source files whose contents do not match their hash; they are not copied. */
  broken: string[];
  /** Keys of named contents that are in neither store. */
  missing: string[];
};

const AT_ONCE = 4;
const made = /\.(?:zip|csv|xlsx)$/;
const byContents = /^files\/[0-9a-f]{2}\/(?<hash>[0-9a-f]{64})$/;

/**
 * Reads each copy back. May be interrupted and repeated: skips files that exist with the same size.
 *
 * @throws StoreAway
 */
export async function copyFiles(copying: Copying): Promise<Copied> {
  const result: Copied = { copied: 0, bytes: 0, already: 0, broken: [], missing: [] };
  for (let digit = 0; digit < 16 && !copying.signal.aborted; digit++) {
    const prefix = `files/${digit.toString(16)}`;
    const there = await copyAll(
      copying,
      { prefix, isMeant: (key) => byContents.test(key) },
      result,
    );
    for (const [key, size] of await copying.named(digit)) {
      const isMissing = there.get(key) !== size && (await copying.from.size(key)) === undefined;
      if (isMissing && !copying.signal.aborted) result.missing.push(key);
    }
  }
  await copyAll(copying, { prefix: 'exports/', isMeant: (key) => made.test(key) }, result);
  return result;
}

type Part = { prefix: string; isMeant: (key: string) => boolean };

async function copyAll(
  copying: Copying,
  { prefix, isMeant }: Part,
  result: Copied,
): Promise<ReadonlyMap<string, number>> {
  const { from, to, isThorough, signal } = copying;
  const there = new Map<string, number>();
  for await (const { key, sizeBytes } of to.list(prefix)) there.set(key, sizeBytes);
  const files = from.list(prefix);
  const take = async () => {
    for (;;) {
      const next = signal.aborted ? undefined : await files.next();
      if (!next || next.done) return;
      const { key, sizeBytes } = next.value;
      if (!isMeant(key)) continue;
      const isThere = there.get(key) === sizeBytes;
      if (isThere && !(isThorough && (await isOther(copying, key)))) result.already += 1;
      else if (await copyOne(copying, { key, sizeBytes }, result)) there.set(key, sizeBytes);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
  return there;
}

const isOther = async ({ from, to }: Copying, key: string): Promise<boolean> =>
  (await hashOf(await from.stream(key))) !== (await hashOf(await to.stream(key)));

async function copyOne(
  { from, to }: Copying,
  { key, sizeBytes }: { key: string; sizeBytes: number },
  result: Copied,
): Promise<boolean> {
  try {
    return await from.withFile(key, async (path) => {
      const hash = await hashOf(createReadStream(path));
      if (hash !== (byContents.exec(key)?.groups?.['hash'] ?? hash)) {
        result.broken.push(key);
        return false;
      }
      await to.put(key, path, sizeBytes);
      if ((await hashOf(await to.stream(key))) !== hash) {
        await to.delete(key);
        throw new Error(`${to.name} gave back other bytes than it was given, of ${key}`);
      }
      result.copied += 1;
      result.bytes += sizeBytes;
      return true;
    });
  } catch (error) {
    if ((await from.size(key)) === undefined) return false;
    throw error;
  }
}

async function hashOf(bytes: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
