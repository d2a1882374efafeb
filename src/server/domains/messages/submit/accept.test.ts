import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { openIntake } from './accept.ts';
import { test } from '#tests/support/database/database.ts';
import { changeTokens, customerWith, makeToken, orderOf } from '#tests/support/people/people.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';
import { optOut } from '#tests/support/people/stored-messages.ts';

const nobody = () => undefined;

test('accepts a message, holds its price and queues it at once', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const intake = openIntake(sql, nobody);
  const placed = await intake.accept(orderOf(ani));

  expect(placed).toMatchObject({ results: [{ outcome: 'accepted' }], saldo: 850, replayed: false });
  expect(
    await sql`select available, held, seq from wallets where account_id = ${ani.accountId}`,
  ).toEqual([{ available: 850, held: 150, seq: 2 }]);
  expect(await sql`select status, price, charge_state, hold_seq from messages`).toEqual([
    { status: 'queued', price: 150, charge_state: 'held', hold_seq: 2 },
  ]);
  expect(await sql`select state, attempt from dispatch`).toEqual([{ state: 'ready', attempt: 0 }]);
  expect(await sql`select direction, status, messages, cost from message_counts`).toEqual([
    { direction: 'out', status: 'queued', messages: 1, cost: 150 },
  ]);
  expect(
    await sql`select kind, cardinality(message_ids) as n from outbox where kind like 'message%'`,
  ).toEqual([{ kind: 'message.accepted', n: 1 }]);
});

test('answers a repeat with the same key and body as the first time, and charges once', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const intake = openIntake(sql, nobody);
  const order = { prices: [150, 150], key: 'k-1' };
  const first = await intake.accept(orderOf(ani, order));
  const again = await intake.accept(orderOf(ani, order));

  expect(again).toEqual({ ...first, replayed: true });
  expect(await sql`select count(*) from messages`).toEqual([{ count: 2 }]);
});

test('refuses the same key with another body', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const intake = openIntake(sql, nobody);
  await intake.accept(orderOf(ani, { key: 'k-1' }));
  const other = intake.accept(orderOf(ani, { key: 'k-1', text: 'Lain' }));
  await expect(other).rejects.toEqual(new Refusal('idempotency_conflict', {}));
  expect(await sql`select count(*) from messages`).toEqual([{ count: 1 }]);
});

test('accepts one message for two concurrent requests with one key', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const [one, other] = [openIntake(sql, nobody), openIntake(sql, nobody)];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      (index % 2 === 0 ? one : other).accept(orderOf(ani, { key: 'k-1' })),
    ),
  );
  const ids = new Set(answers.map((answer) => answer.results[0]?.id));
  expect(ids.size).toBe(1);
  expect(await sql`select count(*) from messages`).toEqual([{ count: 1 }]);
});

test('accepts items in order, each when the remaining saldo allows it', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 500 });
  const placed = await openIntake(sql, nobody).accept(
    orderOf(ani, { prices: [300, 400, 150, 100], key: 'k' }),
  );
  expect(placed.results.map(({ outcome }) => outcome)).toEqual([
    'accepted',
    'saldo_short',
    'accepted',
    'saldo_short',
  ]);
  expect(placed.results[1]?.fact).toBe(200);
  expect(placed.saldo).toBe(50);
  expect(await sql`select available, held from wallets`).toEqual([{ available: 50, held: 450 }]);

  const again = await openIntake(sql, nobody).accept(
    orderOf(ani, { prices: [300, 400, 150, 100], key: 'k' }),
  );
  expect(again).toEqual({ ...placed, replayed: true });
});

test('does not store a request of which no message was accepted', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 100 });
  const intake = openIntake(sql, nobody);
  const short = await intake.accept(orderOf(ani, { key: 'k' }));
  expect(short.results[0]).toMatchObject({ outcome: 'saldo_short', fact: 100 });
  expect(await sql`select * from idempotency_keys`).toEqual([]);
  expect(await sql`select * from messages`).toEqual([]);
});

test('answers a repeated ref with the first message, and refuses another body under it', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const intake = openIntake(sql, nobody);
  const first = await intake.accept(orderOf(ani, { refs: ['r-1'] }));
  const again = await intake.accept(orderOf(ani, { prices: [150, 150], refs: ['r-1', 'r-2'] }));
  const other = await intake.accept(orderOf(ani, { refs: ['r-1'], text: 'Lain' }));

  expect(again.results[0]).toMatchObject({ outcome: 'duplicate', id: first.results[0]?.id });
  expect(again.results[1]).toMatchObject({ outcome: 'accepted' });
  expect(other.results[0]).toMatchObject({ outcome: 'ref_conflict' });
  expect(await sql`select available, held from wallets`).toEqual([{ available: 700, held: 300 }]);
});

