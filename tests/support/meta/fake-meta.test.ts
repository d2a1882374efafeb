import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GraphApiError } from '@kapso/whatsapp-cloud-api';
import { expect } from 'vitest';
import { Template, Text } from 'whatsapp-api-js/messages';
import { root } from '#tests/support/cli.ts';
import {
  apiJs,
  chatAdapter,
  greatDetail,
  kapso,
  to,
} from '#tests/support/dialects/cloud-clients.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { failingSuffixes } from './failures.ts';
import { startFakeMeta } from './fake-meta.ts';
import { addressOf, call, refusalOf, send, statusesOf, test, text, valuesOf } from './meta-test.ts';

test('@kapso/whatsapp-cloud-api sends, marks as read, and transfers files', async ({ meta }) => {
  const { messages, media } = kapso(addressOf(meta));
  const phoneNumberId = meta.numbers[0]!.id;
  const sent = await messages.sendText({ phoneNumberId, to: '+62 812-3456-7890', body: 'Halo' });
  expect(sent.contacts[0]).toMatchObject({ input: '+62 812-3456-7890', waId: to });
  expect(meta.control.sent()).toMatchObject([{ wamid: sent.messages[0]?.id, to, type: 'text' }]);
  const messageId = meta.control.receiveFrom(to, { type: 'text' });
  expect(await messages.markRead({ phoneNumberId, messageId })).toMatchObject({ success: true });
  expect(meta.control.read()).toMatchObject([{ messageId }]);
  const file = new Blob(['gambar'], { type: 'image/png' });
  const { id } = await media.upload({
    phoneNumberId,
    type: 'image/png',
    file,
    fileName: 'a.png',
  });
  await messages.sendImage({ phoneNumberId, to, image: { id, caption: 'Foto' } });
  expect(meta.control.sent()[1]).toMatchObject({ type: 'image', failure: undefined });
  expect(await media.get({ mediaId: id })).toMatchObject({ mimeType: 'image/png' });
  const bytes = await media.download({ mediaId: id, auth: 'always' });
  expect(Buffer.from(bytes as ArrayBuffer).toString()).toBe('gambar');
  expect(await media.delete({ mediaId: id })).toEqual({ success: true });
  await expect(media.get({ mediaId: id })).rejects.toMatchObject({ httpStatus: 400, code: 100 });
});

test('@kapso/whatsapp-cloud-api recognizes the errors', async ({ meta }) => {
  const address = addressOf(meta);
  const categoryOf = async (spec: number | undefined, fields: object = {}, key = address.key) => {
    if (spec !== undefined) meta.control.failNext({ kind: 'error', code: spec });
    const { messages } = kapso({ ...address, key });
    const message = { phoneNumberId: address.numberId, to, body: 'Halo', ...fields };
    const error: unknown = await messages.sendText(message).catch((thrown: unknown) => thrown);
    if (!(error instanceof GraphApiError)) throw new Error(`not refused: ${String(error)}`);
    return [error.httpStatus, error.code, error.category];
  };
  expect(await categoryOf(undefined, {}, 'salah')).toEqual([401, 190, 'authorization']);
  expect(await categoryOf(undefined, { to: 'x' })).toEqual([400, 131_009, 'parameter']);
  expect(await categoryOf(undefined, { phoneNumberId: '1' })).toEqual([400, 100, 'parameter']);
  expect(await categoryOf(4)).toEqual([429, 4, 'throttling']);
  expect(await categoryOf(131_056)).toEqual([400, 131_056, 'throttling']);
  expect(await categoryOf(131_047)).toEqual([400, 131_047, 'reengagementWindow']);
  expect(await categoryOf(131_042)).toEqual([400, 131_042, 'businessEligibility']);
  expect(await categoryOf(133_010)).toEqual([400, 133_010, 'phoneRegistration']);
  expect(await categoryOf(131_016)).toEqual([503, 131_016, 'server']);
  expect(meta.control.sent()).toEqual([]);
});

