import { StartError } from '#server/infra/start-error.ts';
import type { Log } from '#server/infra/observability/log.ts';
import { type S3Address, nameOfBucket } from './address.ts';
import { type FileStore, StoreAway, type Listed, type Span, fileGone } from './file-store.ts';
import { scratchFolder, sweepScratch, scratchPath } from './scratch.ts';
import {
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  type FileHandle,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '#server/infra/sync-folder.ts';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type * as sdkModule from '@aws-sdk/client-s3';
import type { S3Client } from '@aws-sdk/client-s3';
import { withTimeout } from '#server/infra/with-timeout.ts';

export type FileStoreConfig = {
  FILES_URL: S3Address | undefined;
  AWS_ACCESS_KEY_ID: string | undefined;
  AWS_SECRET_ACCESS_KEY: string | undefined;
  AWS_SESSION_TOKEN: string | undefined;
};

type Options = {
  config: FileStoreConfig;
  dataFolder: string;
  owner: string;
};

/** The store that FILES_URL names; undefined if files are in the data folder. */
export async function openBucket({ config, ...options }: Options): Promise<S3Store | undefined> {
  const { FILES_URL: address, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = config;
  if (!address) return undefined;
  const session = config.AWS_SESSION_TOKEN;
  const credentials =
    id !== undefined && secret !== undefined
      ? {
          accessKeyId: id,
          secretAccessKey: secret,
          ...(session !== undefined && { sessionToken: session }),
        }
      : undefined;
  return openS3Store({ ...options, address, credentials });
}

export async function openFileStore(options: Options): Promise<FileStore> {
  const bucket = await openBucket(options);
  if (!bucket) return openDiskStore(options.dataFolder);
  const scratch = sweepScratchHourly(options.dataFolder);
  const close = () => {
    scratch.close();
    bucket.close();
  };
  return { ...bucket, close };
}

/**
 * Claims the store at the start. If it does not answer, the start continues and requests for files wait.
 *
 * @throws StartError if it refuses, or belongs to another installation.
 */
export async function startFileStore(store: FileStore, log: Log): Promise<void> {
  try {
    await store.claim();
  } catch (error) {
    if (!(error instanceof StoreAway)) throw error;
    if (error.refusal !== undefined) throw new StartError(refusalSentence(store, error.refusal));
    log.warn({ err: error }, 'the file store does not answer: what needs a file waits for it');
  }
}

export const refusalSentence = ({ name }: Pick<FileStore, 'name'>, refusal: string): string =>
  `The store of FILES_URL (${name}) refuses: ${refusal}. Look at the bucket, its region and endpoint, and at what AWS_ACCESS_KEY_ID may do there (docs/running/files.md).`;

const HOUR_MS = 3_600_000;
/** Longer than the lifetime of an upload. */
const SCRATCH_MS = 26 * HOUR_MS;

/**
 * Deletes abandoned scratch files on this node, now and every hour. For nodes that share a store: jobs run on one of
 * them, which sees only its own disk.
 */
function sweepScratchHourly(dataFolder: string): { close: () => void } {
  const sweep = () =>
    void sweepScratch(scratchFolder(dataFolder), SCRATCH_MS).catch(() => undefined);
  sweep();
  const timer = setInterval(sweep, HOUR_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

const REMEMBERED_MS = 10_000;

/**
 * At most one check every ten seconds; logs once when the store becomes unavailable and once when it is back.
 *
 * @returns a check that throws while the store is unavailable.
 */
export function watchFileStore(store: FileStore, log: Log): () => Promise<void> {
  let isAway = false;
  let known: { verdict: Promise<void>; until: number } | undefined;
  const look = async () => {
    try {
      await store.check();
      if (isAway) log.warn('the file store is back');
      isAway = false;
    } catch (error) {
      if (!isAway)
        log.error({ err: error }, 'the file store is away: what needs a file waits for it');
      isAway = true;
      throw error;
    }
  };
  return () => {
    if (!known || performance.now() > known.until) {
      known = { verdict: look(), until: performance.now() + REMEMBERED_MS };
    }
    return known.verdict;
  };
}

/** @param root must be on the same disk as the files to put. */
export function openDiskStore(root: string): FileStore {
  const placeOf = (key: string) => join(root, key);
  return {
    name: root,
    isShared: false,
    async put(key, path) {
      const place = placeOf(key);
      await mkdir(dirname(place), { recursive: true, mode: 0o700 });
      await rename(path, place);
      await syncFolder(dirname(place));
    },
    size: async (key) => (await stat(placeOf(key)).catch(() => undefined))?.size,
    stream: async (key, span) => (await open(placeOf(key), 'r')).createReadStream({ ...span }),
    withFile: (key, work) => work(placeOf(key)),
    delete: (key) => rm(placeOf(key), { force: true }),
    list: (prefix) => listFolder(root, prefix),
    claim: async () => undefined,
    check: async () => undefined,
    close: () => undefined,
  };
}

async function* listFolder(root: string, prefix: string): AsyncGenerator<Listed> {
  const cut = prefix.lastIndexOf('/') + 1;
  const [folder, begins] = [prefix.slice(0, cut), prefix.slice(cut)];
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.name.startsWith(begins)) continue;
    const key = `${folder}${entry.name}`;
    if (entry.isDirectory()) yield* listFolder(root, `${key}/`);
    else {
      const facts = await stat(join(root, key)).catch(() => undefined);
      if (facts) yield { key, sizeBytes: facts.size, modifiedMs: facts.mtimeMs };
    }
  }
}

export type S3Options = {
  address: S3Address;
  /** Undefined: the AWS client's own sources, such as the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
  owner: string;
  dataFolder: string;
  /** Part size of multipart uploads; 5 MiB at least. */
  pieceBytes?: number;
  pageKeys?: number;
};

type Ownership = 'ours' | 'theirs' | 'nobody';

export type S3Store = FileStore & {
  ownership(): Promise<Ownership>;
  /** Whether the bucket retains deleted and replaced versions; undefined if it does not tell. */
  isVersioned(): Promise<boolean | undefined>;
};

const PIECE_BYTES = 8 * 1_048_576;
const PAGE_KEYS = 1_000;
const CONNECT_MS = 3_000;
/** Concurrent connections: slow readers must not block others. */
const SOCKETS_MAX = 1_000;
/** Until the response headers: time to upload a part, or for a download to begin. */
const TAKEN_MS = 30_000;
const ANSWER_MS = 5_000;
/** A download fails if no bytes arrive for this long while they are awaited. */
const STALLED_MS = 8_000;
/** Total attempts of the client, so that callers soon learn that a file is unavailable. */
const TRIES = 2;
const OWNER_KEY = 'installation';
const soon = { requestTimeout: ANSWER_MS };

type Opened = {
  sdk: typeof sdkModule;
  client: S3Client;
  bucket: string;
  at: (key: string) => { Bucket: string; Key: string };
  pieceBytes: number;
  dataFolder: string;
};

/** Loads the S3 client lazily, so that installations with files on disk never load it. */
export async function openS3Store(options: S3Options): Promise<S3Store> {
  const { address, owner, pageKeys: MaxKeys = PAGE_KEYS } = options;
  const { prefix } = address;
  const opened = await openClient(options);
  const { sdk, client, at, bucket: Bucket } = opened;
  const stream: FileStore['stream'] = (key, span) => streamOf(opened, key, span);
  const ownership = async (): Promise<Ownership> => {
    const marker = await ignoreMissing(stream(OWNER_KEY));
    if (!marker) return 'nobody';
    return (await text(marker)) === owner ? 'ours' : 'theirs';
  };
  const check = async () => {
    if ((await ownership()) !== 'theirs') return;
    throw new StartError(
      `FILES_URL names ${nameOfBucket(address)}, where the files of another installation lie; give this one a prefix of its own.`,
    );
  };
  return {
    name: nameOfBucket(address),
    isShared: true,
    put: (key, path, sizeBytes) => put(opened, key, { path, sizeBytes }),
    size: async (key) => {
      const head = answered(key, () => client.send(new sdk.HeadObjectCommand(at(key)), soon));
      return (await ignoreMissing(head))?.ContentLength;
    },
    stream,
    withFile: (key, work) =>
      withScratch(opened, async (path) => {
        const to = createWriteStream(path, { flags: 'wx', mode: 0o600 });
        await pipeline(await stream(key), to);
        return work(path);
      }),
    async delete(key) {
      const deleted = () => client.send(new sdk.DeleteObjectCommand(at(key)), soon);
      await ignoreMissing(answered(key, deleted));
    },
    list: (begins) => list(opened, { Bucket, Prefix: prefix + begins, MaxKeys }, prefix.length),
    async claim() {
      if ((await ownership()) === 'nobody') {
        await withScratch(opened, async (path) => {
          await writeFile(path, owner, { flag: 'wx', mode: 0o600 });
          await put(opened, OWNER_KEY, { path, sizeBytes: owner.length });
        });
      }
      await check();
    },
    check,
    ownership,
    close: () => client.destroy(),
    isVersioned: () =>
      client.send(new sdk.GetBucketVersioningCommand({ Bucket })).then(
        ({ Status }) => Status === 'Enabled',
        () => undefined,
      ),
  };
}

async function openClient(options: S3Options): Promise<Opened> {
  const { address, credentials, dataFolder, pieceBytes = PIECE_BYTES } = options;
  const { bucket, prefix } = address;
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    region: address.region,
    ...(address.endpoint !== undefined && { endpoint: address.endpoint }),
    forcePathStyle: address.pathStyle,
    ...(credentials && { credentials }),
    maxAttempts: TRIES,
    // Each body is signed by its SHA-256, which every store checks; only some know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
      connectionTimeout: CONNECT_MS,
      requestTimeout: TAKEN_MS,
      throwOnRequestTimeout: true,
      // A reader may be slow; `guarded` detects stalls.
      socketTimeout: 0,
    },
  });
  const at = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  return { sdk, client, bucket, at, pieceBytes, dataFolder };
}

