import fc from 'fast-check';
import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { openIntake, type Placed } from './accept.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import {
  type Customer,
  changeTokens,
  customerWith,
  makeToken,
  orderOf,
  reservePhone,
} from '#tests/support/people/people.ts';
import { optOut } from '#tests/support/people/stored-messages.ts';
import { giveSaldo } from '#tests/support/money/wallets.ts';

const nobody = () => undefined;

type Allowance = { quota: number; price: number | null; keepUsed?: boolean };

const allow = (sql: Sql, { accountId }: Customer, { quota, price, keepUsed = false }: Allowance) =>
  sql`select set_plan_allowance(${accountId}, ${quota}, ${price}, ${keepUsed})`;

const planOf = async (sql: Sql, { accountId }: Customer) => {
  const [wallet] = await sql<{ available: number; held: number; plan_used: number }[]>`
    select available, held, plan_used from wallets where account_id = ${accountId}`;
  return wallet;
};

const settle = (sql: Sql, ani: Customer, ids: readonly string[], outcome: string) =>
  sql`select * from settle_batch(
    ${ani.accountId}, ${ani.tokenId}, null, ${ids}::uuid[], ${ids.map(() => outcome)}::text[],
    ${ids.map(() => null)}::text[], ${ids.map(() => null)}::timestamptz[]
  )`;

const idsOf = (placed: Placed) => placed.results.map(({ id }) => id);
const pricesOf = (placed: Placed) => placed.results.map(({ price }) => price);

test('charges nothing within the quota, and the plan’s price beyond it', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await allow(sql, ani, { quota: 3, price: 75 });
  const intake = openIntake(sql, nobody);
  const placed = await intake.accept(orderOf(ani, { prices: [150, 150, 150, 150, 150] }));
  expect(pricesOf(placed)).toEqual([0, 0, 0, 75, 75]);
  expect(placed.saldo).toBe(850);
  expect(await planOf(sql, ani)).toEqual({ available: 850, held: 150, plan_used: 3 });
  expect(
    await sql`select price, plan_round, hold_seq is null as free from messages order by message_id`,
  ).toEqual([
    ...Array.from({ length: 3 }, () => ({ price: 0, plan_round: 1, free: true })),
    ...Array.from({ length: 2 }, () => ({ price: 75, plan_round: null, free: false })),
  ]);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('charges Cloud API messages by category, without using the quota', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 2000 });
  await allow(sql, ani, { quota: 2, price: 75 });
  await changeTokens(sql, ani, { channel: 'cloud' });
  const tokenId = await makeToken(sql, ani.accountId, { channel: 'web', phone: '628999' });
  const web = { accountId: ani.accountId, tokenId };
  const intake = openIntake(sql, nobody);
  const [dear, byWeb, again] = await Promise.all([
    intake.accept(orderOf(ani, { prices: [650, 400] })),
    intake.accept(orderOf(web, { prices: [150] })),
    intake.accept(orderOf(ani, { prices: [400] })),
  ]);
  expect([dear, byWeb, again].map(pricesOf)).toEqual([[650, 400], [0], [400]]);
  expect(await planOf(sql, ani)).toEqual({ available: 550, held: 1450, plan_used: 1 });
  // More than the saldo: checked one by one.
  const short = await intake.accept(orderOf(ani, { prices: [400, 650, 150] }));
  expect(short.results).toMatchObject([
    { outcome: 'accepted', price: 400 },
    { outcome: 'saldo_short', price: 650 },
    { outcome: 'accepted', price: 150 },
  ]);
  const rest = await intake.accept(orderOf(web, { prices: [150, 150] }));
  expect(rest.results).toMatchObject([
    { outcome: 'accepted', price: 0 },
    { outcome: 'saldo_short', price: 75 },
  ]);
  expect(await planOf(sql, ani)).toEqual({ available: 0, held: 2000, plan_used: 2 });
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('charges the list price without a plan, and with a paused one', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  const intake = openIntake(sql, nobody);
  expect(pricesOf(await intake.accept(orderOf(ani)))).toEqual([150]);
  await allow(sql, ani, { quota: 5, price: 75 });
  await allow(sql, ani, { quota: 5, price: null });
  expect(pricesOf(await intake.accept(orderOf(ani)))).toEqual([150]);
});

test('uses the quota to its end with an empty saldo, and then reports the price of the next message', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 0 });
  await allow(sql, ani, { quota: 2, price: 75 });
  const intake = openIntake(sql, nobody);
  const placed = await intake.accept(orderOf(ani, { prices: [150, 150, 150] }));
  expect(placed.results).toMatchObject([
    { outcome: 'accepted', price: 0 },
    { outcome: 'accepted', price: 0 },
    { outcome: 'saldo_short', price: 75, fact: 0 },
  ]);
  expect(await planOf(sql, ani)).toEqual({ available: 0, held: 0, plan_used: 2 });
});