test('counts the daily limit under the same lock', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000, dailyLimit: 3 });
  const intake = openIntake(sql, nobody);
  const placed = await Promise.all(Array.from({ length: 8 }, () => intake.accept(orderOf(ani))));
  const outcomes = placed.map(({ results }) => String(results[0]?.outcome));
  outcomes.sort((a, b) => a.localeCompare(b));
  expect(outcomes).toEqual([...Array(3).fill('accepted'), ...Array(5).fill('limit')]);
  expect(await sql`select accepted from lanes`).toEqual([{ accepted: 3 }]);
});

test('counts the daily limit of each of two tokens in one batch', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 10_000, dailyLimit: 3 });
  const second = { phone: '6281299990002', dailyLimit: 2 };
  const other = { ...ani, tokenId: await makeToken(sql, ani.accountId, second) };
  const intake = openIntake(sql, nobody);
  const prices = Array.from({ length: 2 }, () => 150);
  const placed = await Promise.all(
    [ani, other, ani, other, ani].map((who) => intake.accept(orderOf(who, { prices }))),
  );
  const outcomes = placed.map(({ results }) => results.map(({ outcome }) => outcome));
  expect(outcomes).toEqual([
    ['accepted', 'accepted'],
    ['accepted', 'accepted'],
    ['accepted', 'limit'],
    ['limit', 'limit'],
    ['limit', 'limit'],
  ]);
  expect(await sql`select accepted from lanes order by accepted`).toEqual([
    { accepted: 2 },
    { accepted: 3 },
  ]);
});

test('refuses a token that was never linked, and a recipient who opted out', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000, linked: false });
  const intake = openIntake(sql, nobody);
  expect((await intake.accept(orderOf(ani))).results[0]).toMatchObject({ outcome: 'not_linked' });

  await changeTokens(sql, {}, { status: 'linked' });
  await optOut(sql, ani, '6281200000009');
  const placed = await intake.accept(
    orderOf(ani, { prices: [150, 150], peers: ['6281200000009', '6281200000001'] }),
  );
  expect(placed.results.map(({ outcome }) => outcome)).toEqual(['opted_out', 'accepted']);
});

test('counts accepted messages in the saldo of an answer, but not ones refused just before', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await optOut(sql, ani, '6281200000009');
  const { accept } = openIntake(sql, nobody);
  // The first leaves at once, the others together after it.
  const [first, refused, last] = await Promise.all([
    accept(orderOf(ani)),
    accept(orderOf(ani, { prices: [500], peers: ['6281200000009'] })),
    accept(orderOf(ani, { key: 'k-1' })),
  ]);
  expect([first.saldo, refused.results[0]?.outcome, last.saldo]).toEqual([850, 'opted_out', 700]);
  expect(await sql`select saldo from idempotency_keys`).toEqual([{ saldo: 700 }]);
});

test('accepts exactly a hundred of two hundred concurrent messages with saldo for a hundred', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 15_000 });
  const intake = openIntake(sql, nobody);
  const placed = await Promise.all(Array.from({ length: 200 }, () => intake.accept(orderOf(ani))));
  const accepted = placed.filter(({ results }) => results[0]?.outcome === 'accepted');
  expect(accepted).toHaveLength(100);
  expect(await sql`select available, held from wallets`).toEqual([{ available: 0, held: 15_000 }]);
  expect(await sql`select count(*) from messages`).toEqual([{ count: 100 }]);
});

test('accepts nothing twice when a batch is sent again after a lost connection', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const order = orderOf(ani, { prices: [150, 150] });
  await openIntake(sql, nobody).accept(order);

  let lost = false;
  const losing = new Proxy(sql, {
    apply(target, self, args: Parameters<typeof sql>) {
      const answer = Reflect.apply(target, self, args);
      if (lost || !String(args[0]).includes('accept_batch')) return answer;
      lost = true;
      throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
    },
  });
  const answer = await openIntake(losing, nobody).accept(order);
  expect(answer.results.map(({ id }) => id)).toEqual(order.items.map(({ id }) => id));
  expect(answer.results.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted']);
  expect(await sql`select count(*) from messages`).toEqual([{ count: 2 }]);
});