async function withScratch<T>(
  { dataFolder }: Opened,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const path = await scratchPath(dataFolder);
  try {
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

async function streamOf(
  { sdk, client, at }: Opened,
  key: string,
  span: Span | undefined,
): Promise<Readable> {
  const range = span && { Range: `bytes=${span.start}-${span.end}` };
  const { Body } = await answered(key, () =>
    client.send(new sdk.GetObjectCommand({ ...at(key), ...range }), soon),
  );
  const body = Body as Readable;
  // A reader that leaves before the first byte never starts the generator, so its cleanup does not run.
  const leave = () => body.destroy();
  return Readable.from(guarded(key, body), { objectMode: false }).once('close', leave);
}

type Putting = { path: string; sizeBytes: number };

/** Small files are stored in one request, larger ones as a multipart upload. */
async function put(opened: Opened, key: string, { path, sizeBytes }: Putting): Promise<void> {
  const { sdk, client, at, pieceBytes } = opened;
  const file = await open(path, 'r');
  try {
    if (sizeBytes <= pieceBytes) {
      const Body = await bytesOf(file, 0, sizeBytes);
      await answered(key, () => client.send(new sdk.PutObjectCommand({ ...at(key), Body })));
    } else {
      await putInPieces(opened, key, { file, sizeBytes });
    }
  } finally {
    await file.close();
  }
}

async function putInPieces(
  { sdk, client, at, pieceBytes }: Opened,
  key: string,
  { file, sizeBytes }: { file: FileHandle; sizeBytes: number },
): Promise<void> {
  const object = at(key);
  await answered(key, async () => {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(object));
    const upload = { ...object, UploadId };
    try {
      const Parts: { ETag: string | undefined; PartNumber: number }[] = [];
      for (let start = 0; start < sizeBytes; start += pieceBytes) {
        const PartNumber = Parts.length + 1;
        const Body = await bytesOf(file, start, Math.min(pieceBytes, sizeBytes - start));
        const piece = new sdk.UploadPartCommand({ ...upload, PartNumber, Body });
        const { ETag } = await client.send(piece);
        Parts.push({ ETag, PartNumber });
      }
      const MultipartUpload = { Parts };
      await client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload }));
    } catch (error) {
      // If the abort fails, the bucket's own rule for unfinished uploads cleans up.
      await client.send(new sdk.AbortMultipartUploadCommand(upload)).catch(() => undefined);
      throw error;
    }
  });
}

