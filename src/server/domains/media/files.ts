import { createHash } from 'node:crypto';
import { open as openToRead, rm, writeFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type FileStore, type Span, StoreAway } from '#server/infra/file-store/file-store.ts';
import { scratchPath } from '#server/infra/file-store/scratch.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';
import { mimeByBytes } from './inspection/inspect-bytes.ts';
import type { Secrets } from '#server/infra/security/secrets.ts';
import { signed, verifySigned } from '#server/infra/security/signed-link.ts';

export type MediaFile = {
  fileId: string;
  name: string;
  /** Type detected from the bytes; `application/octet-stream` when unknown. */
  mime: string;
  sizeBytes: number;
};

export type NewFile = {
  accountId: string;
  bytes: Uint8Array;
  name: string;
  /** Idempotency: the same id is the same file and is stored once. */
  fileId?: string;
};

/** Measured bytes of a local file on the disk of the data folder. */
export type Bytes = { path: string } & Measured;

/** Bytes ready to be stored, and their metadata. A store on disk moves the file away. */
export type Draft = { accountId: string; fileId: string; name: string; mime: string } & Bytes;

export type Measured = { sha256: Buffer; sizeBytes: number };

export type StoredFile = MediaFile & {
  /** Streams the bytes, or a span of them. @throws when the store no longer has them. */
  stream(span?: Span): Promise<Readable>;
  /** Runs `work` with the bytes as a local file, which is read-only. @throws as `stream` */
  withFile<T>(work: (path: string) => Promise<T>): Promise<T>;
};

export type Files = {
  store: FileStore;
  /** Stores a small generated file: its bytes are in the store before its row is. */
  save(file: NewFile): Promise<MediaFile>;
  /**
   * Uploads bytes to a remote store ahead, so that the transaction that stores their row does not wait for it. Bytes
   * that no row names afterwards are swept.
   */
  sendAhead(bytes: Bytes): Promise<void>;
  keep(tx: Tx, draft: Draft): Promise<void>;
  /** A file whose bytes are read on demand; undefined when the account has none with this id. */
  open(accountId: string, fileId: string): Promise<StoredFile | undefined>;
  /** A small file with all its bytes; undefined when the account has none with this id. */
  read(accountId: string, fileId: string): Promise<(MediaFile & { bytes: Buffer }) | undefined>;
  /**
   * Erases bytes that no account uses any more; `sweep` erases those that an outage of the store leaves.
   *
   * @param all a pool that sees every account.
   */
  erase(all: Sql, digests: readonly Buffer[]): Promise<void>;
  /**
   * Erases bytes older than a day that no row names: a process died before it stored the row.
   *
   * @throws StartError when the store belongs to another installation.
   */
  sweep(all: Sql): Promise<void>;
  /** Erases all files of an account: rows, and bytes that no other account uses. */
  eraseAll(all: Sql, accountId: string): Promise<void>;
  /**
   * A signed address of a file, valid for one to two hours: the same within an hour, so it can be cached.
   */
  link(accountId: string, fileId: string): string;
  offer(accountId: string, fileId: string): FileOffer;
};

export type FileOffer = { link: string; expiresAt: Date };

const SIGNED_FOR_MS = 3_600_000;

type FilesDeps = {
  sql: Sql;
  store: FileStore;
  dataFolder: string;
  secrets: Secrets;
  /**
   * False where rows of several accounts cannot be locked together, as in a distributed database: the sweep alone then
   * erases bytes, once they are a day old, and storing a file always writes its bytes anew.
   */
  erasesAtOnce?: boolean;
  /** Origin of file addresses when it is not the portal's own (`MEDIA_ORIGIN`). */
  shownAt?: string | undefined;
};

type Storage = Required<Pick<FilesDeps, 'store' | 'erasesAtOnce'>>;

/** Opens the files of accounts: rows in the database, their bytes in a store, by their sha256. */
export function openFiles({
  sql,
  store,
  dataFolder,
  secrets,
  erasesAtOnce = true,
  shownAt = '',
}: FilesDeps): Files {
  const storage: Storage = { store, erasesAtOnce };
  const open: Files['open'] = async (accountId, fileId) => {
    const [row] = await asAccount(
      sql,
      accountId,
      (tx) => tx<(MediaFile & { sha256: Buffer })[]>`
        select file_id as "fileId", name, mime, size_bytes as "sizeBytes", sha256 from files
        where account_id = ${accountId} and file_id = ${fileId}`,
    );
    if (!row) return undefined;
    const { sha256: digest, ...file } = row;
    const key = keyOf(digest);
    return {
      ...file,
      stream: (span) => store.stream(key, span),
      withFile: (work) => store.withFile(key, work),
    };
  };
  const sendAhead = async ({ path, sha256: digest, sizeBytes }: Bytes) => {
    if (!store.isShared) return;
    const key = keyOf(digest);
    if (!erasesAtOnce || (await store.size(key)) !== sizeBytes) {
      await store.put(key, path, sizeBytes);
    }
  };
  return {
    store,
    open,
    sendAhead,
    save: (file) => saveBytes({ sql, dataFolder, sendAhead, ...storage }, file),
    keep: (tx, draft) => keepDraft(tx, storage, draft),
    async read(accountId, fileId) {
      const stored = await open(accountId, fileId);
      if (!stored) return undefined;
      const { stream, withFile: _, ...file } = stored;
      return { ...file, bytes: await buffer(await stream()) };
    },
    erase: async (all, digests) => {
      if (erasesAtOnce) await eraseAllUnused(all, store, digests);
    },
    sweep: async (all) => {
      await store.claim();
      for await (const digests of listOrphans(all, store)) {
        for (const digest of digests) await eraseUnused(all, store, digest, isOld);
      }
    },
    eraseAll: async (all, accountId) => {
      while (await eraseOne(all, storage, accountId));
      await all`delete from storage_usage where account_id = ${accountId}`;
    },
    link: (accountId, fileId) => shownAt + signFile(secrets, accountId, fileId),
    offer: (accountId, fileId) => {
      const nowMs = Date.now();
      const link = shownAt + signFile(secrets, accountId, fileId, nowMs);
      return { link, expiresAt: new Date(linkEndsMs(nowMs)) };
    },
  };
}

