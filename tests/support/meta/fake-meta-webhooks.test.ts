import { expect } from 'vitest';
import { to } from '#tests/support/dialects/cloud-clients.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Understood, programs } from '#tests/support/webhooks/cloud-programs.ts';
import { startFakeMeta } from './fake-meta.ts';
import { call, refusalOf, send, statusesOf, test, text, valuesOf } from './meta-test.ts';
import { inboundTypes } from './webhooks/inbound.ts';

for (const [name, { program, hearsStatuses }] of Object.entries(programs)) {
  test(`${name} accepts the webhooks, and refuses forged ones`, async ({ meta, receiver }) => {
    const understood: Understood = { statuses: [], messages: [], answers: [] };
    receiver.handle(program({ secret: meta.appSecret, verifyToken: 'sandi' }, understood));
    expect(await meta.control.subscribe(receiver.url, 'lain')).toMatchObject({
      isConfirmed: false,
    });
    expect(await meta.control.subscribe(receiver.url, 'sandi')).toMatchObject({
      isConfirmed: true,
    });
    await send(meta, text);
    for (const type of ['text', 'image', 'button', 'button_reply', 'list_reply'] as const) {
      meta.control.receiveFrom(to, { type });
    }
    await meta.control.settled();
    expect(meta.control.deliveries().map(({ status }) => status)).toEqual(Array(8).fill(200));
    const [{ wamid } = { wamid: '' }] = meta.control.sent();
    const statuses = ['sent', 'delivered', 'read'].map((status) => `${wamid} ${status}`);
    if (hearsStatuses) expect(understood.statuses).toEqual(statuses);
    expect(understood.messages.map(({ type }) => type)).toContain('image');
    Object.assign(meta.control.webhooks, { isForged: true, retries: 0 });
    meta.control.receiveFrom(to, { type: 'text' });
    await meta.control.settled();
    expect(meta.control.deliveries().at(-1)).toMatchObject({ status: 401, isForged: true });
  });
}

test('outside the 24 hours, a message is refused, or accepted and failed', async ({
  meta,
  receiver,
}) => {
  meta.control.setWebhook(receiver.url);
  meta.control.window(to, false);
  expect((await send(meta, { ...text, biz_opaque_callback_data: 'A-17' })).status).toBe(200);
  await meta.control.settled();
  expect(statusesOf(receiver)).toMatchObject([
    { status: 'failed', errors: [{ code: 131_047 }], biz_opaque_callback_data: 'A-17' },
  ]);
  meta.control.sending.outsideWindow = 'answer';
  expect(await refusalOf(await send(meta, text))).toEqual([400, 131_047]);
  meta.control.receiveFrom(to, { type: 'text' });
  expect((await send(meta, text)).status).toBe(200);
});

test('a hidden number is answered by its user id', async ({ meta, receiver }) => {
  meta.control.setWebhook(receiver.url);
  meta.control.receiveFrom(to, { type: 'text', isNumberHidden: true });
  await meta.control.settled();
  const [first] = valuesOf(receiver).flatMap(({ messages = [] }) => messages);
  const recipient = first?.['from_user_id'];
  const answer = await send(meta, { to: undefined, recipient, ...text });
  expect(await answer.json()).toMatchObject({
    contacts: [{ input: recipient, user_id: recipient }],
  });
  await meta.control.settled();
  const [sent] = statusesOf(receiver);
  expect(sent).toMatchObject({ status: 'sent', recipient_user_id: recipient });
  expect(sent).not.toHaveProperty('recipient_id');
});

test('files and the 24 hours expire by the clock', async () => {
  let at = Date.UTC(2026, 0, 1);
  const meta = await startFakeMeta({ seed: 7, now: () => new Date(at) });
  try {
    const id = meta.control.seedMedia({ bytes: Buffer.from('gambar'), mimeType: 'image/png' });
    const { url } = (await (await call(meta, id)).json()) as { url: string };
    const headers = { authorization: `Bearer ${meta.token}` };
    expect(await (await fetch(url, { headers })).text()).toBe('gambar');
    meta.control.receiveFrom(to, { type: 'text' });
    await send(meta, text);
    at += 5 * 60_000;
    expect((await fetch(url, { headers })).status).toBe(404);
    at += 24 * 60 * 60_000;
    await send(meta, text);
    expect(meta.control.sent().map(({ failure }) => failure)).toEqual([undefined, 131_047]);
  } finally {
    await meta.close();
  }
});

