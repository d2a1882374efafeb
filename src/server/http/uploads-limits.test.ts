import { expect } from 'vitest';
import { uuidOf } from '#contract/base/ids.ts';
import { UPLOAD_PATH } from '#contract/uploads.ts';
import { asAccount } from '#server/infra/postgres/database.ts';
import { claimUpload } from '#server/domains/media/uploads/uploads.ts';
import { test as app, signedIn } from '#tests/support/app/running-app.ts';
import { formWith, pdfOf, responseTo, test } from '#tests/support/app/uploads-app.ts';

test('unfinished uploads share a quota, and so do the files of an account', async ({
  openUploadsApp,
  ani,
  budi,
}) => {
  const app = await openUploadsApp({ openBytesMax: 10_000_000, storedBytesMax: 30_000_000 });
  const begun = await Promise.all([1, 2, 3].map(() => app.begin(ani.token, 4_000_000)));
  expect(begun.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 409]);
  expect((await app.begin(budi.token, 4_000_000)).status).toBe(200);
  const full = begun.find(({ status }) => status === 409);
  expect(full && (await responseTo(full)).msg).toContain('melampaui 10 MB');
  const gone = begun.find(({ status }) => status === 200);
  await app.ask(ani.token, 'DELETE', { body: (await gone?.text()) ?? '' });
  expect((await app.begin(ani.token, 4_000_000)).status).toBe(200);

  const small = await openUploadsApp({ storedBytesMax: 1_000_000 });
  expect(await responseTo(await small.begin(budi.token, 2_000_000))).toMatchObject({
    status: 409,
    type: 'storage_full',
  });
});

test('portals of PORTAL_ORIGINS may upload, pages of other sites may not', async ({
  openUploadsApp,
  ani,
}) => {
  const portal = 'https://portal.example';
  const app = await openUploadsApp({ portals: [portal] });
  const asked = await app.ask(undefined, 'OPTIONS', { headers: { origin: portal } });
  expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(asked.headers.get('access-control-allow-headers')).toContain('Upload-Offset');
  const { body, type } = formWith({ name: 'a.pdf', bytes: pdfOf(1_000) }, {});
  const from = (origin: string) =>
    app.ask(ani.token, 'POST', { body, headers: { 'content-type': type, origin } });
  const ours = await from(portal);
  expect(ours.status).toBe(200);
  expect(ours.headers.get('access-control-allow-origin')).toBe(portal);
  const foreign = await from('https://evil.example');
  expect(foreign.status).toBe(403);
  expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
});

test('the uploads of a person are rate-limited', async ({ openUploadsApp, ani }) => {
  const app = await openUploadsApp({ hasty: false });
  const answers = await Promise.all(
    Array.from({ length: 150 }, () => app.ask(ani.token, 'DELETE', { body: 'upl_x' })),
  );
  const late = answers.filter(({ status }) => status === 429);
  expect(late.length).toBeGreaterThan(0);
  expect(late[0]?.headers.get('retry-after')).toBe('1');
});

app('the whole application takes uploads, and a domain may claim them', async ({ openApp, db }) => {
  const { app, container: opened } = await openApp();
  const { token, accountId, userId } = await signedIn(db);
  const { body, type } = formWith({ name: 'bukti.pdf', bytes: pdfOf(2_000) }, { purpose: 'proof' });
  const answer = await app.inject({
    method: 'POST',
    url: UPLOAD_PATH,
    payload: body,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
  });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
  const uploadId = uuidOf('upload', answer.payload) ?? '';
  const wanted = { accountId, userId, uploadId, purpose: 'proof' as const };
  const fileId = await asAccount(opened.pools.tenantSql, accountId, (tx) =>
    claimUpload(tx, wanted),
  );
  const shown = await app.inject({ url: opened.media.files.link(accountId, fileId) });
  expect(shown.rawPayload).toEqual(pdfOf(2_000));
});
