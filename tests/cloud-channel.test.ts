import sharp from 'sharp';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { accessOf, connectedSender, passTime, test } from '#tests/support/meta/cloud-channel.ts';
import { waitFor } from '#tests/support/wait-for.ts';

const BUDI = '6281234567890';
const text = (body: string, to = BUDI) => ({ to, text: { body } });

test('sends a text, and receives its ticks', async ({ ani, meta }) => {
  meta.control.receiveFrom(BUDI, { type: 'text', content: { body: 'Halo, ada stok?' } });
  await meta.control.settled();
  const { status, body } = await ani.call('/v1/messages', { body: text('Ada, Kak') });
  expect([status, body.price]).toEqual([202, 150]);
  const message = await ani.becomes(body.id, 'read');
  expect(message).toMatchObject({ price: 150, possible_duplicate: false });
  const [sent] = meta.control.sent();
  expect(sent?.body).toMatchObject({
    to: BUDI,
    type: 'text',
    text: { body: 'Ada, Kak' },
    biz_opaque_callback_data: body.id,
  });
});

test('sends only templates outside the window, and reserves nothing for anything else', async ({
  ani,
  meta,
}) => {
  const refused = await ani.call('/v1/messages', { body: text('Promo!') });
  expect([refused.status, refused.body.code]).toEqual([409, 'window_closed']);
  const balance = await ani.call('/v1/balance');
  expect(balance.body).toMatchObject({ held: 0 });
  meta.control.templates.add({ name: 'pesanan_siap', body: 'Halo {{1}}, pesanan {{2}} siap.' });
  await ani.ask('template_sync');
  const { status, body } = await ani.call('/v1/messages', {
    body: {
      to: BUDI,
      type: 'template',
      template: { name: 'pesanan_siap', variables: ['Budi', 'kue'] },
    },
  });
  expect([status, body.price]).toEqual([202, 400]);
  await ani.becomes(body.id, 'read');
  expect(meta.control.sent()[0]?.body).toMatchObject({
    type: 'template',
    template: {
      name: 'pesanan_siap',
      components: [
        {
          type: 'body',
          parameters: [
            { type: 'text', text: 'Budi' },
            { type: 'text', text: 'kue' },
          ],
        },
      ],
    },
  });
});

