import { randomUUID } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import readXlsx from 'read-excel-file/node';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { RowExport } from '#contract/exports.ts';
import { type RunningApp, signedIn, test } from '#tests/support/app/running-app.ts';
import { changeMessages, storeMessages } from '#tests/support/people/stored-messages.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import { changeTokens } from '#tests/support/people/people.ts';

type Owner = Awaited<ReturnType<typeof signedIn>>;

function exportsClient(running: RunningApp, { token }: Owner) {
  const ask = (act: string, fields: Record<string, unknown> = {}, headers = {}) =>
    running.ask(act, { token, key: randomUUID(), ...fields }, { headers });
  const list = async (): Promise<RowExport[]> => (await ask('export_list')).body.data.exports;
  return {
    ask,
    list,
    newest: async () => (await list())[0],
    request: async (fields: Record<string, unknown>, act = 'message_export'): Promise<RowExport> =>
      (await ask(act, fields)).body.data,
    fetch: async (url: string | null | undefined) => {
      const response = await running.app.inject({ url: url ?? '/row-exports/none' });
      return { status: response.statusCode, bytes: response.rawPayload, headers: response.headers };
    },
  };
}

test('refuses a token and a selection of messages of another account, and stores no request', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const [ani, budi] = [await signedIn(db), await signedIn(db)];
  const [own] = await storeShopMessages(db, ani);
  const [foreign] = await storeShopMessages(db, budi);
  const { ask, list } = exportsClient(running, ani);
  const ids = (...found: (typeof own)[]) => found.map((one) => publicId('message', one?.id ?? ''));
  for (const fields of [
    { token_id: publicId('token', budi.tokenId) },
    { message_ids: ids(foreign) },
    { message_ids: ids(own, foreign) },
    { token_id: publicId('token', randomUUID()) },
  ]) {
    const { status, body } = await ask('message_export', { format: 'csv', ...fields });
    expect([status, body.error?.type], JSON.stringify(fields)).toEqual([404, 'not_found']);
  }
  expect(await list()).toEqual([]);
  await changeTokens(db.owner, ani, { deletedAt: 'now' });
  const past = { format: 'csv', token_id: publicId('token', ani.tokenId), message_ids: ids(own) };
  expect((await ask('message_export', past)).status).toBe(200);
});

const start = Date.parse('2026-11-20T02:00:00Z');

/** A shop with some messages, one of which a spreadsheet would run as a formula. */
const storeShopMessages = async (db: TestDatabase, { accountId, tokenId }: Owner, count = 3) =>
  storeMessages(
    db.owner,
    accountId,
    Array.from({ length: count }, (_, n) => ({
      at: new Date(start + n * 60_000),
      tokenId,
      status: n === 1 ? ('failed' as const) : ('read' as const),
      body: { text: n === 0 ? '=1+1' : `Pesanan "${n}", terima kasih\nSampai besok 🎉` },
    })),
  );

test('offers the filtered rows as a file to the requesting account alone, for one day', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const [ani, budi] = [await signedIn(db), await signedIn(db)];
  const [first, failed] = await storeShopMessages(db, ani);
  await storeShopMessages(db, budi);
  const failure = { failure: 'not_on_whatsapp', ref: 'INV-2' };
  await changeMessages(db.owner, { messageId: failed!.id }, failure);
  await db.owner`
    insert into message_events (account_id, message_id, kind, at)
    values (${ani.accountId}, ${first?.id ?? ''}, 'sent', '2026-11-20T02:00:01Z')`;
  const shop = exportsClient(running, ani);

  const asked = await shop.request({ format: 'csv', sort_type: 'asc' });
  expect(asked).toMatchObject({ status: 'waiting', url: null, of: { kind: 'messages' } });
  // The file contains no row that came after the request.
  await storeMessages(db.owner, ani.accountId, [
    { at: new Date(Date.now() + 60_000), tokenId: ani.tokenId },
  ]);
  await running.inEach(() => running.container.rowExports.work());
  const made = await shop.newest();
  expect(made).toMatchObject({ id: asked.id, status: 'ready', progress: 100, rows: 3 });

  const { status, bytes, headers } = await shop.fetch(made?.url);
  expect(status).toBe(200);
  expect(headers['content-disposition']).toMatch(
    /^attachment; .*pesan-kabari-\d{4}-\d\d-\d\d\.csv$/,
  );
  expect(headers['cache-control']).toBe('private, no-store');
  const text = bytes.toString('utf8');
  expect(text.split('\r\n')[0]).toBe(
    '\uFEFFWaktu (WIB),Arah,Nomor,Nama,Token,Jenis,Isi,Status,Alasan gagal,Biaya (Rp),Referensi,' +
      'Id pesan,Terkirim (WIB),Sampai (WIB),Dibaca (WIB)',
  );
  expect(text).toContain(
    "2026-11-20 09:00:00,Keluar,6281234567890,,Kasir,Teks,'=1+1,Dibaca,,0,,msg_",
  );
  expect(text).toContain('"Pesanan ""1"", terima kasih\nSampai besok 🎉",Gagal,');
  expect(text).toContain('Nomor ini tidak terdaftar di jaringan. Periksa nomornya.,0,INV-2,msg_');
  expect(text).toContain(`${publicId('message', first?.id ?? '')},2026-11-20 09:00:01,,\r\n`);
  expect(text.match(/msg_/g)).toHaveLength(3);

  // Another account cannot open it: not by id, not by address, not in another browser with a copied token.
  const stranger = exportsClient(running, budi);
  expect(await stranger.list()).toEqual([]);
  expect((await stranger.ask('export_cancel', { export_id: asked.id })).status).toBe(404);
  const own = await stranger.request({ format: 'csv' });
  await running.inEach(() => running.container.rowExports.work());
  const key = (await stranger.newest())?.url?.split('?k=')[1];
  expect((await stranger.fetch(`/row-exports/${asked.id}?k=${key}`)).status).toBe(404);
  expect((await stranger.fetch(made?.url?.replace('/row-exports', '/exports'))).status).toBe(404);
  expect(own.id).not.toBe(asked.id);
  const elsewhere = await shop.ask(
    'export_list',
    {},
    { cookie: `kabari-device=${'b'.repeat(43)}` },
  );
  expect(elsewhere.body.data.exports[0].url).toBeNull();

  await db.owner`update row_exports set expires_at = clock_timestamp()`;
  expect((await shop.fetch(made?.url)).status).toBe(404);
  expect(await shop.list()).toEqual([]);
  await running.inEach(() => running.container.rowExports.sweep());
  expect(await readdir(join(running.dataFolder, 'exports/rows'))).toEqual([]);
  expect(await db.owner`select from row_exports`).toHaveLength(0);
});

