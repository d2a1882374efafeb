import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { openFiles } from '#server/domains/media/files.ts';
import { openDiskStore } from '#server/infra/file-store/open.ts';
import { newId } from '#server/infra/ids.ts';
import { installationId, readSecrets } from '#server/infra/security/secrets.ts';
import { test } from '#tests/support/database/database.ts';
import { type S3Server, startS3Server } from '#tests/support/files/s3-server.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { placeOfFiles, storeOfFiles, versionsOfFiles } from './doctor/files.ts';
import { runOperator } from './run.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());

async function run(env: Record<string, string>, ...words: string[]) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await runOperator(words, { env, print, complain: print });
  return { code, said: lines.join('\n') };
}

test('files of the data folder are copied into the store once, and read back', async ({ db }) => {
  const { allAccountsSql: all, tenantSql: sql } = db;
  const dataFolder = await mkdtemp(join(tmpdir(), 'kabari-move-'));
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }));
  const disk = openDiskStore(dataFolder);
  const secrets = await readSecrets(all);
  const files = openFiles({ sql, store: disk, dataFolder, secrets });
  const { accountId } = await customerWith(all);
  const save = (words: string) =>
    files.save({ accountId, bytes: Buffer.from(words), name: 'catatan.bin' });
  const first = await save('the first');
  await save('the second');
  const archive = `exports/${newId()}.${newId()}.zip`;
  const draft = join(dataFolder, 'draft');
  await writeFile(draft, 'an archive');
  await disk.put(archive, draft, 10);

  const env = { DATABASE_URL: db.url, KABARI_DATA: dataFolder };
  expect(await run(env, 'files:move')).toMatchObject({ code: 1, said: /^Set FILES_URL/ });
  const prefix = newId();
  const moved = { ...env, ...s3.settings(prefix) };
  const doctor = () => run(moved, 'doctor');
  expect((await doctor()).said).toMatch(/Of 2 files .* 2 are not in the store/);
  expect(await run(moved, 'files:move')).toMatchObject({
    code: 0,
    said: expect.stringMatching(
      /^3 files .* were copied to s3:\/\/kabari\/.* and read back\.\nStart/,
    ),
  });
  const owner = await installationId(all);
  const store = await s3.open({ prefix, owner });
  expect(await store.ownership()).toBe('ours');
  expect(String(await buffer(await store.stream(archive)))).toBe('an archive');
  const there = openFiles({ sql, store, dataFolder, secrets });
  expect(String((await there.read(accountId, first.fileId))?.bytes)).toBe('the first');
  expect((await files.read(accountId, first.fileId))?.sizeBytes).toBe(9);
  expect((await doctor()).said).toMatch(/2 files that the database names were looked for/);

  // A second run copies only new files, and names broken and missing ones.
  await save('the third');
  const keys = (await Array.fromAsync(disk.list('files/'))).map(({ key }) => key);
  const known = new Set((await Array.fromAsync(store.list('files/'))).map(({ key }) => key));
  const third = keys.find((key) => !known.has(key)) ?? '';
  await writeFile(join(dataFolder, third), 'the thirt');
  const gone = await save('gone');
  await db.owner`update files set sha256 = sha256('none') where file_id = ${gone.fileId}`;
  const again = await run(moved, 'files:move');
  expect(again.code).toBe(1);
  expect(again.said).toMatch(/^1 files .* copied[^\n]*\n3 files were there before\./);
  expect(again.said).toContain(`not what they were, and stay there:\n  ${third}`);
  expect(again.said).toMatch(/1 files that the database names are neither here nor there/);
  expect(again.said).not.toContain('S3RVER');

  // Existing objects are read only on request.
  const [key = ''] = known;
  await writeFile(draft, 'x'.repeat((await store.size(key)) ?? 0));
  await store.put(key, draft, (await store.size(key)) ?? 0);
  expect((await run(moved, 'files:move')).said).toMatch(/^0 files/);
  expect((await run(moved, 'files:move', '--verify')).said).toMatch(/^1 files/);
  s3.trouble('drops');
  onTestFinished(() => s3.trouble(undefined));
  expect((await run(moved, 'files:move')).said).toMatch(/does not answer .* the next run goes on/);
});

test('the doctor reports the state of the file store', async () => {
  const store = await s3.open();
  expect(placeOfFiles({ FILES_URL: undefined, ROLE: 'all' }).state).toBe('ok');
  expect(placeOfFiles({ FILES_URL: undefined, ROLE: 'web' }).state).toBe('warning');
  const bucket = { bucket: 'b', prefix: '', region: 'r', pathStyle: true };
  const at = (endpoint: string | undefined) =>
    placeOfFiles({ FILES_URL: { ...bucket, endpoint }, ROLE: 'web' }).state;
  expect([at(undefined), at('http://127.0.0.1:9000'), at('http://minio:9000')]).toEqual([
    'ok',
    'ok',
    'warning',
  ]);
  expect(await storeOfFiles(store)).toMatchObject({ state: 'ok' });
  expect(await Array.fromAsync(store.list(''))).toEqual([]);
  expect((await versionsOfFiles(store)).state).toBe('warning');
  const theirs = await s3.open({ prefix: 'doctor', owner: 'theirs' });
  await theirs.claim();
  expect((await storeOfFiles(await s3.open({ prefix: 'doctor' }))).state).toBe('wrong');
  s3.trouble(403);
  onTestFinished(() => s3.trouble(undefined));
  expect(await storeOfFiles(store)).toMatchObject({ state: 'wrong', says: /refuses/ });
  s3.trouble('drops');
  expect(await storeOfFiles(store)).toMatchObject({ state: 'wrong', says: /does not answer/ });
});