test('receives every type of message that customers write', async ({ ani, meta }) => {
  const types = ['text', 'image', 'audio', 'document', 'location', 'contacts', 'button', 'order'];
  for (const type of types) meta.control.receiveFrom(BUDI, { type: type as 'text', name: 'Budi' });
  await meta.control.settled();
  const body = await waitFor(async () => {
    const found = await ani.call('/v1/messages?direction=in&limit=50');
    expect(found.body.data).toHaveLength(types.length);
    return found.body;
  });
  const shown = body.data.map((one: { type: string }) => one.type).toSorted();
  expect(shown).toEqual(
    ['text', 'image', 'audio', 'document', 'location', 'contact', 'text', 'other'].toSorted(),
  );
  const image = body.data.find((one: { type: string }) => one.type === 'image');
  expect(image.content.file).toMatchObject({ mime_type: expect.stringMatching(/^image\//) });
});

test('quotes messages in both directions', async ({ ani, meta }) => {
  const question = meta.control.receiveFrom(BUDI, { type: 'text', content: { body: 'Berapa?' } });
  await meta.control.settled();
  const [came] = (await ani.call('/v1/messages?direction=in')).body.data;
  const { body } = await ani.call('/v1/messages', {
    body: { ...text('Rp 10.000'), reply_to: came.id },
  });
  await ani.becomes(body.id, 'read');
  const [sent] = meta.control.sent();
  expect(sent?.body).toMatchObject({ context: { message_id: question } });
  meta.control.receiveFrom(BUDI, {
    type: 'text',
    content: { body: 'Oke' },
    contextId: sent!.wamid,
  });
  await meta.control.settled();
  const [answer] = (await ani.call('/v1/messages?direction=in&limit=1')).body.data;
  expect(answer.content).toMatchObject({ text: 'Oke', reply_to: body.id });
});

test('uploads one picture to three numbers once', async ({ ani, meta }) => {
  const bytes = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const storedFile = await ani.running.container.media.library.take({
    accountId: ani.accountId,
    declared: { name: 'titik.png', type: 'image/png' },
    bytes,
    source: 'api',
  });
  const peers = ['6281200000011', '6281200000012', '6281200000013'];
  for (const peer of peers) meta.control.receiveFrom(peer, { type: 'text' });
  await meta.control.settled();
  const sent = await Promise.all(
    peers.map((to) =>
      ani.call('/v1/messages', {
        body: {
          to,
          type: 'image',
          image: { id: publicId('media', storedFile.fileId) },
          caption: 'Ini',
        },
      }),
    ),
  );
  for (const { body } of sent) await ani.becomes(body.id, 'read');
  const uploads = meta.control.calls().filter(({ path }) => path.endsWith('/media'));
  // The three leave at once: each may find that Meta does not have it yet.
  expect(uploads.length).toBeGreaterThanOrEqual(1);
  const again = await ani.call('/v1/messages', {
    body: { to: peers[0], type: 'image', image: { id: publicId('media', storedFile.fileId) } },
  });
  const before = meta.control.calls().filter(({ path }) => path.endsWith('/media')).length;
  await ani.becomes(again.body.id, 'read');
  expect(meta.control.calls().filter(({ path }) => path.endsWith('/media'))).toHaveLength(before);
});

test('sends a WebP unchanged as a sticker and as a JPEG in a picture, and refunds files that Meta rejects', async ({
  ani,
  meta,
}) => {
  meta.control.receiveFrom(BUDI, { type: 'text' });
  await meta.control.settled();
  const take = async (bytes: Buffer, name: string, type: string) => {
    const declared = { name, type };
    const { accountId } = ani;
    const { library } = ani.running.container.media;
    const { fileId } = await library.take({ accountId, declared, bytes, source: 'api' });
    return publicId('media', fileId);
  };
  const red = { width: 512, height: 512, channels: 4, background: '#ff000080' } as const;
  const webp = await take(await sharp({ create: red }).webp().toBuffer(), 'a.webp', 'image/webp');
  // For a picture that is no JPEG or PNG, Meta reports the failure after it has taken the message.
  for (const type of ['image', 'sticker']) {
    const { body } = await ani.call('/v1/messages', {
      body: { to: BUDI, type, [type]: { id: webp } },
    });
    await ani.becomes(body.id, 'read');
  }
  meta.control.failNext(100, 1, /\/media$/);
  const png = await take(await sharp({ create: red }).png().toBuffer(), 'a.png', 'image/png');
  const { body } = await ani.call('/v1/messages', {
    body: { to: BUDI, type: 'image', image: { id: png } },
  });
  const failed = await ani.becomes(body.id, 'failed');
  expect(failed.failure.code).toBe('media_refused');
  expect((await ani.call('/v1/balance')).body).toMatchObject({ held: 0, available: 99_700 });
});

test('does not send again after a lost answer: the status shows that the message left', async ({
  ani,
  meta,
}) => {
  const to = '6281200990003';
  meta.control.receiveFrom(to, { type: 'text' });
  await meta.control.settled();
  const { body } = await ani.call('/v1/messages', { body: text('Sekali saja', to) });
  const message = await ani.becomes(body.id, 'read');
  expect(message.possible_duplicate).toBe(false);
  expect(meta.control.sent()).toHaveLength(1);
  expect((await ani.call('/v1/balance')).body).toMatchObject({ held: 0, available: 99_850 });
});

test('treats a success without a message id as an unknown outcome', async ({ ani, db, meta }) => {
  meta.control.receiveFrom(BUDI, { type: 'text' });
  await meta.control.settled();
  meta.control.failNext({ kind: 'blank' });
  const { body } = await ani.call('/v1/messages', { body: text('Halo') });
  await waitFor(async () =>
    expect(await db.allAccountsSql`select state from dispatch`).toEqual([{ state: 'unknown' }]),
  );
  expect((await ani.call(`/v1/messages/${body.id}`)).body.status).not.toBe('sent');
  expect(meta.control.sent()).toEqual([]);
});

test('reports the reason of a refusal, and refunds it if Meta refuses before it takes the message', async ({
  ani,
  meta,
}) => {
  const codes: Record<string, string> = {
    '6281200131026': 'not_on_whatsapp',
    '6281200131049': 'network_declined',
    '6281200131050': 'opted_out',
  };
  for (const [to, failure] of Object.entries(codes)) {
    meta.control.receiveFrom(to, { type: 'text' });
    await meta.control.settled();
    const { body } = await ani.call('/v1/messages', { body: text('Halo', to) });
    const message = await ani.becomes(body.id, 'failed');
    expect(message.failure).toMatchObject({ code: failure });
  }
  // They come by callback; this one answers the try.
  meta.control.failNext({ kind: 'error', code: 131_051 });
  const { body } = await ani.call('/v1/messages', { body: text('Halo', Object.keys(codes)[0]) });
  await ani.becomes(body.id, 'failed');
  expect((await ani.call('/v1/balance')).body).toMatchObject({ held: 0, available: 99_550 });
});

test('sends a message once Meta is no longer busy', async ({ ani, meta }) => {
  meta.control.receiveFrom(BUDI, { type: 'text' });
  await meta.control.settled();
  meta.control.failNext({ kind: 'error', code: 130429, status: 429, retryAfterSeconds: 1 });
  const { body } = await ani.call('/v1/messages', { body: text('Sabar') });
  await ani.becomes(body.id, 'read');
  expect(meta.control.sent()).toHaveLength(1);
});

test('disconnects the number when its access token is refused, and loses nothing', async ({
  ani,
  meta,
}) => {
  meta.control.receiveFrom(BUDI, { type: 'text' });
  await meta.control.settled();
  meta.control.tokens.expire(meta.token);
  const { body } = await ani.call('/v1/messages', { body: text('Menunggu') });
  const token_id = publicId('token', ani.tokenId);
  await waitFor(async () => {
    const token = await ani.ask('token_get', { token_id });
    return token.body.data.status === 'disconnected';
  });
  const connection = await ani.ask('token_connection_get', { token_id });
  expect(connection.body).toMatchObject({});
  expect(connection.body.data).toMatchObject({ parted: { reason: 'access' }, since: null });
  const newToken = `EAAG${'x'.repeat(40)}`;
  meta.control.tokens.add(newToken);
  const again = await ani.ask('token_cloud_connect', {
    token_id,
    phone_number_id: meta.numbers[0]!.id,
    waba_id: meta.wabaId,
    access_token: newToken,
    app_secret: meta.appSecret,
  });
  expect(again.status).toBe(200);
  await ani.becomes(body.id, 'read');
  expect(meta.control.sent()).toHaveLength(1);
});

test('pauses a number that Meta refuses although its check succeeds, and resumes it automatically', async ({
  ani,
  meta,
  running,
  db,
}) => {
  const to = '6281200900010';
  meta.control.receiveFrom(to, { type: 'text' });
  await meta.control.settled();
  const { body } = await ani.call('/v1/messages', { body: text('Tanpa izin', to) });
  const token_id = publicId('token', ani.tokenId);
  const connection = async () => (await ani.ask('token_connection_get', { token_id })).body.data;
  await waitFor(async () =>
    expect((await connection()).paused).toMatchObject({ reason: 'refused' }),
  );
  await running.container.channels.cloud.check();
  const token = await ani.ask('token_get', { token_id });
  expect([token.body.data.status, (await connection()).parted]).toEqual(['linked', null]);
  const { body: waiting } = await ani.call(`/v1/messages/${body.id}`);
  expect([waiting.status, waiting.retrying.code]).toEqual(['queued', 'network_access']);
  meta.control.failFor(to, undefined);
  await passTime(db);
  await ani.becomes(body.id, 'read');
  expect((await connection()).paused).toBeNull();
});

test('reconnects a number automatically when Meta accepts its access token again', async ({
  ani,
  meta,
  running,
}) => {
  const { cloud } = running.container.channels;
  const token_id = publicId('token', ani.tokenId);
  const status = async () => (await ani.ask('token_get', { token_id })).body.data.status;
  meta.control.failAlways(190);
  await cloud.check();
  expect(await status()).toBe('disconnected');
  meta.control.failAlways(undefined);
  await cloud.check();
  expect(await status()).toBe('linked');
});

test('restricts a number marked for spam for a day, and holds its message', async ({
  ani,
  meta,
}) => {
  const to = '6281200131048';
  meta.control.receiveFrom(to, { type: 'text' });
  await meta.control.settled();
  const { body } = await ani.call('/v1/messages', { body: text('Promo', to) });
  const token_id = publicId('token', ani.tokenId);
  const restriction = await waitFor(async () => {
    const { body: found } = await ani.ask('token_connection_get', { token_id });
    return found.data.restriction ?? false;
  });
  expect(restriction).toMatchObject({ kind: 'quality' });
  const hours = (Date.parse(restriction.until) - Date.now()) / 3_600_000;
  expect(hours).toBeGreaterThan(23);
  expect((await ani.call(`/v1/messages/${body.id}`)).body.status).toBe('queued');
});

test('connects a number only with its own business account', async ({ ani, meta, running, db }) => {
  // Its templates, and so their prices, would be those of another account.
  Object.assign(meta.numbers[1]!, { wabaId: '199999999999999' });
  const token = { token_id: publicId('token', ani.tokenId) };
  const foreign = await ani.ask('token_cloud_connect', { ...token, ...accessOf(meta, 1) });
  expect(foreign.body.error).toEqual({ type: 'cloud_refused', facts: { code: 100 } });
  Object.assign(meta.numbers[1]!, { wabaId: meta.wabaId });
  await connectedSender(running, meta, { db, number: 1 });
});
