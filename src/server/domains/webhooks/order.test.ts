import fc from 'fast-check';
import { expect } from 'vitest';
import { waitFor } from '#tests/support/wait-for.ts';
import { type WebhookApp, test } from '#tests/support/webhooks/webhook-app.ts';

const PEERS = ['6281200000001', '6281200000002', '6281200000003', undefined] as const;

const SALDO_LOW = { kind: 'saldo.low', data: { threshold: 5_000, available: 4_000 } };

const taken = (hooks: WebhookApp, from: number) =>
  hooks.arrived(hooks.target.posts.slice(from).filter((post) => !refused.has(post)));
const refused = new WeakSet<object>();

test('each conversation is delivered completely and in order, for any endpoint responses', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const workers = [hooks.startWorker(), hooks.startWorker()];
  const steps = fc.array(
    fc.record({
      peers: fc.array(fc.constantFrom(...PEERS), { maxLength: 8 }),
      // The endpoint cycles through these statuses during this step.
      answers: fc.array(fc.constantFrom(200, 204, 302, 429, 500), { minLength: 1, maxLength: 6 }),
      passSeconds: fc.constantFrom(0, 6, 40, 4_000),
    }),
    { minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const from = hooks.target.posts.length;
      const expected: Record<string, number> = {};
      for (const { peers, answers, passSeconds } of given) {
        let asked = 0;
        hooks.target.answer((post) => {
          const status = answers[(asked += 1) % answers.length] ?? 200;
          if (status >= 300) refused.add(post);
          return status;
        });
        await hooks.happen(
          ani,
          peers.map((peer) => (peer === undefined ? SALDO_LOW : { peer })),
        );
        for (const peer of peers) expected[peer ?? ''] = (expected[peer ?? ''] ?? 0) + 1;
        await Promise.all(workers.map((worker) => worker.drain()));
        hooks.pass(passSeconds);
      }
      hooks.target.answer(200);
      await waitFor(async () => {
        hooks.pass(4_000);
        await Promise.all(workers.map((worker) => worker.drain()));
        return (await hooks.calls.read(ani))?.pending === 0;
      });
      const arrived = taken(hooks, from);
      for (const [peer, count] of Object.entries(expected)) {
        const order = arrived[peer] ?? [];
        expect(order).toEqual(order.toSorted((a, b) => a - b));
        expect(new Set(order).size).toBe(order.length);
        expect(order).toHaveLength(count);
      }
    }),
    { numRuns: 12 },
  );
});

test('two workers send each event once', async ({ hooks }) => {
  const ani = await hooks.customerWithWebhook();
  const workers = [hooks.startWorker(), hooks.startWorker()];
  for (let round = 0; round < 5; round++) {
    await hooks.happen(
      ani,
      Array.from({ length: 40 }, (_, index) => ({ peer: `6281200000${100 + (index % 10)}` })),
    );
    for (const worker of workers) worker.add([ani.accountId]);
  }
  await waitFor(() => hooks.target.posts.length >= 200);
  await Promise.all(workers.map((worker) => worker.drain()));
  expect(hooks.target.posts).toHaveLength(200);
  for (const order of Object.values(hooks.arrived())) {
    expect(order).toHaveLength(20);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
});

test("a dead worker's deliveries are sent by another once its lease has ended", async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  await hooks.happen(ani, [{ peer: PEERS[0] }, { peer: PEERS[0] }]);
  const sql = hooks.db.allAccountsSql;
  await sql`select * from collect_webhook_events(null, 500, ${hooks.deps.now()})`;
  // Claimed by a worker that never reports.
  const claimed =
    await sql`select * from claim_webhook_deliveries(${hooks.deps.now()}, 64, 32, 30)`;
  expect(claimed).toHaveLength(1);
  const worker = hooks.startWorker();
  await worker.drain();
  expect(hooks.target.posts).toEqual([]);
  await sql`update webhook_lanes set leased_until = clock_timestamp() - interval '1 second'`;
  await worker.drain();
  expect(Object.values(hooks.arrived())).toEqual([[2, 3]]);
});

test('a delivery that a closing worker cannot finish counts as no try and waits for the next', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const first = hooks.startWorker();
  let asked = 0;
  hooks.target.answer(() => void (asked += 1));
  await hooks.happen(ani, [{ peer: PEERS[0] }]);
  const waiting = first.drain();
  await waitFor(() => asked === 1);
  await first.close();
  await waiting;
  expect((await hooks.calls.list(ani, { limit: 1 })).rows).toMatchObject([
    { state: 'waiting', tries: 0 },
  ]);
  hooks.target.answer(200);
  const second = hooks.startWorker();
  await second.drain();
  expect((await hooks.calls.read(ani))?.pending).toBe(0);
});

test('a conversation that waits for its retry is tried at once when the endpoint accepts another one', async ({
  hooks,
}) => {
  const [budi, cici] = [PEERS[0], PEERS[1]];
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(503);
  await hooks.happen(ani, [{ peer: budi }, { peer: budi }]);
  // The fourth failure, which does not pause the webhook yet, waits ten minutes.
  for (const seconds of [0, 6, 40, 150]) {
    hooks.pass(seconds);
    await worker.drain();
  }
  expect(hooks.target.posts).toHaveLength(4);
  hooks.target.answer(200);
  hooks.pass(1);
  await hooks.happen(ani, [{ peer: cici }]);
  await worker.drain();
  const [first, second] = hooks.arrived(hooks.target.posts.slice(4))[budi] ?? [];
  expect(first).toBeLessThan(second ?? 0);
  expect(await hooks.calls.read(ani)).toMatchObject({ pending: 0, failing_since: null });
});

test('a single refused event keeps its tries, and its early tries become rarer', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(({ event }) => (event.data.peer === PEERS[0] ? 422 : 200));
  await hooks.happen(ani, [{ peer: PEERS[0] }]);
  await worker.drain();
  // One success every five seconds for five minutes; its schedule has four tries in that time.
  for (let round = 0; round < 60; round++) {
    await hooks.happen(ani, [{ peer: PEERS[1] }]);
    hooks.pass(5);
    await worker.drain();
  }
  const tried = hooks.arrived()[PEERS[0]]?.length ?? 0;
  expect(tried).toBeGreaterThan(4);
  expect(tried).toBeLessThanOrEqual(12);
  const [row] = await hooks.db.allAccountsSql<{ tries: number }[]>`
    select tries from webhook_deliveries where state = 'waiting'`;
  expect(row?.tries).toBe(4);
});

test('a pause requested by the endpoint holds while it accepts other conversations', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  hooks.target.answer(({ event }, response) => {
    if (event.data.peer !== PEERS[0]) return 200;
    response.writeHead(429, { 'retry-after': '600' }).end();
    return undefined;
  });
  await hooks.happen(ani, [{ peer: PEERS[0] }]);
  await worker.drain();
  const takeAnother = async () => {
    hooks.pass(1);
    await hooks.happen(ani, [{ peer: PEERS[1] }]);
    await worker.drain();
  };
  hooks.pass(550);
  await takeAnother();
  expect(hooks.arrived()[PEERS[0]]).toHaveLength(1);
});
