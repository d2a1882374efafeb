import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import type { RowExport } from '#contract/exports.ts';
import type { FileStore } from '#server/infra/file-store/file-store.ts';
import { openFiles } from '#server/domains/media/files.ts';
import { newId } from '#server/infra/ids.ts';
import { secretsFrom } from '#server/infra/security/secrets.ts';
import { type RunningApp, signedIn, test as withApp } from '#tests/support/app/running-app.ts';
import { pdfOf, responseTo, test } from '#tests/support/app/uploads-app.ts';
import { type S3Server, startS3Server } from '#tests/support/files/s3-server.ts';
import { storeMessages } from '#tests/support/people/stored-messages.ts';

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
});
afterAll(() => s3.close());

function away(trouble: number | 'drops') {
  s3.trouble(trouble);
  onTestFinished(() => s3.trouble(undefined));
}

const keysIn = async (store: FileStore, prefix = '') =>
  (await Array.fromAsync(store.list(prefix))).map(({ key }) => key);
const filesBelow = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map(({ name }) => name);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

test('accepts pieces of an upload on different nodes, and serves the file from each', async ({
  openUploadsApp,
  ani,
}) => {
  const store = await s3.open();
  const [here, there] = [await openUploadsApp({ store }), await openUploadsApp({ store })];
  const bytes = pdfOf(30_000);
  const id = await (await here.begin(ani.token, bytes.length, { purpose: 'proof' })).text();
  const piece = (offset: number, end: number) => ({
    offset,
    length: bytes.length,
    name: 'bukti.pdf',
    bytes: bytes.subarray(offset, end),
  });
  expect((await here.patch(ani.token, id, piece(0, 10_000))).status).toBe(204);
  expect((await there.patch(ani.token, id, piece(10_000, 20_000))).status).toBe(204);
  expect((await here.patch(ani.token, id, piece(10_000, 20_000))).status).toBe(204);
  expect((await here.patch(ani.token, id, piece(20_000, 30_000))).status).toBe(204);

  for (const node of [here, there]) {
    const given = await node.ask(ani.token, 'GET', { query: `?load=${id}` });
    expect(await bytesOf(given)).toEqual(bytes);
    const part = await node.ask(ani.token, 'GET', {
      query: `?load=${id}`,
      headers: { range: 'bytes=100-199' },
    });
    expect(part.status).toBe(206);
    expect(await bytesOf(part)).toEqual(bytes.subarray(100, 200));
    expect(await filesBelow(node.dataFolder)).toEqual([]);
  }
  expect(await keysIn(store)).toEqual([expect.stringMatching(/^files\/[0-9a-f]{2}\//)]);
  expect((await there.ask(ani.token, 'DELETE', { body: id })).status).toBe(204);
  expect(await keysIn(store)).toEqual([]);
});

test('stores and sends equal bytes once, and deletes them with the last account that has them', async ({
  openUploadsApp,
  db,
  ani,
  budi,
}) => {
  const store = await s3.open();
  const app = await openUploadsApp({ store });
  const file = { name: 'bukti.pdf', bytes: pdfOf(5_000) };
  const posted = async ({ token }: { token: string }) =>
    (await app.post(token, file, { purpose: 'proof' })).text();
  const before = s3.requests.length;
  const [first, second] = [await posted(ani), await posted(budi)];
  const puts = s3.requests.slice(before).filter((one) => one.startsWith('PUT'));
  expect(puts).toHaveLength(1);
  expect(await keysIn(store)).toHaveLength(1);
  await app.ask(ani.token, 'DELETE', { body: first });
  expect((await app.ask(budi.token, 'GET', { query: `?load=${second}` })).status).toBe(200);
  await app.uploads.eraseAll(budi.accountId);
  await app.files.eraseAll(db.allAccountsSql, budi.accountId);
  expect(await keysIn(store)).toEqual([]);
});

test('loses nothing while the store is away, and tells callers to retry', async ({
  openUploadsApp,
  db,
  ani,
}) => {
  const store = await s3.open();
  const app = await openUploadsApp({ store });
  const file = { name: 'bukti.pdf', bytes: pdfOf(5_000) };
  const id = await (await app.post(ani.token, file, { purpose: 'proof' })).text();
  const bytes = pdfOf(9_000, 2);
  const begun = await (await app.begin(ani.token, bytes.length, { purpose: 'proof' })).text();
  const piece = { offset: 0, length: bytes.length, name: 'bukti.pdf', bytes };

  away('drops');
  const refused = [
    await app.ask(ani.token, 'GET', { query: `?load=${id}` }),
    await app.patch(ani.token, begun, piece),
    await app.post(ani.token, file, { purpose: 'proof' }),
  ];
  for (const response of refused) {
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-disposition')).toBeNull();
    expect(await responseTo(response)).toMatchObject({ status: 503, type: 'busy' });
  }
  expect((await app.ask(ani.token, 'DELETE', { body: id })).status).toBe(204);

  s3.trouble(undefined);
  expect((await app.patch(ani.token, begun, piece)).status).toBe(204);
  const loaded = await app.ask(ani.token, 'GET', { query: `?load=${begun}` });
  expect(await bytesOf(loaded)).toEqual(bytes);
  expect(await keysIn(store, 'files/')).toHaveLength(2);

  await app.files.sweep(db.allAccountsSql);
  expect(await keysIn(store, 'files/')).toHaveLength(2);
  const dayAfter: FileStore = {
    ...store,
    async *list(prefix) {
      for await (const one of store.list(prefix)) yield { ...one, modifiedMs: 0 };
    },
  };
  const { dataFolder } = app;
  const secrets = secretsFrom(Buffer.alloc(32, 9));
  const files = openFiles({ sql: db.tenantSql, store: dayAfter, dataFolder, secrets });
  await files.sweep(db.allAccountsSql);
  expect(await keysIn(store, 'files/')).toHaveLength(1);
  const remaining = await app.ask(ani.token, 'GET', { query: `?load=${begun}` });
  expect(await bytesOf(remaining)).toEqual(bytes);
});

test('never sweeps a store of another installation', async ({ openUploadsApp, db }) => {
  const theirs = await s3.open({ prefix: 'of-two', owner: 'theirs' });
  await theirs.claim();
  const app = await openUploadsApp({ store: await s3.open({ prefix: 'of-two' }) });
  await expect(app.files.sweep(db.allAccountsSql)).rejects.toThrow('another installation');
});

const callsOf = ({ ask }: RunningApp, token: string) => ({
  request: (act: string, fields: object = {}) =>
    ask(act, { token, key: randomUUID(), ...fields }).then(({ body }) => body.data),
  newest: async (): Promise<RowExport> =>
    (await ask('export_list', { token })).body.data.exports[0],
});

withApp(
  'serves files of one node from another, and both report the state of the store',
  async ({ db, openApp }) => {
    const env = s3.settings('nodes');
    const [here, there] = [await openApp({ env }), await openApp({ env })];
    const ani = await signedIn(db);
    await storeMessages(db.owner, ani.accountId, [
      { at: new Date(), tokenId: ani.tokenId, status: 'read', body: { text: 'Terima kasih' } },
    ]);
    await callsOf(here, ani.token).request('message_export', { format: 'csv' });
    await here.inEach(() => here.container.rowExports.work());
    const rows = await callsOf(there, ani.token).newest();
    const fetched = await there.app.inject({ url: rows.url ?? '' });
    expect(fetched.payload).toContain('Terima kasih');

    await here.container.media.files.save({
      accountId: ani.accountId,
      bytes: Buffer.from('a file of theirs'),
      name: 'catatan.bin',
    });
    const exportId = newId();
    await db.owner`
    insert into exports (account_id, export_id, user_id)
    values (${ani.accountId}, ${exportId}, ${ani.userId})`;
    await there.inEach(() => there.container.accounts.exports.work());
    const archive = await here.container.accounts.exports.open(ani.accountId, exportId);
    const zip = archive && (await buffer(await archive.stream()));
    expect(zip?.includes('catatan.bin')).toBe(true);
    for (const { dataFolder } of [here, there]) expect(await filesBelow(dataFolder)).toEqual([]);

    await db.owner`
      insert into exports (account_id, export_id, user_id)
      values (${ani.accountId}, ${newId()}, ${ani.userId})`;
    away('drops');
    await here.inEach(() => here.container.accounts.exports.work());
    const waiting = await db.owner`select tries from exports where status = 'waiting'`;
    expect(waiting).toEqual([{ tries: 0 }]);
    const answer = await here.app.inject({ url: rows.url ?? '' });
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
    // Texts leave without files, so no node is taken out of service.
    const ready = await here.app.inject({ url: '/readyz' });
    expect([ready.statusCode, ready.json().checks.files]).toEqual([200, 'failing']);
    const figures = await there.app.inject({ url: '/metrics', remoteAddress: '127.0.0.1' });
    expect(figures.payload).toContain('kabari_files_away 1');
  },
);
