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

export type Sum = { bytes: number; sha256: string };

/** The encoding of contents in a file of a backup. */
export type PartForm = {
  /** Bound to the encryption: a sealed file opens only under its own name. */
  name: string;
  key: BackupKey | undefined;
  isCompressed: boolean;
};

/** Bytes read or decompressed at once; smaller chunks cost more than the work on them. */
const CHUNK_BYTES = 262_144;
const checksummed = { [constants.ZSTD_c_checksumFlag]: 1 };

type Steps = [NodeJS.ReadableStream, NodeJS.WritableStream];

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

const LOOK_BYTES = 16_000_000;
/** Bytes a backup leaves free: the database may be on the same disk and stops when it is full. */
export const RESERVE_BYTES = 4 * FREE_BYTES_MIN;

/** Throws before writing to a folder fills its disk. */
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

const limitTo = (room: Room) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      await room.take(chunk.length);
      yield chunk;
    }
  };

/** @returns the sums of the contents and of the stored bytes. */
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
    limitTo(room),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  ];
  await pipeline(steps as unknown as Steps, { signal });
  return { plain: plain.sum(), stored: stored.sum() };
}

/**
 * The result of `take` is valid only if the whole file is intact.
 *
 * @throws BackupError `damaged` if it is missing or different.
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
    if (error instanceof BackupError || isDestinationError(error)) throw error;
    throw new BackupError('damaged', `${path} is damaged or missing.`, error);
  }
  const sum = stored.sum();
  if (expected && (sum.bytes !== expected.bytes || sum.sha256 !== expected.sha256)) {
    throw new BackupError('damaged', `${path} is not as it was written.`);
  }
  if (!result) throw new BackupError('damaged', `${path} is damaged.`);
  return result.taken;
}

/** True if the error comes from the destination of the contents, not from their source. */
const isDestinationError = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EEXIST'].includes(String(error.code));

export async function readSum(contents: AsyncIterable<Buffer>): Promise<Sum> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of contents) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