test('closing ends hanging requests and pending work', async ({ options, receiver }) => {
  const meta = await startFakeMeta({ ...options, slowMs: 600_000, statuses: { sentMs: 600_000 } });
  meta.control.setWebhook(receiver.url);
  await send(meta, text);
  const held = ['62811990001', '62811990004'].map((number) =>
    send(meta, { ...text, to: number }).catch(() => 'ended'),
  );
  await waitFor(() => meta.control.sent().length === 2);
  await meta.close();
  expect(await Promise.all(held)).toEqual(['ended', 'ended']);
  await meta.control.settled();
  const { length } = meta.control.deliveries();
  meta.control.webhooks.delayMs = 600_000;
  meta.control.receiveFrom(to, { type: 'text' });
  await meta.control.settled();
  expect(meta.control.deliveries().length).toBe(length);
});

test('webhooks are repeated, doubled, batched, shuffled, and may precede the answer', async ({
  meta,
  receiver,
}) => {
  meta.control.setWebhook(receiver.url);
  let failures = 2;
  receiver.handle(async () => new Response(null, { status: failures-- > 0 ? 500 : 200 }));
  meta.control.receiveFrom(to, { type: 'text' });
  await meta.control.settled();
  const [first, ...others] = receiver.posts;
  expect(meta.control.deliveries().map(({ status }) => status)).toEqual([500, 500, 200]);
  expect(others.every(({ body }) => body === first?.body)).toBe(true);
  expect(first?.body).toMatch(/^[\x20-\x7e]+$/);
  receiver.posts.length = 0;
  Object.assign(meta.control.webhooks, { copies: 2 });
  meta.control.receiveFrom(to, { type: 'text' });
  await meta.control.settled();
  expect(receiver.posts.length).toBe(2);
  receiver.posts.length = 0;
  Object.assign(meta.control.webhooks, { copies: 1, batch: 10, isShuffled: true });
  const ids = inboundTypes.map((type) => meta.control.receiveFrom(to, { type }));
  await meta.control.settled();
  const arrived = valuesOf(receiver).flatMap(({ messages = [] }) => messages.map(({ id }) => id));
  expect(receiver.posts.length).toBe(2);
  expect(arrived).not.toEqual(ids);
  expect(arrived.toSorted()).toEqual(ids.toSorted());
  Object.assign(meta.control.webhooks, { batch: 1, isShuffled: false });
  meta.control.statuses.isBeforeAnswer = true;
  receiver.posts.length = 0;
  const answer = await send(meta, text);
  expect(statusesOf(receiver)[0]).toMatchObject({ status: 'sent' });
  expect(answer.status).toBe(200);
});

test('customers send every type, with files that can be downloaded', async ({ meta, receiver }) => {
  meta.control.setWebhook(receiver.url);
  for (const type of inboundTypes) meta.control.receiveFrom(to, { type });
  meta.control.receiveFrom(to, { type: 'text', isNumberHidden: true, contextId: 'wamid.a' });
  meta.control.phoneQuality('FLAGGED');
  meta.control.accountUpdate('DISABLED_UPDATE', { ban_info: { waba_ban_state: 'DISABLE' } });
  await meta.control.settled();
  const messages = valuesOf(receiver).flatMap((value) => value.messages ?? []);
  for (const message of messages) {
    expect(message).toHaveProperty(message.type === 'unsupported' ? 'errors' : message.type);
  }
  expect(messages.find((message) => !('from' in message))).toMatchObject({
    from_user_id: expect.stringMatching(/^ID\./),
    context: { id: 'wamid.a' },
  });
  expect(meta.control.deliveries().flatMap(({ fields }) => fields)).toEqual(
    expect.arrayContaining(['messages', 'phone_number_quality_update', 'account_update']),
  );
  const image = messages.find(({ type }) => type === 'image')?.['image'] as { id: string };
  const facts = (await (await call(meta, image.id)).json()) as { url: string; file_size: number };
  const headers = { authorization: `Bearer ${meta.token}` };
  expect((await fetch(facts.url)).status).toBe(401);
  const file = await fetch(facts.url, { headers });
  expect((await file.bytes()).length).toBe(facts.file_size);
});
