import type { FileStore } from '#server/infra/file-store/file-store.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/** Younger ones may be about to be named; a database that is set back has a day to be set forth again. */
const AGE_MS = 24 * 3_600_000;
const AT_ONCE = 500;

const named = /^files\/[0-9a-f]{2}\/(?<digest>[0-9a-f]{64})$/;

/**
 * Contents in the store of files that no row names: what a process left that died between the store and its commit.
 * Drafts of earlier versions, which lay there, are deleted on the way.
 *
 * @param all a pool that sees every account.
 * @returns hashes, some at a time. Whoever erases them looks again, under the lock of each.
 */
export async function* orphansIn(all: Sql, store: FileStore): AsyncGenerator<Buffer[]> {
  const before = Date.now() - AGE_MS;
  let old: string[] = [];
  for await (const { key, modifiedMs } of store.list('files/')) {
    if (modifiedMs >= before) continue;
    const digest = named.exec(key)?.groups?.['digest'];
    if (digest !== undefined) old.push(digest);
    else if (key.startsWith('files/draft-')) await store.delete(key);
    if (old.length < AT_ONCE) continue;
    yield await unnamedOf(all, old);
    old = [];
  }
  yield await unnamedOf(all, old);
}

/** Whether what lies under a key has not been put there anew meanwhile. */
export async function isOld(store: FileStore, key: string): Promise<boolean> {
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
