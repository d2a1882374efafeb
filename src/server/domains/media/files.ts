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

/** A file stored for an account. */
export type MediaFile = {
  fileId: string;
  name: string;
  /** What the bytes themselves say they are; `application/octet-stream` when they say nothing we know. */
  mime: string;
  sizeBytes: number;
};

export type NewFile = {
  accountId: string;
  bytes: Uint8Array;
  name: string;
  /** The same id twice is the same file: nothing is kept a second time. */
  fileId?: string;
};

/** Measured bytes of a file of this machine; on the disk of the data folder. */
export type Bytes = { path: string } & Measured;

/** Bytes that lie ready, and what they are to be kept as. A store on disk moves them away. */
export type Draft = { accountId: string; fileId: string; name: string; mime: string } & Bytes;

/** What bytes on the disk are. */
export type Measured = { sha256: Buffer; sizeBytes: number };

export type StoredFile = MediaFile & {
  /** The bytes, or a span of them, as they are read. @throws when the store no longer has them. */
  stream(span?: Span): Promise<Readable>;
  /** Does something with the bytes as a file of this machine, which is only to be read. @throws as `stream` */
  withFile<T>(work: (path: string) => Promise<T>): Promise<T>;
};

export type Files = {
  /** Where the bytes lie. */
  store: FileStore;
  /** Keeps a small file of our own making: its bytes are in the store before its row is. */
  save(file: NewFile): Promise<MediaFile>;
  /**
   * Sends bytes ahead to a store that is not the disk, so that the transaction that keeps them does not wait for them.
   * What is kept by nobody then is swept.
   */
  sendAhead(bytes: Bytes): Promise<void>;
  /** Keeps a measured draft, in the transaction that makes it a file. */
  keep(tx: Tx, draft: Draft): Promise<void>;
  /** A file whose bytes are read as they are needed; undefined when the account has none of this id. */
  open(accountId: string, fileId: string): Promise<StoredFile | undefined>;
  /** A small file with all its bytes; undefined when the account has none of this id. */
  read(accountId: string, fileId: string): Promise<(MediaFile & { bytes: Buffer }) | undefined>;
  /**
   * Erases bytes that no account keeps any more; what cannot be erased while the store is away, `sweep` does.
   *
   * @param all a pool that sees every account.
   */
  erase(all: Sql, digests: readonly Buffer[]): Promise<void>;
  /**
   * Erases bytes of yesterday and before that nobody names: a process died before it said whose they are.
   *
   * @throws StartError where the store is another installation's.
   */
  sweep(all: Sql): Promise<void>;
  /** Erases all files of an account: rows, and bytes that no other account keeps. */
  eraseAll(all: Sql, accountId: string): Promise<void>;
  /** A signed address of a file, good for an hour or two: the same within an hour, so it can be cached. */
  link(accountId: string, fileId: string): string;
  /** The same address with the instant at which it ends. */
  offer(accountId: string, fileId: string): FileOffer;
};

/** Where a file is shown, and until when. */
export type FileOffer = { link: string; expiresAt: Date };

const SIGNED_FOR_MS = 3_600_000;

type FilesDeps = {
  /** A pool that names the account (`tenant`) or sees all. */
  sql: Sql;
  store: FileStore;
  /** Where drafts lie. */
  dataFolder: string;
  secrets: Secrets;
  /**
   * False where rows of other accounts cannot be locked together with an account's own, as in a distributed database:
   * bytes are then erased by the sweep alone, once they are a day old, and what is kept anew is put there anew.
   */
  erasesAtOnce?: boolean;
  /** The address files are shown under when that is not the portal's own (`MEDIA_ORIGIN`). */
  shownAt?: string | undefined;
};

