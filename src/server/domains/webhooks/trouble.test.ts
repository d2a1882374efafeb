import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { formats } from './formats.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { test } from '#tests/support/webhooks/webhook-app.ts';

const BUDI = '6281200000001';
const CICI = '6281200000002';

test('a secret that cannot be opened is a failed try by Kabari’s fault, and delays no other webhook', async ({
  hooks,
}) => {
  const [ani, dewi] = [await hooks.customerWithWebhook(), await hooks.customerWithWebhook()];
  const worker = hooks.startWorker();
  const { allAccountsSql: sql } = hooks.db;
  const [kept] = await sql<{ secret: Buffer }[]>`
    select secret from webhooks where account_id = ${ani.accountId}`;
  await sql`update webhooks set secret = '\\x00' where account_id = ${ani.accountId}`;
  for (let n = 0; n < 6; n++) await hooks.happen(ani, [{ peer: `62812000000${n}` }]);
  await hooks.happen(dewi, [{ peer: CICI }]);
  await worker.drain();
  expect(hooks.troubles.splice(0)).toHaveLength(6);
  expect(hooks.arrived()).toEqual({ [CICI]: [2] });
  const { rows } = await hooks.calls.list(ani, { limit: 10 });
  expect(rows).toHaveLength(6);
  for (const row of rows) {
    expect(row).toMatchObject({
      state: 'waiting',
      tries: 1,
      last_status: null,
      last_error: 'ours',
    });
    expect(row.next_at).not.toBeNull();
  }
  // It is no failure of the endpoint, which is neither paused nor switched off.
  expect(await hooks.calls.read(ani)).toMatchObject({ state: 'on', failing_since: null });

  await sql`update webhooks set secret = ${kept?.secret ?? null} where account_id = ${ani.accountId}`;
  hooks.pass(60);
  await worker.drain();
  expect(hooks.target.posts).toHaveLength(7);
});

test('a format that throws is a failed try as well', async ({ hooks }) => {
  const ani = await hooks.customerWithWebhook();
  const worker = hooks.startWorker();
  const { build } = formats.kabari;
  formats.kabari.build = () => {
    throw new Error('a bug');
  };
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  formats.kabari.build = build;
  expect(hooks.troubles.splice(0)).toEqual([new Error('a bug')]);
  hooks.pass(60);
  await worker.drain();
  const { rows } = await hooks.calls.list(ani, { limit: 10 });
  expect(rows).toMatchObject([{ state: 'delivered', tries: 2 }]);
});

test('an event of another shape is never skipped: it waits, and the feed stops before it', async ({
  hooks,
}) => {
  const ani = await hooks.customerWithWebhook();
  const { allAccountsSql: sql } = hooks.db;
  await hooks.happen(ani, [{ peer: BUDI }, { peer: CICI }]);
  await sql`
    update events set data = data || '{"source": "elsewhere"}'
    where account_id = ${ani.accountId} and position = 3`;
  const worker = hooks.startWorker();
  await worker.drain();
  const { rows } = await hooks.calls.list(ani, { limit: 10 });
  expect(rows).toMatchObject([
    { seq: 3, state: 'waiting', last_error: 'ours' },
    { seq: 2, state: 'delivered' },
  ]);
  const feed = await hooks.calls.readFeed(ani, { after: 0, limit: 10 });
  expect(feed).toMatchObject({ events: [{ data: { seq: 2 } }], next: 2, hasMore: true });
  await expect(hooks.calls.readFeed(ani, { after: 2, limit: 10 })).rejects.toThrow(
    'the event optout.added cannot be read',
  );
  expect(hooks.troubles.splice(0).length).toBeGreaterThan(0);

  await sql`
    update events set data = data || '{"source": "reply"}'
    where account_id = ${ani.accountId} and position = 3`;
  hooks.pass(60);
  await worker.drain();
  expect(hooks.arrived()).toEqual({ [BUDI]: [2], [CICI]: [3] });
  expect(await hooks.calls.readFeed(ani, { after: 2, limit: 10 })).toMatchObject({
    events: [{ data: { seq: 3 } }],
    next: 3,
  });
});

test('the message about a switched-off webhook is retried until it is sent or refused', async ({
  hooks,
}) => {
  const [ani, dewi] = [await hooks.customerWithWebhook(), await hooks.customerWithWebhook()];
  const worker = hooks.startWorker();
  const { sendSystemText } = hooks.deps;
  const asked: string[] = [];
  hooks.deps.sendSystemText = async (phone) => {
    asked.push(phone);
    throw new Error('the channel is away');
  };
  hooks.target.answer(410);
  await hooks.happen(ani, [{ peer: BUDI }]);
  await worker.drain();
  await worker.drain();
  expect(asked).toHaveLength(1);
  await worker.drain();
  expect(asked).toHaveLength(2);
  hooks.deps.sendSystemText = sendSystemText;
  await worker.drain();
  await worker.drain();
  expect(hooks.texts).toHaveLength(1);
  expect(hooks.troubles.splice(0)).toHaveLength(2);

  hooks.deps.sendSystemText = async (phone) => {
    asked.push(phone);
    throw new Refusal('recipient_opted_out', {});
  };
  await hooks.happen(dewi, [{ peer: BUDI }]);
  await worker.drain();
  await worker.drain();
  await worker.drain();
  expect(asked).toHaveLength(3);
  expect(hooks.troubles.splice(0)).toHaveLength(1);
});

test('a locked webhook does not delay the events of others, and gets its own soon after', async ({
  hooks,
}) => {
  const [ani, dewi] = [await hooks.customerWithWebhook(), await hooks.customerWithWebhook()];
  const worker = hooks.startWorker();
  await worker.drain();
  const other = openDatabase(hooks.db.url, { max: 1, as: 'owner', name: 'other' });
  const unlock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = other.begin(async (tx) => {
    await tx`select from webhooks where account_id = ${ani.accountId} for update`;
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  await hooks.happen(ani, [{ peer: BUDI }]);
  await hooks.happen(dewi, [{ peer: CICI }]);
  worker.add([ani.accountId, dewi.accountId]);
  await waitFor(() => expect(hooks.arrived()).toEqual({ [CICI]: [2] }));
  unlock.resolve();
  await holding;
  await waitFor(() => expect(hooks.arrived()).toEqual({ [CICI]: [2], [BUDI]: [2] }));
  await other.end();
});