test('the other clients send, and read numbers', async ({ meta }) => {
  const address = addressOf(meta);
  const client = greatDetail(address);
  const phoneNumberID = address.numberId;
  await client.message.createMessage({ phoneNumberID, to, ...text } as never).json();
  expect(await client.phoneNumbers.getPhoneNumber({ phoneNumberID }).json()).toMatchObject({
    id: phoneNumberID,
    verified_name: 'Toko Contoh',
  });
  const list = client.phoneNumbers.listPhoneNumbers({ businessAccountID: meta.wabaId });
  expect(await list.json()).toMatchObject({ data: [{ id: phoneNumberID }] });
  const blob = new Blob(['gambar'], { type: 'image/png' });
  const file = { phoneNumberID, file: blob, filename: 'a.png', mimeType: 'image/png' };
  const { id: mediaID } = await client.media.upload(file).json<{ id: string }>();
  const { url } = await client.media.getURL({ mediaID, phoneNumberID }).json<{ url: string }>();
  const request = { headers: { Authorization: `Bearer ${meta.token}` } };
  expect(await client.media.download({ mediaURL: url, request }).text()).toBe('gambar');
  const api = apiJs(address);
  const form = new FormData();
  form.append('file', blob, 'a.png');
  form.append('type', 'image/png');
  const { id } = (await api.uploadMedia(phoneNumberID, form)) as { id: string };
  const where = (await api.retrieveMedia(id, phoneNumberID)) as { url: string };
  expect(await (await api.fetchMedia(where.url)).text()).toBe('gambar');
  expect(await api.deleteMedia(id, phoneNumberID)).toEqual({ success: true });
  await api.sendMessage(phoneNumberID, to, new Text('Halo'));
  await api.sendMessage(phoneNumberID, to, new Template('hello_world', 'en_US'));
  expect(await api.sendMessage(phoneNumberID, to, new Template('belum_ada', 'id'))).toMatchObject({
    error: { code: 132_001 },
  });
  const adapter = chatAdapter(address);
  await adapter.postMessage(await adapter.openDM(to), 'Halo');
  const types = meta.control.sent().map(({ type }) => type);
  expect(types).toEqual(['text', 'text', 'template', 'text']);
});

test('refuses invalid requests with Meta’s code', async ({ meta }) => {
  const refused = async (message: object) => refusalOf(await send(meta, message));
  expect(await refused({ to: undefined, ...text })).toEqual([400, 100]);
  expect(await refused({ type: 'text' })).toEqual([400, 131_008]);
  expect(await refused({ type: 'text', text: 'Halo' })).toEqual([400, 131_009]);
  expect(await refused({ type: 'text', text: { body: 'a'.repeat(4097) } })).toEqual([400, 100]);
  expect(await refused({ type: 'surat' })).toEqual([400, 100]);
  expect(await refused({ type: 'image', image: { id: '1' } })).toEqual([400, 100]);
  expect(await refused({ type: 'audio', audio: { link: 'https://a.id', caption: 'a' } })).toEqual([
    400, 100,
  ]);
  expect(await refused({ to: meta.numbers[0]!.phone, ...text })).toEqual([400, 131_021]);
  const buttons = (titles: string[]) => ({
    type: 'interactive',
    interactive: {
      type: 'button',
      body: { text: 'Jadi?' },
      action: { buttons: titles.map((title) => ({ type: 'reply', reply: { id: title, title } })) },
    },
  });
  expect((await send(meta, buttons(['Ya', 'Tidak']))).status).toBe(200);
  expect(await refused(buttons(['1', '2', '3', '4']))).toEqual([400, 131_009]);
  expect(await refused(buttons(['a'.repeat(21)]))).toEqual([400, 100]);
  const broken = { method: 'POST', body: '{' };
  expect(await refusalOf(await call(meta, `${meta.numbers[0]!.id}/messages`, broken))).toEqual([
    400, 100,
  ]);
});

test('creates, approves, counts and pages templates', async ({ meta, receiver }) => {
  meta.control.setWebhook(receiver.url);
  const path = `${meta.wabaId}/message_templates`;
  const components = [{ type: 'BODY', text: 'Halo {{1}}, pesanan {{2}}' }];
  const template = { name: 'siap', language: 'id', category: 'UTILITY', components };
  const made = (await (await call(meta, path, { json: template })).json()) as { id: string };
  expect(made).toMatchObject({ status: 'PENDING' });
  const sending = (count: number, text = 'Ani') =>
    send(meta, {
      type: 'template',
      template: {
        name: 'siap',
        language: { code: 'id' },
        components: [{ type: 'body', parameters: Array(count).fill({ type: 'text', text }) }],
      },
    });
  expect(await refusalOf(await sending(2))).toEqual([404, 132_001]);
  meta.control.templates.setStatus(made.id, 'APPROVED');
  expect(await refusalOf(await sending(1))).toEqual([400, 132_000]);
  for (const text of ['satu\ndua', 'satu\tdua', 'lima     spasi', '   ']) {
    expect(await refusalOf(await sending(2, text))).toEqual([400, 132_018]);
  }
  expect((await sending(2)).status).toBe(200);
  await meta.control.settled();
  const update = valuesOf(receiver).find(({ event }) => event === 'APPROVED');
  expect(update).toMatchObject({ message_template_name: 'siap', reason: 'NONE' });
  type Page = { data: { name: string }[]; paging: { next?: string } };
  const first = (await (await call(meta, `${path}?limit=1`)).json()) as Page;
  const [, next = ''] = /(\?.*)$/.exec(first.paging.next ?? '') ?? [];
  const second = (await (await call(meta, path + next)).json()) as Page;
  const names = [...first.data, ...second.data].map(({ name }) => name);
  expect(names).toEqual(['hello_world', 'siap']);
  expect(second.paging.next).toBeUndefined();
  const removed = await call(meta, `${path}?name=siap`, { method: 'DELETE' });
  expect(await removed.json()).toEqual({ success: true });
});

