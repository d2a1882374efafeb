import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { type RunningApp, signedIn, test } from './support/app/running-app.ts';
import { pdfOf, picture } from './support/app/uploads-app.ts';
import { waitFor } from './support/wait-for.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

type Owner = { accountId: string; userId: string; tokenId: string; token: string };
const to = '081234567890';

async function uploaded(
  { container }: RunningApp,
  { accountId, userId }: Owner,
  { name, bytes, purpose = 'media' }: { name: string; bytes: Buffer; purpose?: 'media' | 'chat' },
) {
  const bytesOf = async function* () {
    yield bytes;
  };
  const uploadId = await container.media.uploads.take(
    { accountId, userId },
    { purpose, declared: '', name, lengthBytes: bytes.length, bytes: bytesOf() },
  );
  return publicId('upload', uploadId);
}

const sending =
  ({ ask }: RunningApp, { token, tokenId }: Owner) =>
  async (upload: string, more: Record<string, unknown> = {}) => {
    const fields = { token, token_id: publicId('token', tokenId), to, key: randomUUID() };
    const { body } = await ask('message_send_file', { ...fields, upload, ...more });
    return body.code === 1 ? body.data : body.error;
  };

const voice = await readFile(
  join(process.cwd(), 'src/server/domains/channels/simulator/samples/suara.ogg'),
);

test('sends a file of the portal as the matching type, from the same library', async ({
  openApp,
  db,
}) => {
  const running = await openApp({ works: true });
  const ani = await signedIn(db, { saldo: 10_000 });
  const send = sending(running, ani);
  const wide = await picture('png', { width: 900, height: 600 });
  const of = async (name: string, bytes: Buffer, caption?: string) =>
    send(await uploaded(running, ani, { name, bytes }), caption === undefined ? {} : { caption });
  const shown = await of('kue.png', wide, 'Kue hari ini');
  expect(shown).toMatchObject({
    type: 'image',
    content: {
      type: 'png',
      caption: 'Kue hari ini',
      url: expect.stringMatching(/^\/files\/fil_/),
      file: { preview: expect.stringMatching(/^\/files\/fil_/), missing: null },
    },
  });
  expect(await of('suara.ogg', voice, 'tidak ikut')).toMatchObject({
    type: 'audio',
    content: { caption: '', file: { waveform: expect.any(Array) } },
  });
  expect(await of('harga.pdf', pdfOf(1_000), 'Daftar harga')).toMatchObject({
    type: 'document',
    content: { filename: 'harga.pdf', file: { size: 1_000 } },
  });
  const sources = await db.allAccountsSql`select source from media_library`;
  expect(sources.map(({ source }) => source)).toEqual(['portal', 'portal', 'portal']);
  await waitFor(async () => {
    const lines = await db.allAccountsSql`select from sim_lines where direction = 'in'`;
    expect(lines).toHaveLength(3);
  });
});

test('sends an upload to a phone once under any key, and never another person’s upload', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const ani = await signedIn(db, { saldo: 10_000 });
  const budi = await signedIn(db, { saldo: 10_000 });
  const send = sending(running, ani);
  const bytes = await picture('png', { width: 900, height: 20 });
  const upload = await uploaded(running, ani, { name: 'kue.png', bytes });
  const key = randomUUID();
  const first = await send(upload, { key });
  expect(await send(upload, { key })).toMatchObject({ id: first.id });
  const repeats = await Promise.all([send(upload), send(upload), send(upload)]);
  expect(new Set(repeats.map(({ id }) => id))).toEqual(new Set([first.id]));
  // Another text or another phone is another message.
  const others = [
    await send(upload, { caption: 'Kue hari ini' }),
    await send(upload, { to: '081234567891' }),
  ];
  expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(3);
  expect(await db.allAccountsSql`select from messages`).toHaveLength(3);
  expect(await sending(running, budi)(upload)).toMatchObject({ type: 'upload_gone' });
  const chat = await uploaded(running, ani, { name: 'kue.png', bytes, purpose: 'chat' });
  expect(await send(chat)).toMatchObject({ type: 'upload_gone' });
  const rows = await db.allAccountsSql`select from media_library`;
  expect(rows).toHaveLength(1);
  // The row of a used upload is deleted after a day; its file stays in the library.
  await db.owner`update uploads set expires_at = clock_timestamp() - interval '1 second'`;
  await running.inEach(() => running.container.media.uploads.sweep());
  expect((await running.app.inject({ url: first.content.url })).statusCode).toBe(200);
});

test('keeps the upload of an unaffordable message for a later try', async ({ openApp, db }) => {
  const running = await openApp();
  const ani = await signedIn(db);
  const send = sending(running, ani);
  const upload = await uploaded(running, ani, { name: 'a.pdf', bytes: pdfOf(1_000) });
  expect(await send(upload)).toMatchObject({ type: 'saldo_short' });
  expect(await send(upload)).toMatchObject({ type: 'saldo_short' });
  expect(await db.allAccountsSql`select from media_library`).toHaveLength(1);
  await db.allAccountsSql.begin((tx) => giveSaldo(tx, ani.accountId, 10_000));
  const { id } = await send(upload);
  expect(id).toMatch(/^msg_/);
  expect((await send(upload)).id).toBe(id);
  expect(await db.allAccountsSql`select from messages`).toHaveLength(1);
});

test('makes one file and one message of an upload that two calls consume at once', async ({
  openApp,
  db,
}) => {
  const running = await openApp();
  const ani = await signedIn(db, { saldo: 10_000 });
  const upload = await uploaded(running, ani, { name: 'a.pdf', bytes: pdfOf(1_000) });
  const sent = await Promise.all(Array.from({ length: 5 }, () => sending(running, ani)(upload)));
  expect(new Set(sent.map((one) => one.id ?? one.type)).size).toBe(1);
  expect(sent[0].id).toMatch(/^msg_/);
  expect(await db.allAccountsSql`select from media_library`).toHaveLength(1);
  expect(await db.allAccountsSql`select from messages`).toHaveLength(1);
});
