import { expect } from 'vitest';
import { uuidOf as readId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type WebhookApp, test } from '#tests/support/webhooks/webhook-app.ts';
import { startTarget } from '#tests/support/webhooks/webhook-target.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import type { TokenRef } from './manage.ts';
import { countWebhooks, webhookLagSeconds } from './webhooks.ts';

const BUDI = '6281200000001';
const CICI = '6281200000002';
const DAY = 86_400;

const uuidOf = (id: string): string => readId('delivery', id) ?? '';
const newest = async ({ calls }: WebhookApp, token: TokenRef) => {
  const [delivery] = (await calls.list(token, { limit: 1 })).rows;
  return calls.get(token, delivery?.id ? uuidOf(delivery.id) : '');
};

test('Retry-After is honoured, and each try is listed with its request and response', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer((_post, response) => {
    response.writeHead(429, { 'retry-after': '600' }).end('pelan\u0007-pelan');
  });
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  hooks.pass(590);
  await worker.drain();
  expect(hooks.target.posts).toHaveLength(1);
  hooks.target.answer(204);
  hooks.pass(20);
  await worker.drain();
  const delivery = await newest(hooks, ani);
  expect(delivery).toMatchObject({ state: 'delivered', tries: 2, last_status: 204, next_at: null });
  expect(delivery.attempts).toMatchObject([
    { n: 2, status: 204, error: null, answer: '' },
    { n: 1, status: 429, error: null, answer: 'pelan -pelan' },
  ]);
  const [second, first] = delivery.attempts;
  expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id']);
  expect(first?.headers['webhook-signature']).not.toBe(second?.headers['webhook-signature']);
  expect(delivery.body).toBe(hooks.target.posts[1]?.body);
});

test('a redirect is a failure and is not followed', async ({ hooks }) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer((_post, response) => {
    response.writeHead(302, { location: hooks.target.url }).end();
  });
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  expect(hooks.target.posts).toHaveLength(1);
  expect(await newest(hooks, ani)).toMatchObject({ state: 'waiting', tries: 1, last_status: 302 });
});

test('410 switches it off at once, with a notification and a message; once enabled, waiting events continue', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(410);
  await hooks.happen(ani, [{ peer: BUDI }, { peer: BUDI }]);
  await worker.drain();
  expect(await hooks.calls.read(ani)).toMatchObject({
    state: 'off',
    off_reason: 'gone',
    pending: 2,
  });
  const { rows } = await hooks.calls.list(ani, { limit: 10 });
  expect(rows).toMatchObject([
    { state: 'waiting', tries: 0 },
    { state: 'waiting', tries: 1, last_status: 410, ended_at: null },
  ]);
  expect(hooks.notices).toMatchObject([
    { accountId: ani.accountId, body: expect.stringContaining('410') },
  ]);
  await worker.drain();
  await worker.drain();
  expect(hooks.texts).toHaveLength(1);
  expect(
    await hooks.db.allAccountsSql`
    select kind from outbox where kind = 'webhook.changed'`,
  ).toHaveLength(1);
  await hooks.happen(ani, [{ peer: CICI }]);
  await worker.drain();
  expect(hooks.target.posts).toHaveLength(1);
  await expect(hooks.calls.setOn(ani, true)).rejects.toEqual(
    new Refusal('webhook_unconfirmed', { status: 410, why: 'status' }),
  );
  hooks.target.answer(200);
  expect(await hooks.calls.setOn(ani, true)).toMatchObject({ state: 'on', off_reason: null });
  await worker.drain();
  // Events while it was off are only in the feed.
  expect(hooks.arrived(hooks.target.posts.slice(1))).toEqual({ [BUDI]: [2, 3] });
  const feed = await hooks.calls.readFeed(ani, { after: 0, limit: 10 });
  expect(feed.events.map(({ data }) => data.seq)).toEqual([2, 3, 5]);
});