async function bytesOf(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled);
    if (bytesRead === 0) throw new Error('a file is shorter than it was');
    filled += bytesRead;
  }
  return bytes;
}

async function* list(
  { sdk, client }: Opened,
  which: { Bucket: string; Prefix: string; MaxKeys: number },
  cut: number,
): AsyncGenerator<Listed> {
  let from: string | undefined;
  do {
    const page = await answered('list', () =>
      client.send(
        new sdk.ListObjectsV2Command({ ...which, ...(from && { ContinuationToken: from }) }),
      ),
    );
    for (const { Key, Size, LastModified } of page.Contents ?? []) {
      if (Key === undefined) continue;
      const modifiedMs = LastModified?.getTime() ?? Date.now();
      yield { key: Key.slice(cut), sizeBytes: Size ?? 0, modifiedMs };
    }
    from = page.NextContinuationToken;
  } while (from !== undefined);
}

/** The bytes of a response; throws `StoreAway` if it stalls or is cut off. */
async function* guarded(key: string, body: Readable): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await withTimeout(chunks.next(), STALLED_MS, () => {
        throw new StoreAway('a file stopped coming');
      });
      if (next.done) return;
      yield next.value as Uint8Array;
    }
  } catch (error) {
    throw errorOf(key, error);
  } finally {
    body.destroy();
  }
}

async function answered<T>(key: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw errorOf(key, error);
  }
}

/** Translates errors of the client, without their fields, which hold the request. */
function errorOf(key: string, error: unknown): unknown {
  if (error instanceof StoreAway || error instanceof TypeError || !(error instanceof Error)) {
    return error;
  }
  if (error.name === 'NoSuchKey' || error.name === 'NotFound') return fileGone(key);
  if (isLocalDiskError(error)) return error;
  const { $metadata, code } = error as { $metadata?: { httpStatusCode?: number }; code?: unknown };
  const status = $metadata?.httpStatusCode;
  const isNo =
    status !== undefined && status >= 300 && status < 500 && ![408, 429].includes(status);
  const refusal = isNo || error.name === 'CredentialsProviderError' ? error.name : undefined;
  const what = typeof code === 'string' ? code : error.name;
  const description = status === undefined ? what : `${what} (${status})`;
  return new StoreAway(description, { ...(refusal !== undefined && { refusal }) });
}

const isLocalDiskError = (error: Error): boolean =>
  'syscall' in error && /^(open|read|write|stat)$/.test(String(error.syscall)) && 'path' in error;

async function ignoreMissing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
