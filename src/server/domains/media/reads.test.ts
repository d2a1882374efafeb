import { expect } from 'vitest';
import { claimFetches, endFetch } from './library/library.ts';
import { releaseFile } from '#server/domains/media/uploads/uploads.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { type RowsRead, rowsRead } from '#tests/support/database/rows-read.ts';
import { customerWith } from '#tests/support/people/people.ts';

const FILES = 2_000;

/**
 * Files of an account, each from an upload and in the library, with a preview. Answers one of them.
 */
async function fill(sql: Sql, accountId: string): Promise<string> {
  await sql`
    insert into files (account_id, file_id, name, mime, size_bytes, sha256)
    select ${accountId}, md5(n || ${accountId})::uuid, 'a', 'image/png', 1, sha256(int4send(n))
    from generate_series(1, ${2 * FILES}::int) as n`;
  await sql`
    insert into uploads (account_id, upload_id, user_id, purpose, state, length_bytes, file_id, expires_at)
    select ${accountId}, gen_random_uuid(), ${accountId}, 'media', 'claimed', 1, md5(n || ${accountId})::uuid, now()
    from generate_series(1, ${FILES}::int) as n`;
  await sql`
    insert into media_library (account_id, file_id, source, preview_id, expires_at)
    select ${accountId}, md5(n || ${accountId})::uuid, 'api', md5(n + ${FILES}::int || ${accountId})::uuid, now()
    from generate_series(2, ${FILES}::int) as n`;
  const [first] = await sql<{ id: string }[]>`select md5(1 || ${accountId})::uuid as id`;
  if (!first) throw new Error('no id');
  return first.id;
}

test('releases a file without scanning the library and the uploads', async ({ sql, db }) => {
  const { accountId } = await customerWith(sql);
  const fileId = await fill(sql, accountId);
  await db.owner.query('analyze files, uploads, media_library');
  const release = (table: string) =>
    rowsRead(sql, table, (tx) => releaseFile(tx, { accountId, fileId }));
  expect(await release('uploads')).toEqual({ scanned: 0, found: 1 });
  expect(await release('media_library')).toEqual({ scanned: 0, found: 0 });
});

test('reads only the links it may claim, however many wait', async ({ sql, db }) => {
  const accounts = [await customerWith(sql), await customerWith(sql), await customerWith(sql)];
  const queue = async ([ani = '', budi = '', cici = '']: string[], waiting: number) => {
    await sql`delete from media_fetches`;
    await sql`
      insert into media_fetches (account_id, fetch_id, link, link_hash, kind, due_at)
      select account_id, gen_random_uuid(), 'https://a.example', sha256(int4send(n)), 'image',
        now() + due * interval '1 minute'
      from (values (${ani}::uuid, ${waiting}::int, -2), (${budi}::uuid, ${waiting}::int, 1), (${cici}::uuid, 1, -1))
        as of_one(account_id, links, due), generate_series(1, links) as n`;
    await db.owner.query('analyze media_fetches');
  };
  const ids = accounts.map(({ accountId }) => accountId);
  const read: RowsRead[] = [];
  for (const waiting of [1_000, 4_000]) {
    await queue(ids, waiting);
    const claim = rowsRead(sql, 'media_fetches', async (tx) => {
      const claimed = await claimFetches(tx, 16);
      const of = (id = '') => claimed.filter(({ accountId }) => accountId === id).length;
      // Four of the first account; the second one's link is not due yet; the third account is served.
      expect(ids.map(of)).toEqual([4, 0, 1]);
      expect(await claimFetches(tx, 16)).toEqual([]);
    });
    read.push(await claim);
  }
  expect(read[1]).toEqual(read[0]);
  expect(read[1]).toMatchObject({ scanned: 0 });
});

test('claims at most four links of an account over concurrent workers', async ({ sql }) => {
  const { accountId } = await customerWith(sql);
  await sql`
    insert into media_fetches (account_id, fetch_id, link, link_hash, kind)
    select ${accountId}, gen_random_uuid(), 'https://a.example', sha256(int4send(n)), 'image'
    from generate_series(1, 50) as n`;
  for (let round = 0; round < 10; round++) {
    const claims = await Promise.all([1, 2, 3, 4].map(() => claimFetches(sql, 16)));
    const claimed = claims.flat();
    expect(claimed).toHaveLength(4);
    expect(new Set(claimed.map(({ fetchId }) => fetchId)).size).toBe(4);
    await Promise.all(claimed.map((one) => endFetch(sql, one, { failure: 'media_refused' })));
  }
});
