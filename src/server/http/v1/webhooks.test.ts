import { expect } from 'vitest';
import {
  SavedWebhook,
  Webhook,
  WebhookTest,
  Delivery,
  DeliveryDetail,
} from '#contract/webhooks.ts';
import { type Caller, callerOf, halo, inEnglish } from '#tests/support/app/api-caller.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { setWebhook as put, test } from '#tests/support/webhooks/webhook-caller.ts';
import { recordNames } from '#server/domains/messages/messages.ts';
import { changeTokens } from '#tests/support/people/people.ts';

const deliveriesOf = async (caller: Caller, query = ''): Promise<Delivery[]> => {
  const { status, body } = await caller.call(`/v1/deliveries${query}`);
  expect(status).toBe(200);
  return body.data.map((one: unknown) => Delivery().parse(one));
};

test('a webhook is set, read, tested, gets another secret, and is deleted', async ({
  ani,
  target,
}) => {
  expect((await ani.call('/v1/webhook')).body).toEqual({ webhook: null });
  const made = await put(ani, { url: target.url, kinds: ['message.received'] });
  expect(made.status).toBe(200);
  const { webhook, secret, test: tested } = SavedWebhook().parse(made.body);
  expect(webhook).toMatchObject({ url: target.url, format: 'kabari', kinds: ['message.received'] });
  expect([webhook.state, tested?.ok]).toEqual(['on', true]);
  expect(secret).toMatch(/^whsec_/);

  const read = await ani.call('/v1/webhook');
  expect(Webhook().parse(read.body.webhook)).toEqual(webhook);
  expect(read.text).not.toContain(secret);
  const again = SavedWebhook().parse((await put(ani, { url: target.url })).body);
  expect([again.secret, again.test, again.webhook.kinds]).toEqual([null, null, null]);
  // Read, modified and written back, it still selects all events, including future types.
  const { url, format, kinds } = again.webhook;
  const moved = await put(ani, { url: `${url}?toko=1`, format, kinds });
  expect(SavedWebhook().parse(moved.body).webhook.kinds).toBeNull();
  expect((await put(ani, { url, kinds: [] })).status).toBe(422);

  const { status, body } = await ani.call('/v1/webhook/test', { method: 'POST' });
  expect([status, WebhookTest().parse(body).ok]).toEqual([200, true]);
  const rotated = await ani.call('/v1/webhook/rotate-secret', { method: 'POST' });
  expect(rotated.body.secret).toMatch(/^whsec_/);
  expect(rotated.body.secret).not.toBe(secret);
  expect(rotated.body.webhook.previous_secret_until).not.toBeNull();

  expect((await ani.call('/v1/webhook', { method: 'DELETE' })).status).toBe(204);
  for (const [method, path] of [
    ['DELETE', '/v1/webhook'],
    ['POST', '/v1/webhook/test'],
    ['POST', '/v1/webhook/rotate-secret'],
    ['GET', '/v1/deliveries'],
  ] as const) {
    const { status: no, body: problem } = await ani.call(path, { method });
    expect([path, no, problem.code]).toEqual([path, 404, 'not_found']);
  }
});

test('an address that does not answer yet is stored, and enabled by setting it again', async ({
  ani,
  target,
}) => {
  target.answer(401);
  const first = SavedWebhook().parse((await put(ani, { url: target.url })).body);
  expect(first.webhook).toMatchObject({ state: 'off', off_reason: 'unconfirmed' });
  expect([first.test?.status, first.secret]).toEqual([401, expect.stringMatching(/^whsec_/)]);
  target.answer(200);
  const second = SavedWebhook().parse((await put(ani, { url: target.url })).body);
  expect([second.webhook.state, second.secret]).toEqual(['on', null]);
  // An enabled webhook is unchanged when its new address does not answer.
  target.answer(500);
  const moved = await put(ani, { url: `${target.url}/lain` }, inEnglish);
  expect([moved.status, moved.body.code]).toEqual([422, 'webhook_unconfirmed']);
  expect(moved.body.detail).toContain('500');
  expect((await ani.call('/v1/webhook')).body.webhook).toMatchObject({
    url: target.url,
    state: 'on',
  });
});