test('writes selected messages as a workbook; a search without results creates no file and says so', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  const stored = await storeShopMessages(db, ani);
  const shop = exportsClient(running, ani);
  const ids = stored.slice(0, 2).map(({ id }) => publicId('message', id));
  const asked = await shop.request({ format: 'xlsx', message_ids: ids });
  expect(asked.of).toEqual({ kind: 'messages', chosen: 2 });
  await shop.request({ format: 'csv', q: 'tidak ada yang begini' });
  await running.inEach(() => running.container.rowExports.work());
  const [empty, made] = await shop.list();
  expect(empty).toMatchObject({ status: 'empty', rows: 0, url: null });
  const path = join(running.dataFolder, 'read.xlsx');
  await writeFile(path, (await shop.fetch(made?.url)).bytes);
  const [sheet] = await readXlsx(path);
  const [head, ...rows] = sheet?.data ?? [];
  expect(head?.slice(0, 3)).toEqual(['Waktu (WIB)', 'Arah', 'Nomor']);
  expect(rows.map((row) => [row[0], row[2], row[6], row[9]])).toEqual([
    [
      new Date('2026-11-20T09:01:00Z'),
      '6281234567890',
      'Pesanan "1", terima kasih\nSampai besok 🎉',
      0,
    ],
    [new Date('2026-11-20T09:00:00Z'), '6281234567890', '=1+1', 0],
  ]);
  expect(await readdir(join(running.dataFolder, 'exports/rows'))).toHaveLength(1);
});

test('restarts the file of a dead worker from the beginning, and never offers a partial file', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  await storeShopMessages(db, ani);
  const shop = exportsClient(running, ani);
  await shop.request({ format: 'csv' });
  const folder = join(running.dataFolder, 'exports/rows');
  const [claimed] = await db.owner<{ id: string; owner: string }[]>`
    update row_exports set status = 'working', tries = 1, progress = 40, owner = gen_random_uuid(),
      lease_until = clock_timestamp() + interval '1 minute'
    returning export_id as id, owner`;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${claimed?.id}.${claimed?.owner}.part`), 'half');
  await running.inEach(() => running.container.rowExports.work());
  expect(await shop.newest()).toMatchObject({ status: 'working', progress: 40, url: null });
  await db.owner`update row_exports set lease_until = clock_timestamp()`;
  await running.inEach(() => running.container.rowExports.work());
  const made = await shop.newest();
  expect(made).toMatchObject({ status: 'ready', rows: 3 });
  expect(String((await shop.fetch(made?.url)).bytes).match(/msg_/g)).toHaveLength(3);
  expect(await readdir(folder)).toEqual([
    expect.stringMatching(new RegExp(`^${claimed?.id}\\.(?!${claimed?.owner}).*\\.csv$`)),
  ]);

  // After three failed attempts the export has failed; a new request succeeds.
  await db.owner`
    update row_exports set status = 'working', tries = 3, lease_until = clock_timestamp()`;
  await running.inEach(() => running.container.rowExports.work());
  expect(await shop.newest()).toMatchObject({ status: 'failed', url: null });
  expect(await db.owner`select from outbox where kind = 'export.changed'`).toHaveLength(4);
});

test('cancels an export, also while a worker makes it, and deletes its bytes', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  await storeShopMessages(db, ani);
  const shop = exportsClient(running, ani);
  const waiting = await shop.request({ format: 'csv' });
  await shop.ask('export_cancel', { export_id: waiting.id });
  await running.inEach(() => running.container.rowExports.work());
  expect(await shop.list()).toEqual([]);
  const made = await shop.request({ format: 'csv' });
  await running.inEach(() => running.container.rowExports.work());
  const url = (await shop.newest())?.url;
  await shop.ask('export_cancel', { export_id: made.id });
  expect((await shop.fetch(url)).status).toBe(404);
  expect(await readdir(join(running.dataFolder, 'exports/rows'))).toEqual([]);
});

test('limits exports per day, requires the password and writes an audit entry for each', async ({
  db,
  openApp,
}) => {
  const running = await openApp();
  const ani = await signedIn(db);
  const shop = exportsClient(running, ani);
  const foreign = { format: 'csv', campaign_id: publicId('campaign', randomUUID()) };
  expect((await shop.ask('campaign_export', foreign)).status).toBe(404);
  for (let n = 0; n < 20; n++) await shop.request({ format: 'csv' });
  const { status, body } = await shop.ask('message_export', { format: 'csv' });
  expect([status, body.error]).toEqual([429, { type: 'export_limit', facts: { limit: 20 } }]);
  expect((await shop.ask('export_list')).body.data.left_today).toBe(0);
  const audited = await db.owner`select from audit_log where act = 'message_export'`;
  expect(audited).toHaveLength(21);
});