test('accepts concurrent requests of many wallets together, each as if alone', async ({ sql }) => {
  const people = await Promise.all(
    [1000, 100, 1000, 1000, 1000].map((saldo) => customerWith(sql, { saldo })),
  );
  const [ani, budi, citra, dewi, eka] = people;
  if (!ani || !budi || !citra || !dewi || !eka) throw new Error('five people');
  const intake = openIntake(sql, nobody);
  await intake.accept(orderOf(citra, { key: 'k' }));
  await intake.accept(orderOf(dewi, { refs: ['r'] }));
  await optOut(sql, eka, '6281200000001');

  // The first leaves alone; the others queue meanwhile and go in one call.
  const [, ...answers] = await Promise.all([
    intake.accept(orderOf(ani, { peers: ['6281200000002'] })),
    intake.accept(orderOf(ani, { key: 'a', prices: [150, 75] })),
    intake.accept(orderOf(budi, { key: 'b' })),
    intake.accept(orderOf(citra, { key: 'k' })),
    intake.accept(orderOf(dewi, { refs: ['r'], key: 'd' })),
    intake.accept(orderOf(eka, { key: 'e' })),
  ]);
  expect(answers.map(({ results }) => results.map(({ outcome }) => outcome))).toEqual([
    ['accepted', 'accepted'],
    ['saldo_short'],
    ['accepted'],
    ['duplicate'],
    ['opted_out'],
  ]);
  expect(answers.map(({ replayed }) => replayed)).toEqual([false, false, true, false, false]);
  expect(answers[0]?.saldo).toBe(625);
  expect(await sql`select key from idempotency_keys order by key`).toEqual([
    { key: 'a' },
    { key: 'd' },
    { key: 'k' },
  ]);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('accepts one of two concurrent messages with the same ref, also among other wallets', async ({
  sql,
}) => {
  const [ani, budi, ...others] = await Promise.all(
    Array.from({ length: 5 }, () => customerWith(sql, { saldo: 10_000 })),
  );
  if (!ani || !budi) throw new Error('nobody');
  const intake = openIntake(sql, nobody);
  // Every batch slot is in use, so that the next batch has all requests submitted now.
  const busy = others.map((other) => intake.accept(orderOf(other)));
  const placed = await Promise.all([
    intake.accept(orderOf(ani, { refs: ['a'] })),
    intake.accept(orderOf(ani, { refs: ['a'] })),
    intake.accept(orderOf(ani, { prices: [150, 150], refs: ['b', 'b'] })),
    intake.accept(orderOf(budi, { refs: ['a'] })),
    ...busy,
  ]);

  const [first, second, twice] = placed.map(({ results }) => results);
  expect(second?.[0]?.id).toBe(first?.[0]?.id);
  expect(twice?.[1]?.id).toBe(twice?.[0]?.id);
  expect(
    await sql`select account_id, ref, count(*) as n from messages where ref is not null
      group by 1, 2 order by 1, 2`,
  ).toEqual([
    { account_id: ani.accountId, ref: 'a', n: 1 },
    { account_id: ani.accountId, ref: 'b', n: 1 },
    { account_id: budi.accountId, ref: 'a', n: 1 },
  ]);
  expect(await sql`select count(*) from message_refs`).toEqual([{ count: 3 }]);
});

test('refuses only the frozen wallet among many', async ({ sql, db }) => {
  const [ani, budi] = await Promise.all([1000, 1000].map((saldo) => customerWith(sql, { saldo })));
  if (!ani || !budi) throw new Error('two people');
  await changeWallets(db.owner, budi, { status: 'frozen' });
  const intake = openIntake(sql, nobody);
  const first = intake.accept(orderOf(ani));
  const frozen = intake.accept(orderOf(budi));
  const fine = intake.accept(orderOf(ani));
  await expect(frozen).rejects.toEqual(new Refusal('wallet_frozen', {}));
  expect((await first).results[0]?.outcome).toBe('accepted');
  expect((await fine).results[0]?.outcome).toBe('accepted');
});

test('stores every accepted message of many wallets once despite lost connections', async ({
  sql,
}) => {
  const people = await Promise.all(
    Array.from({ length: 8 }, () => customerWith(sql, { saldo: 10_000 })),
  );
  let calls = 0;
  // Every third call is executed, and its answer lost.
  const losing = new Proxy(sql, {
    apply(target, self, args: Parameters<typeof sql>) {
      const answer = Reflect.apply(target, self, args) as Promise<unknown>;
      if (!/accept_(batch|many)/.test(String(args[0]))) return answer;
      calls += 1;
      if (calls % 3 !== 0) return answer;
      return answer.then(() => {
        throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
      });
    },
  });
  const intake = openIntake(losing, nobody);
  const placed = await Promise.all(
    Array.from({ length: 64 }, (_, index) => {
      const person = people[index % people.length];
      if (!person) throw new Error('nobody');
      return intake.accept(orderOf(person, { key: `k${index}` }));
    }),
  );
  const ids = placed.map(({ results }) => results[0]?.id);
  expect(new Set(ids).size).toBe(64);
  expect(await sql`select count(*) from messages`).toEqual([{ count: 64 }]);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});