test('deliveries are listed with their tries and names, page by page, and resent', async ({
  db,
  ani,
  target,
}) => {
  await put(ani, { url: target.url });
  target.answer(503);
  await db.allAccountsSql.begin((tx) =>
    recordNames(tx, ani.accountId, 'list', [{ peer: '6281234567890', name: 'Bu Ani' }]),
  );
  const begun = new Date();
  const { body: sent } = await ani.call('/v1/messages', { body: halo });
  await waitFor(async () => expect((await deliveriesOf(ani)).length).toBeGreaterThan(1));
  await waitFor(async () => {
    const [oldest] = (await deliveriesOf(ani)).toReversed();
    expect(oldest).toMatchObject({ state: 'waiting', last_status: 503 });
  });
  const [first] = (await deliveriesOf(ani)).toReversed();
  const detail = await ani.call(`/v1/deliveries/${first?.id}`);
  const { attempts, body } = DeliveryDetail().parse(detail.body);
  expect(attempts[0]).toMatchObject({ n: 1, status: 503, answer: 'ya' });
  expect(attempts[0]?.headers['webhook-signature']).toMatch(/^v1,/);
  expect(JSON.parse(body ?? '')).toMatchObject({
    type: 'message.accepted',
    data: { id: sent.id, status: 'queued' },
  });

  target.answer(200);
  const replayed = await ani.call(`/v1/deliveries/${first?.id}/replay`, { method: 'POST' });
  expect([replayed.status, replayed.body.id]).toEqual([202, first?.id]);
  await waitFor(async () => {
    const states = (await deliveriesOf(ani)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(['delivered']));
    expect(await deliveriesOf(ani, '?type=message.read')).toHaveLength(1);
  });
  const all = await deliveriesOf(ani);
  const seen: Delivery[] = [];
  for (let query = '?limit=1'; query !== '';) {
    const { body: page } = await ani.call(`/v1/deliveries${query}`);
    seen.push(...page.data.map((one: unknown) => Delivery().parse(one)));
    query = page.next_cursor === null ? '' : `?limit=1&cursor=${page.next_cursor}`;
  }
  expect(seen).toEqual(all);
  expect(await deliveriesOf(ani, '?state=parked')).toEqual([]);
  for (const one of all) {
    expect(one).toMatchObject({
      peer: '6281234567890',
      name: 'Bu Ani',
      message_id: sent.id,
    });
  }
  expect(await deliveriesOf(ani, '?peer=0812-3456-7890')).toEqual(all);
  expect(await deliveriesOf(ani, '?peer=081299990000')).toEqual([]);
  const from = begun.toISOString();
  expect(await deliveriesOf(ani, `?from=${from}`)).toEqual(all);
  expect(await deliveriesOf(ani, `?to=${from}`)).toEqual([]);

  const posts = target.posts.length;
  const period = { from, to: new Date().toISOString(), which: 'all' };
  const { status, body: anew } = await ani.call('/v1/deliveries/replay', { body: period });
  expect([status, anew]).toEqual([202, { replayed: all.length, more: false }]);
  await waitFor(() => expect(target.posts.slice(posts)).toHaveLength(all.length));
  const seqs = target.posts.slice(posts).map(({ event }) => event.data.seq);
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
  const parked = { ...period, which: 'parked' };
  const nothing = await ani.call('/v1/deliveries/replay', { body: parked });
  expect(nothing.body).toEqual({ replayed: 0, more: false });
});

test('an unreadable request names its error in the requested language', async ({ ani, target }) => {
  const wrong = async (path: string, options: Parameters<Caller['call']>[1] = {}) => {
    const { status, body } = await ani.call(path, { headers: inEnglish, ...options });
    expect(status, path).toBe(422);
    return body.fields;
  };
  for (const [body, field, says] of [
    [{}, 'url', /Required: a public https/],
    [{ url: 'https://10.0.0.1/x' }, 'url', /public https:\/\/ address on port/],
    [{ url: 'http://toko.example/x' }, 'url', /public https/],
    [{ url: 'http://localhost:4000/x' }, 'url', /npx kabari forward[^]*WEBHOOK_ORIGINS/],
    [{ url: 'http://127.0.0.1:4000/x' }, 'url', /npx kabari forward/],
    [{ url: 'https://10.0.0.1/x' }, 'url', /^(?!.*forward)/],
    [{ url: target.url, kinds: [] }, 'kinds', /list of events/],
    [{ url: target.url, kinds: ['message.eaten'] }, 'kinds.0', /one of "message.accepted"/],
    [{ url: target.url, format: 'xml' }, 'format', /one of "kabari"/],
    [{ url: target.url, secret: 'x' }, 'secret', /not known/],
  ] as const) {
    const fields = await wrong('/v1/webhook', { method: 'PUT', body });
    expect(fields[field], JSON.stringify(body)).toMatch(says);
  }
  const indonesian = await ani.call('/v1/webhook', {
    method: 'PUT',
    body: { url: 'https://10.0.0.1/x' },
  });
  expect(indonesian.body.fields.url).toContain('alamat https umum');
  for (const query of ['state=x', 'type=x', 'from=today', 'to=0000-01-01T00:00:00Z', 'limit=0']) {
    expect(Object.keys(await wrong(`/v1/deliveries?${query}`))).toHaveLength(1);
  }
  const period = { from: '2026-11-21', to: 5, which: 'some' };
  const fields = await wrong('/v1/deliveries/replay', { body: period });
  expect(Object.keys(fields)).toEqual(['from', 'to', 'which']);
  for (const id of ['x', 'whd_x', 'msg_01KB3Y6QJ4T0X9V2M8ZC5W7D1E', '%00']) {
    const { body } = await ani.call(`/v1/deliveries/${id}`);
    expect([id, body.code]).toEqual([id, expect.stringMatching(/not_found|request_malformed/)]);
  }
});

test('another token and another account see nothing of it, and another scope does not suffice', async ({
  running,
  db,
  ani,
  target,
}) => {
  await put(ani, { url: target.url });
  await ani.call('/v1/messages', { body: halo });
  await waitFor(async () => expect((await deliveriesOf(ani)).length).toBeGreaterThan(0));
  const [delivery] = await deliveriesOf(ani);
  const other = await callerOf(running, db);
  await put(other, { url: target.url });
  expect(await deliveriesOf(other)).toEqual([]);
  for (const path of [`/v1/deliveries/${delivery?.id}`, `/v1/deliveries/${delivery?.id}/replay`]) {
    const method = path.endsWith('replay') ? 'POST' : 'GET';
    expect((await other.call(path, { method })).body.code).toBe('not_found');
  }
  await changeTokens(db.allAccountsSql, other, { scopes: ['messages.read', 'account.read'] });
  await waitFor(async () =>
    expect((await other.call('/v1/webhook')).body.code).toBe('scope_missing'),
  );
  for (const path of ['/v1/events', '/v1/deliveries']) {
    expect((await other.call(path)).status).toBe(403);
  }
});