type Saving = Pick<FilesDeps, 'sql' | 'dataFolder'> & Pick<Files, 'sendAhead'> & Storage;

async function saveBytes(
  { sql, dataFolder, sendAhead, ...storage }: Saving,
  { accountId, bytes, name, fileId = newId() }: NewFile,
): Promise<MediaFile> {
  const path = await scratchPath(dataFolder);
  const mime = mimeByBytes(bytes);
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: 0o600 });
    const draft = { accountId, fileId, path, name, mime, ...(await measure(path)) };
    await sendAhead(draft);
    await asAccount(sql, accountId, (tx) => keepDraft(tx, storage, draft));
  } finally {
    await rm(path, { force: true });
  }
  return { fileId, name, mime, sizeBytes: bytes.length };
}

/**
 * Puts a draft under its hash, unless it was sent ahead, and writes its row. Bytes of the same hash are stored once;
 * erasing takes the same lock, so they cannot disappear between the check and the row.
 */
async function keepDraft(tx: Tx, { store, erasesAtOnce }: Storage, draft: Draft): Promise<void> {
  const { accountId, fileId, path, name, mime, sha256, sizeBytes } = draft;
  await lockFiles(tx, accountId);
  await lockDigest(tx, sha256);
  const key = keyOf(sha256);
  const isAnew = !erasesAtOnce && !store.isShared;
  if (isAnew || (await store.size(key)) !== sizeBytes) await store.put(key, path, sizeBytes);
  await tx`
    insert into files (account_id, file_id, name, mime, size_bytes, sha256)
    values (${accountId}, ${fileId}, ${name}, ${mime}, ${sizeBytes}, ${sha256})
    on conflict (account_id, file_id) do nothing`;
}

/** The files among these that the account still has. */
export async function findExistingFiles(
  tx: Tx,
  accountId: string,
  fileIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (fileIds.length === 0) return new Set();
  const found = await tx<{ fileId: string }[]>`
    select file_id as "fileId" from files
    where account_id = ${accountId} and file_id = any(${[...fileIds]}::uuid[])`;
  return new Set(found.map(({ fileId }) => fileId));
}

/**
 * Total bytes of an account's files: the same content under several names is stored, and counts, once. Triggers
 * maintain the sum (`count_storage_usage`); the first call for an account computes it, and locks the account's files for
 * it.
 *
 * @param coming contents on their way, which count unless they are stored already.
 */
export async function storedBytes(
  tx: Tx,
  accountId: string,
  coming: readonly Measured[] = [],
): Promise<number> {
  const read = async () => {
    const [use] = await tx<{ stored: number | null }[]>`
      select (select bytes from storage_usage where account_id = ${accountId})
        + coalesce(sum(c.size_bytes), 0)::bigint as stored
      from (
        select distinct * from unnest(${coming.map(({ sha256 }) => sha256)}::bytea[],
          ${coming.map(({ sizeBytes }) => sizeBytes)}::bigint[]) as u(sha256, size_bytes)
      ) c
      where not exists (
        select from files f where f.sha256 = c.sha256 and f.account_id = ${accountId})`;
    return use?.stored ?? undefined;
  };
  const known = await read();
  if (known !== undefined) return known;
  await lockFiles(tx, accountId);
  await tx`
    insert into storage_usage (account_id, bytes)
    select ${accountId}, coalesce(sum(f.size_bytes), 0)
    from (select distinct sha256, size_bytes from files where account_id = ${accountId}) f
    on conflict (account_id) do nothing`;
  return (await read()) ?? 0;
}

/** Hash and length of a file, after it was flushed to the disk. */
export async function measure(path: string): Promise<Measured> {
  const file = await openToRead(path, 'r+');
  try {
    await file.sync();
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const chunk of file.createReadStream({ autoClose: false, start: 0 })) {
      hash.update(chunk as Buffer);
      sizeBytes += (chunk as Buffer).length;
    }
    return { sha256: hash.digest(), sizeBytes };
  } finally {
    await file.close();
  }
}

