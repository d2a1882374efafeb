import { expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openIntake, placeGroups, type AnswerContext, type SendRequest } from './accept.ts';
import { test } from '#tests/support/database/database.ts';
import { type Customer, customerWith, orderOf } from '#tests/support/people/people.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';

const nobody = () => undefined;

/**
 * Invalid orders that make every statement fail, each for another reason, as if the schema had let them through.
 */
const poisons: Record<string, (customer: Customer) => SendRequest> = {
  'a text that cannot be stored': (customer) => orderOf(customer, { text: 'a\u0000b' }),
  'half a surrogate pair': (customer) => orderOf(customer, { text: '\uD83D' }),
  'a peer that cannot be stored': (customer) => orderOf(customer, { peers: ['62\u0000'] }),
  'a negative price': (customer) => orderOf(customer, { prices: [-1] }),
  'an invalid token id': (customer) => orderOf({ ...customer, tokenId: 'x' }),
  'a key too long for its index': (customer) =>
    orderOf(customer, { key: Array.from({ length: 500 }, newId).join('') }),
  'a time out of range': (customer) => {
    const order = orderOf(customer);
    const items = order.items.map((item) => ({ ...item, readyAt: new Date(8.64e15) }));
    return { ...order, items };
  },
  'a body that is not JSON': (customer) => {
    const order = orderOf(customer);
    return { ...order, items: order.items.map((item) => ({ ...item, body: { n: 1n } })) };
  },
};

const outcomeOf = (done: PromiseSettledResult<{ results: readonly { outcome: string }[] }>) =>
  done.status === 'fulfilled' ? done.value.results[0]?.outcome : 'failed';