test('410 uses up no try: the last one remains when the webhook is enabled again', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(410);
  await hooks.happen(ani, [{ peer: BUDI }]);
  await hooks.db.allAccountsSql`update webhook_deliveries set tries = 12`;
  await worker.drain();
  await hooks.db.allAccountsSql`update webhook_deliveries set tries = 12`;
  expect(hooks.target.posts).toHaveLength(1);
  hooks.target.answer(200);
  await hooks.calls.setOn(ani, true);
  hooks.target.answer(500);
  await worker.drain();
  expect(await newest(hooks, ani)).toMatchObject({ state: 'parked', tries: 2 });
});

test('three days without a success switch it off; one success in between prevents this', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  const failFor = async (days: number) => {
    for (let quarter = 0; quarter < days * 4; quarter++) {
      await hooks.happen(ani, [{ peer: `62812${quarter}000000` }]);
      await worker.drain();
      hooks.pass(DAY / 4);
    }
    await worker.drain();
  };
  hooks.target.answer(500);
  await failFor(2.5);
  hooks.target.answer(200);
  await worker.drain();
  hooks.pass(400);
  await worker.drain();
  expect(await hooks.calls.read(ani)).toMatchObject({
    state: 'on',
    failing_since: null,
    pending: 0,
  });
  hooks.target.answer(500);
  await failFor(2.5);
  expect((await hooks.calls.read(ani))?.state).toBe('on');
  await failFor(1);
  expect(await hooks.calls.read(ani)).toMatchObject({ state: 'off', off_reason: 'failing' });
  expect(hooks.notices).toHaveLength(1);
});

test('after the last try it is parked, its conversation continues, and it can be resent', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  // It accepts all but Budi's first event, so the other conversations keep it alive.
  hooks.target.answer(({ event }) => (event.data.seq === 2 ? 422 : 200));
  await hooks.happen(ani, [{ peer: BUDI }, { peer: BUDI }]);
  for (let hour = 0; hour < 90; hour++) {
    await hooks.happen(ani, [{ peer: CICI }]);
    await worker.drain();
    hooks.pass(3_600);
  }
  const { rows: parked } = await hooks.calls.list(ani, { state: 'parked', limit: 10 });
  expect(parked).toMatchObject([{ seq: 2, last_status: 422 }]);
  const tries = parked[0]?.tries ?? 0;
  // Thirteen by its schedule, plus early ones after successes of Cici, ever further apart.
  expect(tries).toBeGreaterThanOrEqual(13);
  expect(tries).toBeLessThanOrEqual(30);
  expect(hooks.arrived()[BUDI]).toEqual([...Array.from({ length: tries }, () => 2), 3]);
  hooks.target.answer(200);
  const replayed = await hooks.calls.replay(ani, uuidOf(parked[0]?.id ?? ''));
  expect(replayed).toMatchObject({ state: 'waiting' });
  await worker.drain();
  expect(await hooks.calls.list(ani, { state: 'parked', limit: 10 })).toEqual({
    rows: [],
    next: null,
  });
  expect(hooks.target.posts.at(-1)?.headers['webhook-id']).toBe(parked[0]?.id);
});

test('a failing endpoint gets one delivery at a time, not one per conversation; a successful test ends the pause', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(500);
  const peers = Array.from({ length: 50 }, (_, index) => ({ peer: `6281200000${100 + index}` }));
  await hooks.happen(ani, peers);
  await worker.drain();
  // Eight were in progress when the first one failed.
  expect(hooks.target.posts.length).toBeLessThanOrEqual(8);
  for (let round = 0; round < 5; round++) {
    hooks.pass(301);
    const before = hooks.target.posts.length;
    await worker.drain();
    expect(hooks.target.posts.length - before).toBe(1);
  }
  const paused = await hooks.calls.read(ani);
  expect(paused?.paused_until).not.toBeNull();
  hooks.target.answer(200);
  expect(await hooks.calls.test(ani)).toMatchObject({ ok: true, status: 200, answer: 'ya' });
  await worker.drain();
  expect(await hooks.calls.read(ani)).toMatchObject({ pending: 0, paused_until: null });
});

