import { expect } from 'vitest';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { test } from '#tests/support/webhooks/webhook-app.ts';

const DAY = 86_400;
const BUDI = '6281200000001';
const CICI = '6281200000002';

test('an event reaches the endpoint, signed so that standardwebhooks verifies it', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  const [post] = hooks.target.posts;
  expect(hooks.target.posts).toHaveLength(1);
  const headers = Object.fromEntries(
    Object.entries(post?.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const read = new StandardWebhook(ani.secret).verify(post?.body ?? '', headers);
  expect(read).toMatchObject({
    type: 'optout.added',
    data: { peer: BUDI, source: 'reply', seq: 2, account: expect.stringMatching(/^acc_/) },
  });
  const { rows } = await hooks.calls.list(ani, { limit: 10 });
  expect(rows).toMatchObject([
    { id: headers['webhook-id'], seq: 2, state: 'delivered', tries: 1, last_status: 200 },
  ]);
});

test('an endpoint that is down for a day gets all events afterwards, in order per conversation', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(503);
  for (let hour = 0; hour < 24; hour++) {
    await hooks.happen(ani, [{ peer: BUDI }, { peer: CICI }, { peer: BUDI }]);
    await worker.drain();
    hooks.pass(3_600);
  }
  expect((await hooks.calls.read(ani))?.failing_since).not.toBeNull();
  const tried = hooks.target.posts.length;
  // Only the first event of each of the two conversations was tried.
  expect(new Set(hooks.target.posts.map(({ event }) => event.data.seq)).size).toBe(2);
  hooks.target.answer(200);
  hooks.pass(DAY);
  await worker.drain();
  const byPeer = hooks.arrived(hooks.target.posts.slice(tried));
  const seqs = [...(byPeer[BUDI] ?? []), ...(byPeer[CICI] ?? [])];
  expect(seqs).toHaveLength(72);
  for (const order of Object.values(byPeer)) {
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
  expect(await hooks.calls.read(ani)).toMatchObject({ failing_since: null, pending: 0 });
});