test('fails the poisoned of 320 concurrent requests, and accepts all others once', async ({
  sql,
}) => {
  const people = await Promise.all(
    Array.from({ length: 10 }, () => customerWith(sql, { saldo: 100_000 })),
  );
  const [ani] = people;
  if (!ani) throw new Error('nobody');
  const intake = openIntake(sql, nobody);
  const requests = Array.from({ length: 320 }, (_, index) => {
    const person = index % 2 === 0 ? ani : (people[index % people.length] ?? ani);
    const poison = index % 40 === 7 ? Object.values(poisons)[Math.floor(index / 40)] : undefined;
    if (poison) return { poisoned: true, order: poison(person) };
    const key = index % 3 === 0 ? `k${index}` : undefined;
    return { poisoned: false, order: orderOf(person, { ...(key !== undefined && { key }) }) };
  });
  const done = await Promise.allSettled(requests.map(({ order }) => intake.accept(order)));

  const wrong = requests.filter(
    ({ poisoned }, index) => outcomeOf(done[index] as never) !== (poisoned ? 'failed' : 'accepted'),
  );
  expect(wrong).toEqual([]);
  const good = requests.filter(({ poisoned }) => !poisoned).flatMap(({ order }) => order.items);
  expect(good).toHaveLength(312);
  const stored = await sql<{ id: string }[]>`
    select message_id as id from messages order by message_id`;
  expect(stored.map(({ id }) => id)).toEqual(good.map(({ id }) => id).toSorted());
  const [held] = await sql<{ held: number }[]>`select sum(held)::bigint as held from wallets`;
  expect(held).toEqual({ held: 312 * 150 });
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

for (const [what, poison] of Object.entries(poisons)) {
  test(`fails only the request with ${what}, in its wallet and among other wallets`, async ({
    sql,
  }) => {
    const people = await Promise.all(
      Array.from({ length: 5 }, () => customerWith(sql, { saldo: 10_000 })),
    );
    const [ani, budi] = people;
    if (!ani || !budi) throw new Error('nobody');
    const intake = openIntake(sql, nobody);
    // Every batch slot is in use, so that requests submitted now go together.
    const busy = people.slice(2).map((person) => intake.accept(orderOf(person)));
    const requests = [orderOf(ani), poison(ani), orderOf(ani, { key: 'after' }), orderOf(budi)];
    const done = await Promise.allSettled(requests.map((order) => intake.accept(order)));
    expect(done.map((one) => outcomeOf(one as never))).toEqual([
      'accepted',
      'failed',
      'accepted',
      'accepted',
    ]);
    await Promise.all(busy);
    expect(await sql`select count(*) from messages`).toEqual([{ count: 6 }]);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });
}

test('accepts nothing twice under poison and lost connections together', async ({ sql }) => {
  const people = await Promise.all(
    Array.from({ length: 4 }, () => customerWith(sql, { saldo: 100_000 })),
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
  const requests = Array.from({ length: 64 }, (_, index) => {
    const person = people[index % people.length];
    if (!person) throw new Error('nobody');
    if (index % 16 === 5) return orderOf(person, { text: '\u0000' });
    return orderOf(person, index % 2 === 0 ? { key: `k${index}` } : {});
  });
  const done = await Promise.allSettled(requests.map((order) => intake.accept(order)));
  expect(done.filter((one) => outcomeOf(one as never) === 'accepted')).toHaveLength(60);
  expect(await sql`select count(*) from messages`).toEqual([{ count: 60 }]);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('refuses every request as retryable after one try when the database is out of resources', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  let calls = 0;
  const full = new Proxy(sql, {
    apply(target, self, args: Parameters<typeof sql>) {
      if (!/accept_(batch|many)/.test(String(args[0]))) return Reflect.apply(target, self, args);
      calls += 1;
      return Promise.reject(Object.assign(new Error('disk full'), { code: '53100' }));
    },
  });
  const intake = openIntake(full, nobody);
  const first = intake.accept(orderOf(ani));
  const rest = Array.from({ length: 50 }, () => intake.accept(orderOf(ani)));
  const done = await Promise.allSettled([first, ...rest]);
  expect(done.every(({ status }) => status === 'rejected')).toBe(true);
  expect(calls).toBe(2);
});

/** The first accepting call is executed, and its answer is lost, after `meanwhile`. */
function losingFirst(
  sql: Sql,
  meanwhile: () => Promise<unknown> = async () => undefined,
  places = /accept_(batch|many)/,
): Sql {
  let lost = false;
  return new Proxy(sql, {
    apply(target, self, args: Parameters<typeof sql>) {
      const answer = Reflect.apply(target, self, args) as Promise<unknown>;
      if (lost || !places.test(String(args[0]))) return answer;
      lost = true;
      return answer.then(meanwhile).then(() => {
        throw Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
      });
    },
  });
}

const contextAt = (at: number): AnswerContext => ({
  at,
  price: rupiah(150),
  simulated: false,
  language: 'id',
  shape: 'one',
});

/** Answers to the orders of one wallet that are accepted in one call. */
const placeTogether = async (sql: Sql, requests: readonly SendRequest[]) =>
  (await placeGroups(sql, [requests]))[0];

test('treats a repeat as a repeat when the connection is lost beside a new request', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 10_000 });
  const early = openIntake(sql, nobody);
  const repeated = { ...orderOf(ani, { key: 'old' }), context: contextAt(1) };
  const first = await early.accept(repeated);

  const again = { ...orderOf(ani, { key: 'old' }), context: contextAt(2) };
  const fresh = { ...orderOf(ani, { key: 'new' }), context: contextAt(2) };
  const answers = await placeTogether(losingFirst(sql), [again, fresh]);
  expect(answers?.[0]).toEqual({ ...first, replayed: true, context: contextAt(1) });
  expect(answers?.[1]).toMatchObject({
    results: [{ id: fresh.items[0]?.id, outcome: 'accepted' }],
    replayed: false,
    context: contextAt(2),
  });
  expect(await sql`select count(*) from messages`).toEqual([{ count: 2 }]);
});

test('answers accepted requests and refuses the rest when a wallet is frozen while an answer is lost', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql, { saldo: 500 });
  const freeze = () => changeWallets(db.owner, {}, { status: 'frozen' });
  const requests = [
    orderOf(ani, { key: 'whole' }),
    orderOf(ani, { prices: [150, 300], key: 'part' }),
    orderOf(ani, { prices: [150, 300] }),
    orderOf(ani, { key: 'nothing', prices: [300] }),
  ];
  const answers = await placeTogether(losingFirst(sql, freeze, /accept_batch/), requests);
  const outcomes = answers?.map((one) =>
    one instanceof Error ? one : one.results.map(({ outcome }) => outcome),
  );
  expect(outcomes).toEqual([
    ['accepted'],
    ['accepted', 'saldo_short'],
    ['accepted', 'frozen'],
    new Refusal('wallet_frozen', {}),
  ]);
  expect(answers?.slice(0, 2)).toMatchObject([
    { saldo: 350, replayed: false },
    { saldo: 200, replayed: false },
  ]);
  expect(await sql`select available, held from wallets`).toEqual([{ available: 50, held: 450 }]);
});
