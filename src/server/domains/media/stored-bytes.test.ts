import { expect } from 'vitest';
import { moveFile, releaseFile } from '#server/domains/media/uploads/uploads.ts';
import { newId } from '#server/infra/ids.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/app/media-library.ts';
import { rowsRead } from '#tests/support/database/rows-read.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { storedBytes } from './files.ts';

/** A seeded random generator. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % sides;
  };
}

test('keeps the sum of an account’s bytes right under concurrent changes', async ({
  sql,
  db,
  openTestLibrary,
}) => {
  const { files } = await openTestLibrary();
  const people = [await customerWith(sql), await customerWith(sql), await customerWith(sql)];
  const ids = people.map(({ accountId }) => accountId);
  const roll = dice(7);
  const stored = (accountId: string) =>
    asAccount(db.tenantSql, accountId, (tx) => storedBytes(tx, accountId));
  const someFile = async (accountId: string) => {
    const own = await sql<{ fileId: string }[]>`
      select file_id as "fileId" from files where account_id = ${accountId} order by file_id`;
    return own[roll(Math.max(1, own.length))]?.fileId;
  };
  /** A random change of a file; contents repeat often. */
  const happen = async () => {
    const [from = '', to = ''] = [ids[roll(3)], ids[roll(3)]];
    const fileId = await someFile(from);
    switch (roll(8)) {
      case 0:
        return stored(from);
      case 1:
        return roll(6) === 0 ? files.eraseAll(sql, from) : stored(from);
      case 2:
        return (
          fileId && from !== to && sql.begin((tx) => moveFile({ sql, tx }, { from, to, fileId }))
        );
      case 3:
      case 4:
        return fileId && sql.begin((tx) => releaseFile(tx, { accountId: from, fileId }));
      default: {
        const bytes = Buffer.alloc(1 + roll(5) * 10, 'a');
        return files.save({ accountId: from, bytes, name: 'a', fileId: newId() });
      }
    }
  };
  for (let round = 0; round < 60; round++) {
    const ends = await Promise.allSettled(Array.from({ length: 4 }, happen));
    // A file moved by two calls at once exists already for the second; no call deadlocks.
    const failed = ends.filter((end) => end.status === 'rejected').map(({ reason }) => reason);
    expect(failed.filter(({ code }) => code !== '23505')).toEqual([]);
    const sums = await sql<{ bytes: number }[]>`
      select coalesce(sum(size_bytes), 0)::int as bytes from unnest(${ids}::uuid[]) with ordinality as a(id, n)
      left join lateral (
        select distinct sha256, size_bytes from files where account_id = a.id
      ) f on true group by a.n order by a.n`;
    const said = await Promise.all(ids.map(stored));
    expect([round, ...said]).toEqual([round, ...sums.map(({ bytes }) => bytes)]);
  }
});

test('reads the total from one row, and only the contents being added', async ({ sql, db }) => {
  const { accountId } = await customerWith(sql);
  await sql`
    insert into files (account_id, file_id, name, mime, size_bytes, sha256)
    select ${accountId}, gen_random_uuid(), 'a', 'image/png', 2, sha256(int4send(n / 2))
    from generate_series(2, 4001) as n`;
  await db.owner.query('analyze files');
  expect(await sql.begin((tx) => storedBytes(tx, accountId))).toBe(4_000);
  const [known] = await sql<{ sha256: Buffer }[]>`select sha256 from files limit 1`;
  const coming = [known?.sha256 ?? Buffer.alloc(0), Buffer.alloc(32), Buffer.alloc(32)];
  const read = await rowsRead(sql, 'files', async (tx) => {
    const contents = coming.map((sha256) => ({ sha256, sizeBytes: 10 }));
    expect(await storedBytes(tx, accountId, contents)).toBe(4_010);
  });
  expect(read.scanned).toBe(0);
  expect(read.found).toBeLessThanOrEqual(2);
});