test('checks the components of a message against its template', async ({ meta }) => {
  const button = (sub_type: string, index: string, parameter: object) => ({
    type: 'button',
    sub_type,
    index,
    parameters: [parameter],
  });
  const lines = [
    { type: 'QUICK_REPLY', text: 'Ya' },
    { type: 'URL', text: 'Lacak', url: 'https://toko.example/{{1}}' },
    { type: 'COPY_CODE' },
    { type: 'PHONE_NUMBER', text: 'Telepon' },
  ];
  meta.control.templates.add({
    name: 'promo',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Promo' },
      { type: 'BUTTONS', buttons: lines },
    ],
  });
  const sending = (...components: object[]) =>
    send(meta, {
      type: 'template',
      template: { name: 'promo', language: { code: 'id' }, components },
    });
  const id = meta.control.seedMedia({ bytes: new Uint8Array(1), mimeType: 'image/png' });
  const header = { type: 'header', parameters: [{ type: 'image', image: { id } }] };
  const url = button('url', '1', { type: 'text', text: 'A-17' });
  const coupon = button('copy_code', '2', { type: 'coupon_code', coupon_code: 'HEMAT' });
  const payload = { type: 'payload', payload: 'OK' };
  const reply = button('quick_reply', '0', payload);
  expect((await sending(header, reply, url, coupon)).status).toBe(200);
  expect((await sending(header, url, coupon)).status).toBe(200);
  const text = { type: 'text', text: 'x' };
  const wrong: [object[], number][] = [
    [[url, coupon], 132_012],
    [[{ type: 'header', parameters: [text] }, url, coupon], 132_012],
    [[{ type: 'header', parameters: [{ type: 'image', image: { id: '7' } }] }, url, coupon], 100],
    [[header, { type: 'body', parameters: [text] }, url, coupon], 132_000],
    [[header, button('url', '1', { type: 'text', text: 'A\n17' }), coupon], 132_018],
    [[header, button('url', '1', { type: 'text', text: '  ' }), coupon], 132_018],
    [[header, coupon], 131_008],
    [[header, url], 131_008],
    [[header, url, button('url', '2', text)], 132_012],
    [[header, url, coupon, button('quick_reply', '3', payload)], 132_012],
    [[header, url, coupon, button('quick_reply', '4', payload)], 132_012],
  ];
  for (const [components, code] of wrong) {
    expect(await refusalOf(await sending(...components))).toEqual([400, code]);
  }
});

