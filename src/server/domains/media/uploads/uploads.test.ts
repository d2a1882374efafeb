import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { publicId, uuidOf } from '#contract/base/ids.ts';
import { type UploadsApp, pdfOf, picture, test } from '#tests/support/app/uploads-app.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { claimUpload } from './uploads.ts';

const filesIn = async ({ dataFolder }: UploadsApp, folder: 'files' | 'uploads') => {
  const place = join(dataFolder, folder);
  const found = await readdir(place, { recursive: true, withFileTypes: true }).catch(() => []);
  return found.filter((one) => one.isFile()).length;
};

async function aReauth(app: UploadsApp, token: string, seed = 1): Promise<string> {
  const file = { name: 'bukti.pdf', bytes: pdfOf(2_000, seed) };
  const posted = await app.post(token, file, { purpose: 'proof' });
  return uuidOf('upload', await posted.text()) ?? '';
}

test('claims a finished upload once, for its own user and purpose', async ({
  openUploadsApp,
  db,
  ani,
  budi,
}) => {
  const app = await openUploadsApp();
  const uploadId = await aReauth(app, ani.token);
  const claim = (wanted: object = {}) => {
    const { accountId, userId } = ani;
    const whose = { accountId, userId, uploadId, purpose: 'proof' as const, ...wanted };
    return asAccount(db.tenantSql, whose.accountId, (tx) => claimUpload(tx, whose));
  };
  const none = { code: 'upload_gone' };
  await expect(claim({ purpose: 'avatar' })).rejects.toMatchObject(none);
  await expect(claim({ accountId: budi.accountId, userId: budi.userId })).rejects.toMatchObject(
    none,
  );
  await expect(claim({ userId: budi.userId })).rejects.toMatchObject(none);
  const claims = await Promise.allSettled([claim(), claim(), claim()]);
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const fileId = claims.find(({ status }) => status === 'fulfilled') as { value: string };
  expect(await app.files.open(ani.accountId, fileId.value)).toMatchObject({ name: 'bukti.pdf' });

  const taken = await app.ask(ani.token, 'DELETE', { body: publicId('upload', uploadId) });
  expect(taken.status).toBe(409);
});

test('makes an upload claimable again after its act fails', async ({ openUploadsApp, db, ani }) => {
  const app = await openUploadsApp();
  const wanted = { ...ani, uploadId: await aReauth(app, ani.token), purpose: 'proof' as const };
  const failing = asAccount(db.tenantSql, ani.accountId, async (tx) => {
    await claimUpload(tx, wanted);
    throw new Error('the act failed');
  });
  await expect(failing).rejects.toThrow('the act failed');
  await expect(
    asAccount(db.tenantSql, ani.accountId, (tx) => claimUpload(tx, wanted)),
  ).resolves.toMatch(/^[0-9a-f-]{36}$/);
});

test('removes unclaimed uploads with their bytes after a day, and keeps claimed ones', async ({
  openUploadsApp,
  db,
  ani,
}) => {
  const app = await openUploadsApp();
  const used = await aReauth(app, ani.token, 1);
  await aReauth(app, ani.token, 2);
  const begun = await (await app.begin(ani.token, 9_000)).text();
  await app.patch(ani.token, begun, {
    offset: 0,
    length: 9_000,
    name: 'a.pdf',
    bytes: pdfOf(9_000, 3).subarray(0, 4_000),
  });
  const fileId = await asAccount(db.tenantSql, ani.accountId, (tx) =>
    claimUpload(tx, { ...ani, uploadId: used, purpose: 'proof' }),
  );
  await app.uploads.sweep();
  expect([await filesIn(app, 'files'), await filesIn(app, 'uploads')]).toEqual([2, 1]);

  await db.allAccountsSql`update uploads set expires_at = clock_timestamp() - interval '1 second'`;
  const late = await app.ask(ani.token, 'HEAD', { query: `?patch=${begun}` });
  expect(late.status).toBe(404);
  await app.uploads.sweep();
  expect([await filesIn(app, 'files'), await filesIn(app, 'uploads')]).toEqual([1, 0]);
  expect(await db.allAccountsSql`select file_id from files`).toEqual([{ file_id: fileId }]);
  expect(await db.allAccountsSql`select from uploads`).toHaveLength(0);
});

test('stores the bytes of two accounts once, and erases them with the last one', async ({
  openUploadsApp,
  ani,
  budi,
}) => {
  const app = await openUploadsApp();
  const first = publicId('upload', await aReauth(app, ani.token));
  const second = publicId('upload', await aReauth(app, budi.token));
  expect(await filesIn(app, 'files')).toBe(1);
  await app.ask(ani.token, 'DELETE', { body: first });
  expect((await app.ask(budi.token, 'GET', { query: `?load=${second}` })).status).toBe(200);
  await app.ask(budi.token, 'DELETE', { body: second });
  expect(await filesIn(app, 'files')).toBe(0);
});

test('leaves no file when an upload is reverted during inspection', async ({
  openUploadsApp,
  db,
  ani,
}) => {
  const app = await openUploadsApp();
  const bytes = await picture('png', { width: 2_000, height: 2_000 });
  const length = bytes.length;
  for (let round = 0; round < 3; round++) {
    const id = await (await app.begin(ani.token, length, { purpose: 'proof' })).text();
    const piece = { offset: 0, length, name: 'bukti.png', bytes };
    const [sent, taken] = await Promise.all([
      app.patch(ani.token, id, piece),
      app.ask(ani.token, 'DELETE', { body: id }),
    ]);
    expect(taken.status).toBe(204);
    expect([204, 404]).toContain(sent.status);
  }
  expect(await filesIn(app, 'files')).toBe(0);
  expect(await db.allAccountsSql`select from files`).toHaveLength(0);
  expect(app.troubles).toEqual([]);
});
