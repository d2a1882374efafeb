import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openUploads } from '#server/domains/media/uploads/uploads.ts';
import { test } from './support/app/media-library.ts';
import { picture } from './support/app/uploads-app.ts';
import { customerWith } from './support/people/people.ts';

/** Points of death while storing a picture and its thumbnail: around each, and after the commit. */
const deaths = ['before 0', 'after 0', 'before 1', 'after 1', 'committed'] as const;

const twoDaysAgo = () => new Date(Date.now() - 2 * 86_400_000);

async function filesIn(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
}

test.for(deaths)(
  'leaves no orphaned rows or bytes when killed while storing a file, %s',
  { timeout: 120_000 },
  async (dies, { sql, db, openTestLibrary }) => {
    const { accountId } = await customerWith(sql);
    const { files, library, folder } = await openTestLibrary();
    const given = join(folder, 'given');
    await writeFile(given, await picture('png', { width: 900, height: 20 }));
    const child: ChildProcess = fork('tests/support/media/dying-node.ts', [
      db.url,
      folder,
      accountId,
      given,
      dies,
    ]);
    expect((await once(child, 'exit'))[1]).toBe('SIGKILL');

    // Every row points to bytes with its hash.
    const rows = await sql<{ file_id: string; sha256: Buffer }[]>`
      select file_id, sha256 from files where account_id = ${accountId}`;
    expect(rows).toHaveLength(dies === 'committed' ? 2 : 0);
    for (const { file_id, sha256 } of rows) {
      const { bytes } = (await files.read(accountId, file_id)) ?? {};
      expect(
        createHash('sha256')
          .update(bytes ?? '')
          .digest(),
      ).toEqual(sha256);
    }
    const media = await sql`select from media_library where account_id = ${accountId}`;
    expect(media).toHaveLength(rows.length / 2);

    // Leftovers are not touched on the same day: they may be work in progress.
    const left = await filesIn(join(folder, 'files'));
    expect(left.length).toBeGreaterThanOrEqual(dies === 'before 0' ? 0 : 1);
    await files.sweep(db.allAccountsSql);
    expect(await filesIn(join(folder, 'files'))).toEqual(left);

    const drafts = (await readdir(join(folder, 'uploads'))).map((one) =>
      join(folder, 'uploads', one),
    );
    for (const path of [...left, ...drafts]) await utimes(path, twoDaysAgo(), twoDaysAgo());
    await files.sweep(db.allAccountsSql);
    const uploads = openUploads({
      sql,
      allAccountsSql: db.allAccountsSql,
      files,
      dataFolder: folder,
      scanner: undefined,
      openBytesMax: 1_000_000,
      storedBytesMax: 1_000_000,
    });
    await uploads.sweep();
    expect(await filesIn(join(folder, 'files'))).toHaveLength(rows.length);
    expect(await filesIn(join(folder, 'uploads'))).toEqual([]);

    const bytes = await readFile(given);
    const declared = { name: '', type: '' };
    const again = await library.take({ accountId, bytes, declared, source: 'channel' });
    expect((await files.read(accountId, again.fileId))?.bytes.length).toBeGreaterThan(0);
  },
);