test('returns the quota of an unsent message, in its own round only', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 0 });
  await allow(sql, ani, { quota: 2, price: 75 });
  const intake = openIntake(sql, nobody);
  const placed = await intake.accept(orderOf(ani, { prices: [150, 150] }));
  const [first = '', second = ''] = idsOf(placed);
  await settle(sql, ani, [first], 'failed');
  expect((await planOf(sql, ani))?.plan_used).toBe(1);
  expect(pricesOf(await intake.accept(orderOf(ani)))).toEqual([0]);

  await allow(sql, ani, { quota: 2, price: 75 });
  await settle(sql, ani, [second], 'failed');
  expect((await planOf(sql, ani))?.plan_used).toBe(0);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('counts a message again that arrived after its quota was returned', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 0 });
  await allow(sql, ani, { quota: 2, price: 75 });
  const [id = ''] = idsOf(await openIntake(sql, nobody).accept(orderOf(ani)));
  await settle(sql, ani, [id], 'expired');
  await settle(sql, ani, [id], 'delivered');
  expect((await planOf(sql, ani))?.plan_used).toBe(1);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('answers a repeated key with the prices of the first answer, also under another plan', async ({
  sql,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await allow(sql, ani, { quota: 1, price: 75 });
  const intake = openIntake(sql, nobody);
  const order = { prices: [150, 150], key: 'k-1' };
  const first = await intake.accept(orderOf(ani, order));
  await allow(sql, ani, { quota: 0, price: 10 });
  const again = await intake.accept(orderOf(ani, order));
  expect(pricesOf(first)).toEqual([0, 75]);
  expect(again).toEqual({ ...first, replayed: true });
});

test('uses no quota for a refused request before another one', async ({ sql }) => {
  const ani = await customerWith(sql, { saldo: 75 });
  await allow(sql, ani, { quota: 2, price: 75 });
  await optOut(sql, ani, '6281299990000');
  const intake = openIntake(sql, nobody);
  const [refused, taken] = await Promise.all([
    intake.accept(orderOf(ani, { peers: ['6281299990000', '6281299990000'], prices: [150, 150] })),
    intake.accept(orderOf(ani, { prices: [150, 150] })),
  ]);
  expect(refused.results.map(({ outcome }) => outcome)).toEqual(['opted_out', 'opted_out']);
  expect(pricesOf(taken)).toEqual([0, 0]);
  expect(await planOf(sql, ani)).toEqual({ available: 75, held: 0, plan_used: 2 });
});

test('spends the welcome bonus on the simulator and the own number only, until a first top-up', async ({
  sql,
  db,
}) => {
  const ani = await customerWith(sql, { saldo: 1000 });
  await sql`select set_bonus_only(${ani.accountId}, true)`;
  const intake = openIntake(sql, nobody);
  expect((await intake.accept(orderOf(ani))).results[0]?.outcome).toBe('accepted');

  await db.owner`alter table tokens drop constraint tokens_channel_check`;
  await changeTokens(sql, ani, { channel: 'cloud' });
  expect((await intake.accept(orderOf(ani))).results[0]?.outcome).toBe('bonus_only');
  const own = '6281322220000';
  await reservePhone(sql, { ...ani, phone: own });
  const toOwn = await intake.accept(orderOf(ani, { peers: [own] }));
  expect(toOwn.results[0]?.outcome).toBe('accepted');

  const topup = { kind: 'topup', contra: 'clearing' } as const;
  await sql.begin((tx) => giveSaldo(tx, ani.accountId, 10_000, topup));
  expect((await intake.accept(orderOf(ani))).results[0]?.outcome).toBe('accepted');
});

/** A model of accepting by a plan, item by item. */
function modelOf({ quota, price }: { quota: number; price: number }, saldo: number) {
  const state = { left: quota, available: saldo };
  const accept = (listPrice: number) => {
    const cost = listPrice === 0 || state.left > 0 ? 0 : price;
    if (cost > state.available) return { outcome: 'saldo_short', price: cost };
    if (listPrice > 0) state.left -= 1;
    state.available -= cost;
    return { outcome: 'accepted', price: cost };
  };
  return { state, accept };
}

test('charges requests of any size by the plan, concurrent or sequential', async ({ sql }) => {
  const request = fc.array(fc.constantFrom(150, 150, 0), { minLength: 1, maxLength: 4 });
  const sizes = fc.array(request, { minLength: 1, maxLength: 6 });
  const plan = fc.record({ quota: fc.nat(8), price: fc.constantFrom(0, 50, 75, 200) });
  await fc.assert(
    fc.asyncProperty(plan, fc.nat(900), sizes, fc.boolean(), async (given, saldo, all, atOnce) => {
      const ani = await customerWith(sql, { saldo });
      await allow(sql, ani, given);
      const intake = openIntake(sql, nobody);
      const { state, accept } = modelOf(given, saldo);
      const place = (prices: number[]) => intake.accept(orderOf(ani, { prices }));
      const answers: Placed[] = [];
      if (atOnce) answers.push(...(await Promise.all(all.map(place))));
      else for (const prices of all) answers.push(await place(prices));
      const accepted = answers.flatMap(({ results }) => results);
      const expected = all.flat().map(accept);
      if (!atOnce) expect(accepted).toMatchObject(expected);
      const paid = accepted.filter(({ outcome }) => outcome === 'accepted');
      const free = paid.filter(({ price }) => price === 0).length;
      const wallet = await planOf(sql, ani);
      expect(wallet?.available).toBe(
        saldo - paid.reduce((sum, { price }) => sum + (price ?? 0), 0),
      );
      expect(wallet?.plan_used).toBeLessThanOrEqual(given.quota);
      expect(free).toBeGreaterThanOrEqual(wallet?.plan_used ?? 0);
      if (!atOnce) expect(wallet?.plan_used).toBe(given.quota - Math.max(0, state.left));
    }),
    { numRuns: 40 },
  );
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});
