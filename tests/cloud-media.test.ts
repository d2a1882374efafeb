import sharp from 'sharp';
import { expect } from 'vitest';
import { Document, Image } from 'whatsapp-api-js/messages';
import { numberIdOf } from '#contract/dialects.ts';
import { publicId } from '#contract/base/ids.ts';
import { callerAt, callerOf } from './support/app/api-caller.ts';
import { apiJs, chatAdapter, greatDetail, kapso, to } from './support/dialects/cloud-clients.ts';
import { test } from './support/dialects/cloud-app.ts';

const picture = await sharp({
  create: { width: 8, height: 8, channels: 3, background: 'teal' },
})
  .png()
  .toBuffer();
const blob = new Blob([new Uint8Array(picture)], { type: 'image/png' });

test('@kapso/whatsapp-cloud-api uploads, sends, reads and deletes a file', async ({ cloud }) => {
  const { media, messages } = kapso(cloud);
  const { numberId: phoneNumberId } = cloud;
  const { id } = await media.upload({
    phoneNumberId,
    type: 'image/png',
    file: new Blob([new Uint8Array(picture)]),
    fileName: 'toko.png',
  });
  expect(await media.get({ mediaId: id, phoneNumberId })).toMatchObject({
    id,
    mimeType: 'image/png',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const bytes = await media.download({ mediaId: id, auth: 'always' });
  expect(
    Buffer.from(bytes as ArrayBuffer)
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  const sent = await messages.sendImage({ phoneNumberId, to, image: { id, caption: 'Toko' } });
  expect(await cloud.stored(sent.messages[0]?.id)).toMatchObject({
    type: 'image',
    content: { caption: 'Toko', file: { id, mime_type: 'image/png' } },
  });
  expect(await media.delete({ mediaId: id })).toEqual({ success: true });
  await expect(media.get({ mediaId: id })).rejects.toMatchObject({ httpStatus: 404, code: 803 });
});

test('@great-detail/whatsapp uploads and downloads a file', async ({ cloud }) => {
  const client = greatDetail(cloud);
  const { numberId: phoneNumberID } = cloud;
  const given = { phoneNumberID, file: blob, filename: 'toko.png', mimeType: 'image/png' };
  const { id: mediaID } = await client.media.upload(given).json<{ id: string }>();
  const { url } = await client.media.getURL({ mediaID, phoneNumberID }).json<{ url: string }>();
  const request = { headers: { Authorization: `Bearer ${cloud.key}` } };
  const bytes = await client.media.download({ mediaURL: url, request }).arrayBuffer();
  expect(Buffer.from(bytes).subarray(1, 4).toString()).toBe('PNG');
  expect(await client.media.delete({ mediaID, phoneNumberID }).json()).toEqual({ success: true });
});

test('whatsapp-api-js uploads, fetches and deletes a file', async ({ cloud }) => {
  const api = apiJs(cloud);
  const form = new FormData();
  form.append('file', blob, 'toko.png');
  form.append('type', 'image/png');
  const { id } = (await api.uploadMedia(cloud.numberId, form)) as { id: string };
  const { url } = (await api.retrieveMedia(id, cloud.numberId)) as { url: string };
  const response = await api.fetchMedia(url);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(await api.deleteMedia(id, cloud.numberId)).toEqual({ success: true });
});

test('@chat-adapter/whatsapp posts its own file', async ({ cloud }) => {
  const adapter = chatAdapter(cloud);
  const thread = await adapter.openDM(to);
  const files = [{ data: picture, filename: 'toko.png', mimeType: 'image/png' }];
  const posted = await adapter.postMessage(thread, { markdown: 'Toko kami', files });
  const stored = await cloud.stored(posted.id);
  expect(stored.type).toBe('image');
  // It takes the address for one of its own host, and downloads nothing from this machine.
  const reading = adapter.downloadMedia(String((stored.content['file'] as { id: string }).id));
  await expect(reading).rejects.toThrow('internal attachment URL');
});

test('each client sends files by id, for every type that carries one', async ({ cloud }) => {
  const { numberId: phoneNumberID } = cloud;
  const { media, messages } = kapso(cloud);
  const given = async (type: string, file: Blob, fileName: string) =>
    (await media.upload({ phoneNumberId: phoneNumberID, type, file, fileName })).id;
  const image = await given('image/png', blob, 'toko.png');
  const pdf = new Blob(['%PDF-1.4\n1 0 obj\n%%EOF\n'], { type: 'application/pdf' });
  const document = await given('application/pdf', pdf, 'menu.pdf');
  const webp = new Blob([new Uint8Array(await sharp(picture).webp().toBuffer())]);
  const sticker = await given('image/webp', webp, 'stiker.webp');
  const isFile = async (sending: Promise<unknown>, type: string, id: string) => {
    const sent = (await sending) as { messages?: readonly { id: string }[] };
    expect(await cloud.stored(sent.messages?.[0]?.id)).toMatchObject({
      type,
      content: { file: { id, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
  };
  const base = { phoneNumberId: phoneNumberID, to };
  await isFile(
    messages.sendDocument({ ...base, document: { id: document } }),
    'document',
    document,
  );
  await isFile(messages.sendSticker({ ...base, sticker: { id: sticker } }), 'sticker', sticker);
  const api = apiJs(cloud);
  await isFile(api.sendMessage(phoneNumberID, to, new Image(image, true)), 'image', image);
  await isFile(
    api.sendMessage(phoneNumberID, to, new Document(document, true)),
    'document',
    document,
  );
  const message = { to, type: 'image', image: { id: image } } as const;
  const sending = greatDetail(cloud).message.createMessage({ phoneNumberID, ...message } as never);
  await isFile(sending.json(), 'image', image);
  // A file of another kind than the message is refused as unsendable.
  await expect(messages.sendImage({ ...base, image: { id: document } })).rejects.toMatchObject({
    httpStatus: 400,
    code: 131053,
  });
});

test('accepts the parts of a form in any order, also the type after the file', async ({
  cloud,
}) => {
  const silent = new Blob([new Uint8Array(picture)]);
  for (const order of [
    ['messaging_product', 'type', 'file'],
    ['file', 'type', 'messaging_product'],
  ]) {
    const form = new FormData();
    for (const name of order) {
      if (name === 'file') form.append(name, silent, 'toko');
      else form.append(name, name === 'type' ? 'image/png' : 'whatsapp');
    }
    const upload = (body: FormData) =>
      fetch(`${cloud.origin}/v23.0/${cloud.numberId}/media`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cloud.key}` },
        body,
      });
    expect((await upload(form)).status, order.join()).toBe(200);
    // The declared type counts wherever it stands: here it contradicts the bytes.
    form.set('type', 'application/pdf');
    const contradicting = await upload(form);
    expect([contradicting.status, contradicting.headers.get('x-error-code')]).toEqual([
      400,
      'upload_contradicts',
    ]);
  }
});

test('requires a key of the same account and a valid signature for a file’s address', async ({
  cloud,
  db,
}) => {
  const { id } = await kapso(cloud).media.upload({
    phoneNumberId: cloud.numberId,
    type: 'image/png',
    file: blob,
  });
  const { body } = await cloud.call(`/v23.0/${id}`);
  const { pathname, search } = new URL(body.url);
  const anybody = callerAt(cloud.running);
  expect((await anybody(pathname + search)).status).toBe(401);
  const budi = await callerOf(cloud.running, db);
  for (const path of [pathname + search, `/v23.0/${id}`]) {
    expect((await budi.call(path)).status, path).toBe(404);
  }
  expect((await budi.call(`/v23.0/${id}`, { method: 'DELETE' })).status).toBe(404);
  const numberOfBudi = numberIdOf(publicId('token', budi.tokenId));
  for (const path of [
    pathname,
    `${pathname}?k=x`,
    `${pathname}?k=${'A'.repeat(70)}`,
    `/v23.0/${id}?phone_number_id=${numberOfBudi}`,
    `/v23.0/med_${'0'.repeat(26)}`,
  ]) {
    expect((await cloud.call(path)).status, path).toBe(404);
  }
  expect((await cloud.call(pathname + search)).status).toBe(200);
});

test('refuses unusable and forbidden files as the Cloud API does', async ({ cloud }) => {
  const upload = async (form: FormData | string) => {
    const response = await fetch(`${cloud.origin}/v23.0/${cloud.numberId}/media`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${cloud.key}`,
        ...(typeof form === 'string' && {
          'content-type': 'multipart/form-data; boundary=x',
        }),
      },
      body: form,
    });
    const { error } = (await response.json()) as { error: { code: number } };
    return [response.status, error.code, response.headers.get('x-error-code')];
  };
  const formWith = (file: Blob | undefined, name = 'a.png') => {
    const form = new FormData();
    form.append('messaging_product', 'whatsapp');
    if (file) form.append('file', file, name);
    return form;
  };
  expect(await upload(formWith(undefined))).toEqual([400, 131053, 'upload_empty']);
  expect(await upload(formWith(new Blob([])))).toEqual([400, 131053, 'upload_empty']);
  const program = new Blob(['MZ\u0090\0'], { type: 'image/png' });
  expect((await upload(formWith(program)))[1]).toBe(131053);
  const html = new Blob(['<html>'], { type: 'text/html' });
  expect((await upload(formWith(html, 'a.html')))[1]).toBe(131053);
  expect(await upload('--x\r\nbroken')).toEqual([400, 100, 'request_malformed']);
});
