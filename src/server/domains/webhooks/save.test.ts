import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { pruneDeliveries } from './webhooks.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';
import { type Post, startTarget } from '#tests/support/webhooks/webhook-target.ts';

const headersOf = (post: Post | undefined) =>
  Object.fromEntries(
    Object.entries(post?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
const verifies = (secret: string, post: Post | undefined): boolean => {
  try {
    new StandardWebhook(secret).verify(post?.body ?? '', headersOf(post));
    return true;
  } catch {
    return false;
  }
};

test('a new address that passes the signed test is enabled; its secret is shown once and sealed at rest', async ({
  hooks,
}) => {
  const ani = await hooks.customer();
  expect(await hooks.calls.read(ani)).toBeNull();
  const {
    webhook,
    secret,
    test: answered,
  } = await hooks.calls.save(ani, { url: hooks.target.url });
  expect(answered).toMatchObject({ ok: true, status: 200, error: null, answer: 'ya' });
  expect(webhook).toMatchObject({
    state: 'on',
    format: 'kabari',
    kinds: null,
    secret_hint: secret?.replace(/=+$/, '').slice(-4),
  });
  expect(verifies(secret ?? '', hooks.target.tests[0])).toBe(true);
  const again = await hooks.calls.save(ani, { url: hooks.target.url, kinds: ['message.received'] });
  expect(again).toMatchObject({
    secret: null,
    test: null,
    webhook: { kinds: ['message.received'] },
  });
  expect(hooks.target.tests).toHaveLength(1);
  const stored = await hooks.db.allAccountsSql`select webhooks::text as row from webhooks`;
  const key = Buffer.from(secret ?? '', 'utf8').toString('hex');
  expect(JSON.stringify(stored)).not.toContain(key);
});

test('an endpoint that checks signatures first can be enabled once it has the secret', async ({
  hooks,
}) => {
  const ani = await hooks.customer();
  let known = '';
  hooks.target.answer((post) => (known !== '' && verifies(known, post) ? 200 : 401));
  const { webhook, secret } = await hooks.calls.save(ani, { url: hooks.target.url });
  expect(webhook).toMatchObject({ state: 'off', off_reason: 'unconfirmed' });
  await expect(hooks.calls.setOn(ani, true)).rejects.toEqual(
    new Refusal('webhook_unconfirmed', { status: 401, why: 'status' }),
  );
  known = secret ?? '';
  expect(await hooks.calls.setOn(ani, true)).toMatchObject({ state: 'on', off_reason: null });
});

test("the Cloud API's verify token is known before that format is selected", async ({ hooks }) => {
  const ani = await hooks.customer();
  const saved = await hooks.calls.save(ani, { url: hooks.target.url });
  expect(saved.webhook).toMatchObject({ state: 'on', format: 'kabari' });
  const shop = createServer((request, response) => {
    const { searchParams: asked } = new URL(request.url ?? '', 'http://localhost');
    const isKnown = asked.get('hub.verify_token') === saved.webhook.verify_token;
    response.writeHead(isKnown ? 200 : 403).end(asked.get('hub.challenge'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void shop.close());
  await once(shop, 'listening');
  const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  hooks.listed.push(origin);
  const changed = await hooks.calls.save(ani, { url: `${origin}/kabari`, format: 'cloud' });
  expect(changed.webhook).toMatchObject({
    state: 'on',
    format: 'cloud',
    verify_token: saved.webhook.verify_token,
  });
});

test("the handshake sends the owner's verify token, and Kabari's own once that is removed", async ({
  hooks,
}) => {
  const ani = await hooks.customer();
  const named: (string | null)[] = [];
  const shop = createServer((request, response) => {
    const { searchParams: asked } = new URL(request.url ?? '', 'http://localhost');
    named.push(asked.get('hub.verify_token'));
    response.end(asked.get('hub.challenge'));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void shop.close());
  await once(shop, 'listening');
  const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  hooks.listed.push(origin);
  const fields = { url: `${origin}/kabari`, format: 'cloud' as const };
  const own = { ...fields, verify_token: 'sandi-toko' };
  expect((await hooks.calls.save(ani, own)).webhook).toMatchObject({ verify_token: 'sandi-toko' });
  // When omitted, the token stays the same, and the address is not tested again.
  expect((await hooks.calls.save(ani, fields)).webhook).toMatchObject({
    verify_token: 'sandi-toko',
  });
  const made = await hooks.calls.save(ani, { ...fields, verify_token: null });
  expect(named).toEqual(['sandi-toko', made.webhook.verify_token]);
  expect(made.webhook.verify_token).toMatch(/^[\w-]{32}$/);
});

test('an enabled webhook is unchanged when its new address does not answer', async ({ hooks }) => {
  const other = await startTarget();
  hooks.listed.push(other.origin);
  const ani = await hooks.customerWithWebhook();
  other.answer((_post, response) => {
    response.writeHead(307, { location: hooks.target.url }).end();
  });
  await expect(hooks.calls.save(ani, { url: other.url })).rejects.toEqual(
    new Refusal('webhook_unconfirmed', { status: 307, why: 'redirect' }),
  );
  expect(await hooks.calls.read(ani)).toMatchObject({ state: 'on', url: hooks.target.url });
  await other.close();
  await expect(hooks.calls.save(ani, { url: other.url })).rejects.toEqual(
    new Refusal('webhook_unconfirmed', { status: null, why: 'unreachable' }),
  );
});

test('private addresses are refused on save and on test, without a connection', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const asked = hooks.target.connections();
  const { port } = new URL(hooks.target.url);
  hooks.listed.length = 0;
  for (const url of [
    hooks.target.url,
    `https://127.0.0.1:${port}/`,
    'https://127.1/',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://ani:rahasia@example.com/',
    'https://example.com:22/',
    'ftp://example.com/',
    'bukan alamat',
    'https://localhost/',
  ]) {
    await expect(hooks.calls.save(ani, { url }), url).rejects.toMatchObject({
      code: 'input_invalid',
      facts: { fields: { url: expect.stringContaining('https') } },
    });
  }
  const worker = hooks.startWorker();
  await hooks.happen(ani, [{ peer: '6281200000001' }]);
  await worker.drain();
  const { rows } = await hooks.calls.list(ani, { limit: 10 });
  expect(rows).toMatchObject([{ state: 'waiting', last_status: null, last_error: 'refused' }]);
  expect(hooks.target.connections()).toBe(asked);
});

test('after a rotation both secrets sign for 24 hours, then the new one alone', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  const { secret, webhook } = await hooks.calls.rotateSecret(ani);
  expect(webhook.previous_secret_until).not.toBeNull();
  const verifiers = async () => {
    await hooks.happen(ani, [{ peer: '6281200000001' }]);
    const before = hooks.target.posts.length;
    await worker.drain();
    await waitFor(() => hooks.target.posts.length === before + 1);
    const signatures = String(hooks.target.posts.at(-1)?.headers['webhook-signature']).split(' ');
    return signatures.length;
  };
  expect(await verifiers()).toBe(2);
  expect([ani.secret, secret].map((one) => verifies(one, hooks.target.posts[0]))).toEqual([
    true,
    true,
  ]);
  hooks.pass(86_400);
  expect(await verifiers()).toBe(1);
  expect((await hooks.calls.read(ani))?.previous_secret_until).toBeNull();
});

test("after two rotations within 24 hours, the receiver's secret still signs", async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  const second = (await hooks.calls.rotateSecret(ani)).secret;
  const third = (await hooks.calls.rotateSecret(ani)).secret;
  const signing = async () => {
    await hooks.happen(ani, [{ peer: '6281200000001' }]);
    await worker.drain();
    const post = hooks.target.posts.at(-1);
    return [ani.secret, second, third].map((one) => verifies(one, post));
  };
  expect(await signing()).toEqual([true, true, true]);
  for (let count = 0; count < 9; count++) await hooks.calls.rotateSecret(ani);
  expect(await signing()).toEqual([true, false, false]);
  const signatures = String(hooks.target.posts.at(-1)?.headers['webhook-signature']).split(' ');
  expect(signatures).toHaveLength(5);
  hooks.pass(86_400);
  await signing();
  expect(hooks.target.posts.at(-1)?.headers['webhook-signature']).not.toContain(' ');
});

test('a secret repeated by an endpoint appears neither in answers nor in the database', async ({
  hooks,
}) => {
  const ani = await hooks.customer();
  const worker = hooks.startWorker();
  let repeated = '';
  hooks.target.answer((post, response) => {
    const { secret } = JSON.parse(post.body) as { secret: string };
    repeated = secret;
    // The shown beginning would end within the second one.
    response.end(`${JSON.stringify(secret).replaceAll('/', '\\/')} ${'x'.repeat(120)} ${secret}`);
  });
  const saved = await hooks.calls.save(ani, { url: hooks.target.url, format: 'fonnte' });
  const secret = saved.secret ?? '';
  expect(repeated).toBe(secret);
  const covered = `"whsec_…${saved.webhook.secret_hint}"`;
  const hidden = (answer: string | undefined) => {
    expect(answer?.startsWith(covered), answer).toBe(true);
    expect(answer).toMatch(/x whsec_….{0,4}$/);
  };
  hidden(saved.test?.answer);
  hidden((await hooks.calls.test(ani)).answer);
  await hooks.happen(ani, [
    {
      kind: 'token.connected',
      data: { token_id: publicId('token', ani.tokenId), name: 'Toko', phone: '6281200000009' },
    },
  ]);
  await worker.drain();
  const stored = await hooks.db.allAccountsSql<{ answer: string }[]>`
    select answer from webhook_attempts`;
  expect(stored).toHaveLength(1);
  hidden(stored[0]?.answer);
});

test("another account's token, webhook and deliveries are not found", async ({ hooks }) => {
  const ani = await hooks.customerWithWebhook();
  const budi = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  await hooks.happen(ani, [{ peer: '6281200000001' }]);
  await worker.drain();
  const [own] = await hooks.db.allAccountsSql<{ id: string }[]>`
    select delivery_id as id from webhook_deliveries where account_id = ${ani.accountId}`;
  const id = own?.id ?? '';
  const foreign = { accountId: budi.accountId, tokenId: ani.tokenId };
  const { calls } = hooks;
  for (const [what, call] of Object.entries({
    read: () => calls.read(foreign),
    save: () => calls.save(foreign, { url: hooks.target.url }),
    setOn: () => calls.setOn(foreign, false),
    rotate: () => calls.rotateSecret(foreign),
    remove: () => calls.remove(foreign),
    test: () => calls.test(foreign),
    list: () => calls.list(foreign, { limit: 10 }),
    feed: () => calls.readFeed(foreign, { after: 0, limit: 10 }),
    get: () => calls.get(budi, id),
    replay: () => calls.replay(budi, id),
  })) {
    await expect(call(), what).rejects.toMatchObject({ code: 'not_found' });
  }
  expect((await calls.get(ani, id)).state).toBe('delivered');
  const feed = await calls.readFeed(budi, { after: 0, limit: 10 });
  expect(feed.events).toEqual([]);
});

test('a removed webhook sends nothing more; a new one of its token has a separate list', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(500);
  await hooks.happen(ani, [{ peer: '6281200000001' }]);
  await worker.drain();
  await hooks.calls.remove(ani);
  hooks.target.answer(200);
  hooks.pass(86_400);
  await worker.drain();
  expect(hooks.target.posts).toHaveLength(1);
  expect(await hooks.calls.read(ani)).toBeNull();
  const { webhook } = await hooks.calls.save(ani, { url: hooks.target.url });
  expect(webhook.pending).toBe(0);
  expect((await hooks.calls.list(ani, { limit: 10 })).rows).toEqual([]);
  await pruneDeliveries(hooks.db.allAccountsSql);
  expect(
    await hooks.db.allAccountsSql`
    select from webhook_deliveries union all select from webhook_attempts
    union all select from webhook_lanes`,
  ).toEqual([]);
});