test('a hanging endpoint has few tries in progress, and others proceed meanwhile', async ({
  hooks,
}) => {
  const other = await startTarget();
  hooks.listed.push(other.origin);
  const ani = await hooks.customerWithWebhook();
  const budi = await hooks.customerWithWebhook({ url: other.url });
  const worker = hooks.startWorker();
  let hanging = 0;
  hooks.target.answer(() => void (hanging += 1));
  const many = Array.from({ length: 100 }, (_, index) => ({ peer: `6281200000${100 + index}` }));
  await hooks.happen(ani, many);
  const waiting = worker.drain();
  await waitFor(() => hanging > 0);
  await hooks.happen(budi, many);
  worker.wake();
  await waitFor(() => other.posts.length === 100);
  expect(hanging).toBeLessThanOrEqual(8);
  await waiting;
  const { rows } = await hooks.calls.list(ani, { limit: 100 });
  expect(rows.filter(({ last_error }) => last_error === 'late').length).toBeGreaterThan(0);
  await other.close();
});

test('ten endpoints that start to hang together leave room for another one', async ({ hooks }) => {
  const other = await startTarget();
  hooks.listed.push(other.origin);
  const hanging = [];
  for (let index = 0; index < 10; index++) hanging.push(await hooks.customerWithWebhook());
  const ani = await hooks.customerWithWebhook({ url: other.url });
  let held = 0;
  let most = 0;
  hooks.target.answer((_post, response) => {
    most = Math.max(most, (held += 1));
    response.once('close', () => (held -= 1));
  });
  const many = Array.from({ length: 20 }, (_, index) => ({ peer: `6281200000${100 + index}` }));
  for (const one of hanging) await hooks.happen(one, many);
  const worker = hooks.startWorker();
  await waitFor(() => most >= 40);
  await hooks.happen(ani, many);
  worker.wake();
  await waitFor(() => other.posts.length === 20);
  expect(most).toBeLessThan(64);
  await other.close();
});

test('more hanging endpoints than slots delay others by a second, not by the time-out', async ({
  hooks,
}) => {
  const other = await startTarget();
  hooks.listed.push(other.origin);
  const hanging = [];
  for (let index = 0; index < 70; index++) hanging.push(await hooks.customerWithWebhook());
  const ani = await hooks.customerWithWebhook({ url: other.url });
  let begun = 0;
  let ended = 0;
  hooks.target.answer((_post, response) => {
    begun += 1;
    response.once('close', () => (ended += 1));
  });
  for (const one of hanging) await hooks.happen(one, [{ peer: BUDI }, { peer: CICI }]);
  const worker = hooks.startWorker();
  await waitFor(() => begun >= 64);
  await hooks.happen(ani, [{ peer: BUDI }, { peer: CICI }]);
  worker.wake();
  await waitFor(() => other.posts.length === 2);
  expect(ended).toBe(0);
  // The last six get room for both of theirs; the hanging ones get no second one.
  await waitFor(() => begun >= 76);
  expect(begun).toBe(76);
  await other.close();
});

test("the metrics count healthy, paused and disabled webhooks, and the sender's lag", async ({
  hooks,
}) => {
  const { allAccountsSql } = hooks.db;
  const ani = await hooks.customerWithWebhook();
  await hooks.customerWithWebhook();
  const off = await hooks.customerWithWebhook();
  await hooks.calls.setOn(off, false);
  const worker = hooks.startWorker();
  hooks.target.answer(500);
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  expect(await countWebhooks(allAccountsSql)).toEqual([
    { labels: { state: 'failing' }, value: 1 },
    { labels: { state: 'off: owner' }, value: 1 },
    { labels: { state: 'well' }, value: 1 },
  ]);
  expect(await webhookLagSeconds(allAccountsSql)).toEqual([{ value: 0 }]);
  await allAccountsSql`
    update webhooks set due_at = clock_timestamp() - interval '1 minute' where due_at is not null`;
  expect((await webhookLagSeconds(allAccountsSql))[0]?.value).toBeGreaterThanOrEqual(60);
});
