import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { FREE_BYTES_MIN, freeBytes } from '#server/infra/observability/disk.ts';
import { type BackupKey, sealing, unsealing } from './seal.ts';
import { BackupError } from './trouble.ts';

/** The bytes of a file. */
export type Sum = { bytes: number; sha256: string };

/** How a file of a backup is made of its contents. */
export type PartForm = {
  /** What it is: a sealed file can only be opened under its own name. */
  name: string;
  key: BackupKey | undefined;
  isCompressed: boolean;
};

/** What is read, or unpacked, at once: small pieces cost more than what is done with them. */
const CHUNK_BYTES = 262_144;
const checksummed = { [constants.ZSTD_c_checksumFlag]: 1 };

/** As many steps as there are: their types count them. */
type Steps = [NodeJS.ReadableStream, NodeJS.WritableStream];

/** Counts and hashes what passes. */
export function metering(): { stream: Transform; sum: () => Sum } {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, sum: () => ({ bytes, sha256: hash.digest('hex') }) };
}

/** How often the disk is asked how much it still takes. */
const LOOK_BYTES = 16_000_000;
/** What a backup leaves free: the database may be on the same disk, and stops when it is full. */
export const RESERVE_BYTES = 4 * FREE_BYTES_MIN;

/** Fails before the disk of a folder is full, for what is written to it. */
export function openRoom(folder: string): { take: (bytes: number) => Promise<void> } {
  let taken = LOOK_BYTES;
  return {
    take: async (bytes) => {
      taken += bytes;
      if (taken < LOOK_BYTES) return;
      taken = 0;
      const free = await freeBytes(folder);
      if (free >= RESERVE_BYTES) return;
      throw new BackupError('disk_full', `The disk with ${folder} has no room for a backup.`);
    },
  };
}

export type Room = ReturnType<typeof openRoom>;

/** Lets bytes through while there is room for them. */
const guarding = (room: Room) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await room.take(chunk.length);
      yield chunk;
    }
  };

/**
 * Writes a new file of a backup and syncs it; its folder is made when it is missing.
 *
 * @returns what the contents were, and what lies on the disk.
 */
export async function writePart(
  path: string,
  contents: Readable,
  { name, key, isCompressed, room, signal }: PartForm & { room: Room; signal: AbortSignal },
): Promise<{ plain: Sum; stored: Sum }> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const plain = metering();
  const stored = metering();
  const steps = [
    contents,
    plain.stream,
    ...(isCompressed ? [createZstdCompress({ chunkSize: CHUNK_BYTES, params: checksummed })] : []),
    ...(key ? [sealing(key, name)] : []),
    stored.stream,
    guarding(room),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  ];
  await pipeline(steps as unknown as Steps, { signal });
  return { plain: plain.sum(), stored: stored.sum() };
}

/**
 * Reads a file of a backup; what `take` returns counts when the file is whole.
 *
 * @param expected what must lie on the disk.
 * @throws BackupError `damaged` when it is missing, or a byte is another.
 */
export async function readPart<T>(
  path: string,
  { name, key, isCompressed, expected }: PartForm & { expected?: Sum },
  take: (contents: Readable) => Promise<T>,
): Promise<T> {
  const stored = metering();
  const steps: (NodeJS.ReadableStream | NodeJS.WritableStream)[] = [
    createReadStream(path, { highWaterMark: CHUNK_BYTES }),
    stored.stream,
    ...(key ? [unsealing(key, name)] : []),
    ...(isCompressed ? [createZstdDecompress({ chunkSize: CHUNK_BYTES })] : []),
  ];
  let result: { taken: T } | undefined;
  const last = async (contents: AsyncIterable<Buffer>) => {
    result = { taken: await take(Readable.from(contents, { objectMode: false })) };
  };
  try {
    await pipeline([...steps, last] as unknown as Steps);
  } catch (error) {
    if (error instanceof BackupError || isOfTaker(error)) throw error;
    throw new BackupError('damaged', `${path} is damaged or missing.`, error);
  }
  const sum = stored.sum();
  if (expected && (sum.bytes !== expected.bytes || sum.sha256 !== expected.sha256)) {
    throw new BackupError('damaged', `${path} is not as it was written.`);
  }
  if (!result) throw new BackupError('damaged', `${path} is damaged.`);
  return result.taken;
}

/** What went wrong where the contents went, not where they came from. */
const isOfTaker = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EEXIST'].includes(String(error.code));

/** Reads a stream to its end. */
export async function readSum(contents: AsyncIterable<Buffer>): Promise<Sum> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of contents) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
