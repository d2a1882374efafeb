import { expect } from 'vitest';
import { releaseFile } from '#server/domains/media/uploads/uploads.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { rowsRead } from '#tests/support/database/rows-read.ts';
import { customerWith } from '#tests/support/people/people.ts';

const FILES = 2_000;

/** Files of an account, each from an upload and in the library, with a small picture. Answers one of them. */
async function fill(sql: Sql, accountId: string): Promise<string> {
  await sql`
    insert into files (account_id, file_id, name, mime, size_bytes, sha256)
    select ${accountId}, md5(n || ${accountId})::uuid, 'a', 'image/png', 1, sha256(int4send(n))
    from generate_series(1, ${2 * FILES}::int) as n`;
  await sql`
    insert into uploads (account_id, upload_id, user_id, purpose, state, length_bytes, file_id, expires_at)
    select ${accountId}, gen_random_uuid(), ${accountId}, 'media', 'claimed', 1, md5(n || ${accountId})::uuid, now()
    from generate_series(1, ${FILES}::int) as n`;
  // All but the first.
  await sql`
    insert into media_library (account_id, file_id, source, preview_id, expires_at)
    select ${accountId}, md5(n || ${accountId})::uuid, 'api', md5(n + ${FILES}::int || ${accountId})::uuid, now()
    from generate_series(2, ${FILES}::int) as n`;
  const [first] = await sql<{ id: string }[]>`select md5(1 || ${accountId})::uuid as id`;
  if (!first) throw new Error('no id');
  return first.id;
}

test('a file is let go of without reading the library and the uploads through', async ({
  sql,
  db,
}) => {
  const { accountId } = await customerWith(sql);
  const fileId = await fill(sql, accountId);
  await db.owner.query('analyze files, uploads, media_library');
  const release = (table: string) =>
    rowsRead(sql, table, (tx) => releaseFile(tx, { accountId, fileId }));
  expect(await release('uploads')).toEqual({ scanned: 0, found: 1 });
  expect(await release('media_library')).toEqual({ scanned: 0, found: 0 });
});
