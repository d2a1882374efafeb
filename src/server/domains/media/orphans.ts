import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '#server/infra/postgres/database.ts';

/** Younger ones may be about to be named; a database that is set back has a day to be set forth again. */
const AGE_MS = 24 * 3_600_000;
const AT_ONCE = 500;

const isDigest = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/**
 * Contents in the store of files that no row names: what a process left that died between the disk and its commit.
 * Drafts that were never moved into place are deleted on the way.
 *
 * @param all a pool that sees every account.
 * @param folder where the bytes lie, by their sha256.
 * @returns hashes, some at a time. Whoever erases them looks again, under the lock of each.
 */
export async function* orphansIn(all: Sql, folder: string): AsyncGenerator<Buffer[]> {
  const before = Date.now() - AGE_MS;
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    if (name.startsWith('draft-')) {
      if (await isOlder(path, before)) await rm(path, { force: true });
      continue;
    }
    const digests = (await namesIn(path)).filter(isDigest);
    for (let from = 0; from < digests.length; from += AT_ONCE) {
      const unnamed = await unnamedOf(all, digests.slice(from, from + AT_ONCE));
      const old: Buffer[] = [];
      for (const digest of unnamed) {
        if (await isOlder(join(path, digest), before)) old.push(Buffer.from(digest, 'hex'));
      }
      if (old.length > 0) yield old;
    }
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

async function isOlder(path: string, beforeMs: number): Promise<boolean> {
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && facts.mtimeMs < beforeMs;
}

async function unnamedOf(all: Sql, digests: readonly string[]): Promise<string[]> {
  const unnamed = await all<{ digest: string }[]>`
    select d.digest from unnest(${[...digests]}::text[]) as d(digest)
    where not exists (select from files where sha256 = decode(d.digest, 'hex'))`;
  return unnamed.map(({ digest }) => digest);
}