async function eraseAllUnused(all: Sql, store: FileStore, digests: readonly Buffer[]) {
  try {
    for (const digest of digests) await eraseUnused(all, store, digest);
  } catch (error) {
    // The rows are committed: the bytes have no owner, and the next sweep erases them.
    if (!(error instanceof StoreAway)) throw error;
  }
}

/**
 * @param canErase checked last, where others may store the same bytes meanwhile without taking the lock.
 */
async function eraseUnused(
  all: Sql,
  store: FileStore,
  digest: Buffer,
  canErase = async (_store: FileStore, _key: string) => true,
): Promise<void> {
  await all.begin(async (tx) => {
    await lockDigest(tx, digest);
    const [kept] = await tx`select 1 from files where sha256 = ${digest} limit 1`;
    if (!kept && (await canErase(store, keyOf(digest)))) await store.delete(keyOf(digest));
  });
}

/**
 * Erases one of an account's contents, under all its names; false when none is left. The bytes are erased before the
 * rows are committed: after a crash between the two, the rows are still there to be erased again.
 */
function eraseOne(all: Sql, { store, erasesAtOnce }: Storage, accountId: string): Promise<boolean> {
  return all.begin(async (tx) => {
    await lockFiles(tx, accountId);
    const [file] = await tx<{ sha256: Buffer }[]>`
      select sha256 from files where account_id = ${accountId} limit 1`;
    if (!file) return false;
    const { sha256 } = file;
    await lockDigest(tx, sha256);
    await tx`delete from files where account_id = ${accountId} and sha256 = ${sha256}`;
    if (!erasesAtOnce) return true;
    const [kept] = await tx`select from files where sha256 = ${sha256} limit 1`;
    if (!kept) await store.delete(keyOf(sha256));
    return true;
  });
}

/**
 * Blocks other changes of the accounts' files. Lock order: after the row that names a file, before the file's row or
 * bytes.
 */
export const lockFiles = (tx: Tx, ...accountIds: readonly string[]): PromiseLike<unknown> =>
  tx`select lock_storage_usage(${accountIds}::uuid[])`;

const lockDigest = (tx: Tx, digest: Buffer) =>
  tx`select pg_advisory_xact_lock(${String(digest.readBigInt64BE(0))}::bigint)`;

/** The address of a file, `/files/fil_…?k=…`; the signature is the permission. */
export function signFile(secrets: Secrets, accountId: string, fileId: string, nowMs = Date.now()) {
  return `/files/${signed(secrets, 'file', { accountId, id: fileId }, linkEndsMs(nowMs))}`;
}

const linkEndsMs = (nowMs: number): number =>
  (Math.floor(nowMs / SIGNED_FOR_MS) + 2) * SIGNED_FOR_MS;

/**
 * Account and file of a signed address.
 *
 * @param address the path's public id, and the query's `k`.
 * @returns undefined when the signature is not ours, or has expired.
 */
export function verifyFile(
  secrets: Secrets,
  address: { id: string; key: string },
  nowMs = Date.now(),
): { accountId: string; fileId: string } | undefined {
  const linked = verifySigned(secrets, 'file', address, nowMs);
  return linked && { accountId: linked.accountId, fileId: linked.id };
}

function keyOf(digest: Buffer): string {
  const name = digest.toString('hex');
  return `files/${name.slice(0, 2)}/${name}`;
}

/**
 * Younger ones may be about to be named; after a database restore there is a day to restore newer data.
 */
const ORPHAN_AGE_MS = 24 * 3_600_000;
const AT_ONCE = 500;

const named = /^files\/[0-9a-f]{2}\/(?<digest>[0-9a-f]{64})$/;

/**
 * Contents in the store that no row names, left by a process that died between the store and its commit.
 *
 * @param all a pool that sees every account.
 * @returns hashes, in batches. The caller checks each again, under its lock, before it erases.
 */
async function* listOrphans(all: Sql, store: FileStore): AsyncGenerator<Buffer[]> {
  const before = Date.now() - ORPHAN_AGE_MS;
  let old: string[] = [];
  for await (const { key, modifiedMs } of store.list('files/')) {
    if (modifiedMs >= before) continue;
    const digest = named.exec(key)?.groups?.['digest'];
    if (digest !== undefined) old.push(digest);
    if (old.length < AT_ONCE) continue;
    yield await findUnreferenced(all, old);
    old = [];
  }
  yield await findUnreferenced(all, old);
}

async function isOld(store: FileStore, key: string): Promise<boolean> {
  const before = Date.now() - ORPHAN_AGE_MS;
  for await (const found of store.list(key)) {
    if (found.key === key) return found.modifiedMs < before;
  }
  return false;
}

async function findUnreferenced(all: Sql, digests: readonly string[]): Promise<Buffer[]> {
  const buffers = digests.map((digest) => Buffer.from(digest, 'hex'));
  const found = await all<{ digest: string }[]>`
    select distinct encode(sha256, 'hex') as digest from files
    where sha256 = any(${buffers}::bytea[])`;
  const named = new Set(found.map(({ digest }) => digest));
  return buffers.filter((digest) => !named.has(digest.toString('hex')));
}
