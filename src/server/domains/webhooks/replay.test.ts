import type { ServerResponse } from 'node:http';
import { expect } from 'vitest';
import { uuidOf as readId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';

const BUDI = '6281200000001';
const CICI = '6281200000002';

test('resends a period in order, parked deliveries or all, and refuses for a disabled webhook', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  await hooks.happen(ani, [{ peer: BUDI }, { peer: CICI }, { peer: BUDI }]);
  await worker.drain();
  await hooks.db.allAccountsSql`
    update webhook_deliveries set state = 'parked' where lane = ${CICI}`;
  const hour = 3_600_000;
  const period = { from: new Date(Date.now() - hour), to: new Date(Date.now() + hour) };
  const ids = hooks.target.posts.map(({ headers }) => headers['webhook-id']);
  expect(await hooks.calls.replayPeriod(ani, { ...period, which: 'parked' })).toEqual({
    replayed: 1,
    more: false,
  });
  await worker.drain();
  expect(hooks.arrived(hooks.target.posts.slice(3))).toEqual({ [CICI]: [3] });
  expect(await hooks.calls.replayPeriod(ani, { ...period, which: 'all' })).toMatchObject({
    replayed: 3,
  });
  await worker.drain();
  expect(hooks.arrived(hooks.target.posts.slice(4))).toEqual({ [BUDI]: [2, 4], [CICI]: [3] });
  const again = hooks.target.posts.slice(4).map(({ headers }) => headers['webhook-id']);
  expect(new Set(again)).toEqual(new Set(ids));
  const early = { from: new Date(0), to: period.from, which: 'all' as const };
  expect(await hooks.calls.replayPeriod(ani, early)).toMatchObject({ replayed: 0 });
  await hooks.calls.setOn(ani, false);
  await expect(hooks.calls.replayPeriod(ani, { ...period, which: 'all' })).rejects.toEqual(
    new Refusal('webhook_off', {}),
  );
});

test('a replay during a try sends the delivery once more, for any result of the try', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  const held: ServerResponse[] = [];
  hooks.target.answer((_post, response) => void held.push(response));
  await hooks.happen(ani, [{ peer: BUDI }, { peer: BUDI }]);
  for (const status of [200, 500]) {
    const before = hooks.target.posts.length;
    const sending = worker.drain();
    await waitFor(() => expect(held).toHaveLength(1));
    const id = String(hooks.target.posts.at(-1)?.headers['webhook-id']);
    expect(await hooks.calls.replay(ani, readId('delivery', id) ?? '')).toMatchObject({
      state: 'waiting',
    });
    hooks.target.answer(200);
    held.pop()?.writeHead(status).end();
    await sending;
    await worker.drain();
    const seqs = hooks.target.posts.slice(before).map(({ event }) => event.data.seq);
    expect(seqs).toEqual(status === 200 ? [2, 2, 3] : [4, 4]);
    const delivery = await hooks.calls.get(ani, readId('delivery', id) ?? '');
    expect(delivery).toMatchObject({ state: 'delivered', tries: 2 });
    hooks.target.answer((_post, response) => void held.push(response));
    if (status === 200) await hooks.happen(ani, [{ peer: CICI }]);
  }
});

test('the list is filtered by state, type and time, and continues below a position', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  await hooks.happen(ani, [
    { peer: BUDI },
    { kind: 'saldo.low', data: { threshold: 5_000, available: 4_000 } },
    { peer: CICI },
  ]);
  await worker.drain();
  const seqsOf = async (query: object) =>
    (await hooks.calls.list(ani, { limit: 10, ...query })).rows.map(({ seq }) => seq);
  expect(await seqsOf({})).toEqual([4, 3, 2]);
  expect(await seqsOf({ type: 'saldo.low' })).toEqual([3]);
  expect(await seqsOf({ state: 'parked' })).toEqual([]);
  expect(await seqsOf({ to: new Date(0) })).toEqual([]);
  expect(await seqsOf({ offset: 1 })).toEqual([3, 2]);
  const page = await hooks.calls.list(ani, { limit: 2 });
  expect(page.next).toBe(3);
  expect(await seqsOf({ before: page.next })).toEqual([2]);
});

test('the feed returns the events of a token and of its account, page by page, without a webhook', async ({
  hooks,
}) => {
  const ani = await hooks.customer();
  await hooks.happen(ani, [
    { peer: BUDI },
    { kind: 'broadcast.changed', data: {} },
    { kind: 'saldo.low', data: { threshold: 5_000, available: 4_000 } },
    {
      peer: CICI,
      data: { token_id: 'tok_00000000000000000000000000', peer: CICI, source: 'reply' },
    },
    { peer: CICI },
  ]);
  const first = await hooks.calls.readFeed(ani, { after: 0, limit: 2 });
  expect(first.events).toMatchObject([
    { type: 'optout.added', data: { seq: 1, peer: BUDI } },
    { type: 'saldo.low', data: { seq: 3, token: null, threshold: 5_000, available: 4_000 } },
  ]);
  expect(first).toMatchObject({ next: 3, hasMore: true });
  const second = await hooks.calls.readFeed(ani, { after: first.next, limit: 2 });
  expect(second).toMatchObject({
    events: [{ data: { seq: 5, peer: CICI } }],
    next: 5,
    hasMore: false,
  });
  expect(await hooks.calls.readFeed(ani, { after: 5, limit: 2 })).toEqual({
    events: [],
    next: 5,
    hasMore: false,
  });
  const typed = await hooks.calls.readFeed(ani, { after: 0, limit: 10, types: ['saldo.low'] });
  expect(typed.events).toHaveLength(1);
});