/** Where bytes lie, and how they go: see `FilesDeps`. */
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
      if (erasesAtOnce) await eraseAllUnkept(all, store, digests);
    },
    sweep: async (all) => {
      await store.claim();
      for await (const digests of orphansIn(all, store)) {
        for (const digest of digests) await eraseUnkept(all, store, digest, isOld);
      }
    },
    eraseAll: async (all, accountId) => {
      while (await eraseOne(all, storage, accountId));
      await all`delete from stored_bytes where account_id = ${accountId}`;
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
 * Puts a draft under its hash, unless it was sent ahead, and writes its row. Bytes of the same hash lie there once;
 * whoever erases them takes the same lock, so they cannot go between the look and the row.
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

/** Those of some files that an account still has. */
export async function keptFiles(
  tx: Tx,
  accountId: string,
  fileIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (fileIds.length === 0) return new Set();
  const kept = await tx<{ fileId: string }[]>`
    select file_id as "fileId" from files
    where account_id = ${accountId} and file_id = any(${[...fileIds]}::uuid[])`;
  return new Set(kept.map(({ fileId }) => fileId));
}

/**
 * Bytes that an account's files take: the same content under several names lies there once, and counts once. Triggers
 * keep the sum (`count_stored_bytes`); the first call for an account adds it up, and locks the account's files for it.
 *
 * @param coming contents on their way, which count where they are not there yet.
 */
export async function storedBytes(
  tx: Tx,
  accountId: string,
  coming: readonly Measured[] = [],
): Promise<number> {
  const read = async () => {
    const [use] = await tx<{ stored: number | null }[]>`
      select (select bytes from stored_bytes where account_id = ${accountId})
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
    insert into stored_bytes (account_id, bytes)
    select ${accountId}, coalesce(sum(f.size_bytes), 0)
    from (select distinct sha256, size_bytes from files where account_id = ${accountId}) f
    on conflict (account_id) do nothing`;
  return (await read()) ?? 0;
}

/** The hash and the length of a file, which has reached the disk when this returns. */
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

async function eraseAllUnkept(all: Sql, store: FileStore, digests: readonly Buffer[]) {
  try {
    for (const digest of digests) await eraseUnkept(all, store, digest);
  } catch (error) {
    // Whoever let go of them has done so: their bytes are nobody's, and go with the next sweep.
    if (!(error instanceof StoreAway)) throw error;
  }
}

/** @param mayGo asked last, where others may put the same bytes there meanwhile without taking the lock. */
async function eraseUnkept(
  all: Sql,
  store: FileStore,
  digest: Buffer,
  mayGo = async (_store: FileStore, _key: string) => true,
): Promise<void> {
  await all.begin(async (tx) => {
    await lockDigest(tx, digest);
    const [kept] = await tx`select 1 from files where sha256 = ${digest} limit 1`;
    if (!kept && (await mayGo(store, keyOf(digest)))) await store.delete(keyOf(digest));
  });
}

/**
 * Erases one of an account's contents, under all its names; false when none is left. The bytes go before
 * the rows are committed: after a crash between the two, the rows are still there to be erased again.
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

/** Lets nobody else change accounts' files: after a row that names one is locked, before a file's row or bytes are. */
export const lockFiles = (tx: Tx, ...accountIds: readonly string[]): PromiseLike<unknown> =>
  tx`select lock_stored_bytes(${accountIds}::uuid[])`;

const lockDigest = (tx: Tx, digest: Buffer) =>
  tx`select pg_advisory_xact_lock(${String(digest.readBigInt64BE(0))}::bigint)`;

/** The address of a file for whoever holds it: `/files/fil_…?k=…`. */
export function signFile(secrets: Secrets, accountId: string, fileId: string, nowMs = Date.now()) {
  return `/files/${signed(secrets, 'file', { accountId, id: fileId }, linkEndsMs(nowMs))}`;
}

const linkEndsMs = (nowMs: number): number =>
  (Math.floor(nowMs / SIGNED_FOR_MS) + 2) * SIGNED_FOR_MS;

/**
 * Whose file an address shows.
 *
 * @param address the path's public id, and the query's `k`.
 * @returns undefined when we did not sign it, or its time is over.
 */
export function verifyFile(
  secrets: Secrets,
  address: { id: string; key: string },
  nowMs = Date.now(),
): { accountId: string; fileId: string } | undefined {
  const linked = verifySigned(secrets, 'file', address, nowMs);
  return linked && { accountId: linked.accountId, fileId: linked.id };
}

/** Where bytes lie in the store. */
function keyOf(digest: Buffer): string {
  const name = digest.toString('hex');
  return `files/${name.slice(0, 2)}/${name}`;
}

/** Younger ones may be about to be named; a database that is set back has a day to be set forth again. */
const AGE_MS = 24 * 3_600_000;
const AT_ONCE = 500;

const named = /^files\/[0-9a-f]{2}\/(?<digest>[0-9a-f]{64})$/;

/**
 * Contents in the store of files that no row names: what a process left that died between the store and its commit.
 *
 * @param all a pool that sees every account.
 * @returns hashes, some at a time. Whoever erases them looks again, under the lock of each.
 */
async function* orphansIn(all: Sql, store: FileStore): AsyncGenerator<Buffer[]> {
  const before = Date.now() - AGE_MS;
  let old: string[] = [];
  for await (const { key, modifiedMs } of store.list('files/')) {
    if (modifiedMs >= before) continue;
    const digest = named.exec(key)?.groups?.['digest'];
    if (digest !== undefined) old.push(digest);
    if (old.length < AT_ONCE) continue;
    yield await unnamedOf(all, old);
    old = [];
  }
  yield await unnamedOf(all, old);
}

/** Whether what lies under a key has not been put there anew meanwhile. */
async function isOld(store: FileStore, key: string): Promise<boolean> {
  const before = Date.now() - AGE_MS;
  for await (const found of store.list(key)) {
    if (found.key === key) return found.modifiedMs < before;
  }
  return false;
}

async function unnamedOf(all: Sql, digests: readonly string[]): Promise<Buffer[]> {
  const asked = digests.map((digest) => Buffer.from(digest, 'hex'));
  const found = await all<{ digest: string }[]>`
    select distinct encode(sha256, 'hex') as digest from files
    where sha256 = any(${asked}::bytea[])`;
  const named = new Set(found.map(({ digest }) => digest));
  return asked.filter((digest) => !named.has(digest.toString('hex')));
}