test('fails fixed numbers exactly as in the table', async ({ meta, receiver }) => {
  meta.control.setWebhook(receiver.url);
  const outcomeOf = async (suffix: string) => {
    const message = { messaging_product: 'whatsapp', to: `62811${suffix}`, ...text };
    const ending = new AbortController();
    const { signal } = ending;
    const before = { sent: meta.control.sent().length, calls: meta.control.calls().length };
    const sending = call(meta, `${meta.numbers[0]!.id}/messages`, { json: message, signal });
    const arriving = sending.catch(() => undefined);
    // A hang is aborted once it is detected.
    if (['990001', '990007'].includes(suffix)) {
      await waitFor(() => meta.control.calls().length > before.calls);
      ending.abort();
    }
    const answer = await arriving;
    const body = await answer?.text();
    const code = /"code":(\d+)/.exec(body ?? '')?.[1];
    const isAccepted = meta.control.sent().length > before.sent;
    return [answer?.status ?? 0, Number(code ?? 0), isAccepted];
  };
  const outcomes: Record<string, unknown> = {};
  for (const suffix of failingSuffixes) outcomes[suffix] = await outcomeOf(suffix);
  const accepted = [200, 0, true];
  expect(outcomes).toEqual({
    '900002': [500, 2, false],
    '900004': [429, 4, false],
    '901004': [429, 4, false],
    '080007': [429, 80_007, false],
    '130429': [429, 130_429, false],
    '901429': [429, 130_429, false],
    '131056': [400, 131_056, false],
    '131048': [400, 131_048, false],
    '131042': [400, 131_042, false],
    '131031': [403, 131_031, false],
    '130497': [403, 130_497, false],
    '900368': [403, 368, false],
    '900190': [401, 190, false],
    '900010': [403, 10, false],
    '900200': [403, 200, false],
    '131016': [503, 131_016, false],
    '133010': [400, 133_010, false],
    ...Object.fromEntries(
      ['131026', '130472', '131049', '131050', '131053', '131000'].map((code) => [code, accepted]),
    ),
    '990001': [0, 0, false],
    '990002': [0, 0, false],
    '990003': [0, 0, true],
    '990004': accepted,
    '990005': accepted,
    '990006': [502, 0, false],
    '990007': [0, 0, true],
  });
  await meta.control.settled();
  const codes = statusesOf(receiver).flatMap(({ errors = [] }) => errors.map(({ code }) => code));
  expect(codes.toSorted((a, b) => a - b)).toEqual([
    130_472, 131_000, 131_026, 131_049, 131_050, 131_053,
  ]);
});

test('lists all fixed numbers in the tables of the code and the docs', async () => {
  for (const file of ['tests/support/meta/failures.ts', 'docs/testing.md']) {
    const page = await readFile(join(root, file), 'utf8');
    const named = [...page.matchAll(/\| (\d{6}) \|/g)].map(([, suffix]) => suffix);
    expect(new Set(named)).toEqual(new Set(failingSuffixes));
    expect(named.length).toBe(failingSuffixes.length);
  }
});

test('sends Retry-After where specified, and limits a pair for six seconds', async ({ meta }) => {
  meta.control.failNext({ kind: 'error', code: 4, retryAfterSeconds: 30 });
  expect((await send(meta, text)).headers.get('retry-after')).toBe('30');
  meta.control.failFor(to, 4);
  expect((await send(meta, text)).headers.get('retry-after')).toBeNull();
  meta.control.failFor(to, undefined);
  meta.control.sending.isPairLimited = true;
  expect((await send(meta, text)).status).toBe(200);
  expect(await refusalOf(await send(meta, text))).toEqual([400, 131_056]);
  expect((await send(meta, { ...text, to: '6281299998888' })).status).toBe(200);
  meta.control.failAlways(190);
  expect(await refusalOf(await call(meta, 'me'))).toEqual([401, 190]);
  meta.control.failAlways(undefined);
  meta.control.tokens.expire(meta.token);
  expect(await refusalOf(await send(meta, text))).toEqual([401, 190]);
});

test('answers a health check, and generates the same ids for the same seed', async ({
  meta,
  receiver,
  options,
}) => {
  const json = async (path: string, more: RequestInit = {}) =>
    (await call(meta, path, more)).json();
  const number = meta.numbers[0]!;
  expect(await json('me')).toMatchObject({ id: meta.appId });
  expect(await json(`debug_token?input_token=${meta.token}`)).toMatchObject({
    data: { is_valid: true, app_id: meta.appId },
  });
  const apps = `${meta.wabaId}/subscribed_apps`;
  expect(await json(apps, { method: 'DELETE' })).toEqual({ success: true });
  expect(await json(apps)).toEqual({ data: [] });
  receiver.handle(async ({ url }) => new Response(new URL(url).searchParams.get('hub.challenge')));
  const override = { override_callback_uri: receiver.url, verify_token: 'sandi' };
  expect((await call(meta, apps, { json: override })).status).toBe(200);
  expect(await json(apps)).toMatchObject({ data: [{}] });
  await call(meta, `${number.id}/deregister`, { json: {} });
  expect(await refusalOf(await send(meta, text))).toEqual([400, 133_010]);
  await call(meta, `${number.id}/register`, {
    json: { messaging_product: 'whatsapp', pin: '123456' },
  });
  expect((await send(meta, text)).status).toBe(200);
  await meta.control.settled();
  expect(statusesOf(receiver).map(({ status }) => status)).toEqual(['sent', 'delivered', 'read']);
  const restarted = await startFakeMeta(options);
  expect(addressOf(restarted)).toMatchObject({ key: meta.token, numberId: number.id });
  await restarted.close();
});
