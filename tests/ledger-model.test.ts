import fc from 'fast-check';
import { expect } from 'vitest';
import { rupiah } from '#contract/money.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { postEntry } from '#server/domains/ledger/ledger.ts';
import { type Placed, openAccepter } from '#server/domains/messages/accept.ts';
import type { Sql } from '#server/platform/database.ts';
import { test } from '#tests/database.ts';
import { type Customer, customerWith, orderOf } from '#tests/people.ts';

/** What the wallet and the messages should be, kept in plain JavaScript. */
type Model = {
  available: number;
  held: number;
  /** Per message: its price, and whether it still weighs on the held part. */
  messages: Map<string, { price: number; state: 'held' | 'captured' | 'released' }>;
  /** Per idempotency key: what was asked and answered. */
  keys: Map<string, { asked: string; answer: Placed }>;
  posted: Map<string, number>;
};

type Real = { sql: Sql; ani: Customer; accepter: ReturnType<typeof openAccepter> };
type Command = fc.AsyncCommand<Model, Real>;

const command = (name: string, run: (model: Model, real: Real) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

const accepting = (key: string | undefined, prices: readonly number[]) =>
  command(`accept(${key ?? '-'}, [${prices.join(' ')}])`, async (model, { ani, accepter }) => {
    const asked = JSON.stringify(prices);
    const order = orderOf(ani, { prices, ...(key !== undefined && { key }) });
    const before = key === undefined ? undefined : model.keys.get(key);
    if (before && before.asked !== asked) {
      await expect(accepter.place(order)).rejects.toMatchObject({ code: 'idempotency_conflict' });
      return;
    }
    const placed = await accepter.place(order);
    if (before) {
      expect(placed).toEqual({ ...before.answer, replayed: true });
      return;
    }
    let accepted = 0;
    for (const [index, price] of prices.entries()) {
      const result = placed.results[index];
      const fits = price <= model.available;
      expect(result?.outcome).toBe(fits ? 'accepted' : 'saldo_short');
      if (!fits || !result) continue;
      accepted += 1;
      model.available -= price;
      model.held += price;
      model.messages.set(result.id, { price, state: 'held' });
    }
    expect(placed.saldo).toBe(model.available);
    if (key !== undefined && accepted > 0) model.keys.set(key, { asked, answer: placed });
  });

/** Tells outcomes of messages picked by chance: also twice, late, and against each other. */
const settling = (
  picks: readonly { at: number; outcome: 'sent' | 'failed' | 'delivered' | 'expired' }[],
) =>
  command(`settle(${JSON.stringify(picks)})`, async (model, { sql, ani }) => {
    const ids = [...model.messages.keys()];
    if (ids.length === 0) return;
    const told = picks.map(({ at, outcome }) => ({ id: ids[at % ids.length] ?? '', outcome }));
    await sql`select count(*) from settle_batch(
      ${ani.accountId}, null, null,
      ${told.map(({ id }) => id)}::uuid[], ${told.map(({ outcome }) => outcome)}::text[],
      ${told.map(() => null)}::text[], ${told.map(() => null)}::timestamptz[],
      ${told.map(() => 'f')}::text[]::boolean[])`;
    for (const [id, outcomes] of Map.groupBy(told, (one) => one.id)) {
      const message = model.messages.get(id);
      if (message?.state !== 'held') continue;
      const words = outcomes.map(({ outcome }) => outcome);
      const good = words.includes('delivered') || (words.includes('sent') && !words.some(isBad));
      message.state = good ? 'captured' : 'released';
      model.held -= message.price;
      if (!good) model.available += message.price;
    }
  });

const isBad = (outcome: string) => outcome === 'failed' || outcome === 'expired';

/** A top-up, bonus or charge under an idempotency key that may be used again. */
const posting = (key: string, delta: number) =>
  command(`post(${key}, ${delta})`, async (model, { sql, ani }) => {
    const post = sql.begin((tx) =>
      postEntry(tx, {
        accountId: ani.accountId,
        kind: delta > 0 ? 'bonus' : 'plan',
        delta: rupiah(delta),
        contra: delta > 0 ? 'exp:bonus' : 'rev:plan',
        refType: 'test',
        refId: key,
        idemKey: key,
        actor: 'test',
      }),
    );
    const before = model.posted.get(key);
    if (before !== undefined && before !== delta) {
      await expect(post).rejects.toMatchObject({ code: 'WA002' });
    } else if (before === undefined && model.available + delta < 0) {
      await expect(post).rejects.toMatchObject({ constraint_name: 'saldo_not_negative' });
    } else {
      expect((await post).applied).toBe(before === undefined);
      if (before === undefined) model.available += delta;
      model.posted.set(key, delta);
    }
  });

const key = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined });
const commands = fc.commands(
  [
    fc
      .tuple(key, fc.array(fc.constantFrom(0, 75, 150, 400, 5000), { minLength: 1, maxLength: 6 }))
      .map(([k, prices]) => accepting(k, prices)),
    fc
      .array(
        fc.record({
          at: fc.nat(40),
          outcome: fc.constantFrom(
            'sent' as const,
            'failed' as const,
            'delivered' as const,
            'expired' as const,
          ),
        }),
        { minLength: 1, maxLength: 8 },
      )
      .map(settling),
    fc
      .tuple(fc.constantFrom('x', 'y', 'z'), fc.constantFrom(1000, 300, -200, -9000))
      .map(([k, delta]) => posting(k, delta)),
  ],
  { maxCommands: 40 },
);

test('whatever is accepted, settled and posted, the wallet is what a plain model says', async ({
  sql,
}) => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const ani = await customerWith(sql, { saldo: 2000, dailyLimit: 100_000 });
      const model: Model = {
        available: 2000,
        held: 0,
        messages: new Map(),
        keys: new Map(),
        posted: new Map(),
      };
      const accepter = openAccepter(sql, () => undefined);
      await fc.asyncModelRun(() => ({ model, real: { sql, ani, accepter } }), steps);

      const [wallet] = await sql`
        select available, held from wallets where account_id = ${ani.accountId}`;
      expect(wallet).toEqual({ available: model.available, held: model.held });
      const states = await sql<{ message_id: string; charge_state: string }[]>`
        select message_id, charge_state from messages where account_id = ${ani.accountId}`;
      expect(new Map(states.map((row) => [row.message_id, row.charge_state]))).toEqual(
        new Map([...model.messages].map(([id, { state }]) => [id, state])),
      );
    }),
    { numRuns: 40 },
  );
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('rollups agree with the messages they count, whatever happened to them', async ({ sql }) => {
  await fc.assert(
    fc.asyncProperty(commands, async (steps) => {
      const ani = await customerWith(sql, { saldo: 2000, dailyLimit: 100_000 });
      const model: Model = {
        available: 2000,
        held: 0,
        messages: new Map(),
        keys: new Map(),
        posted: new Map(),
      };
      const accepter = openAccepter(sql, () => undefined);
      await fc.asyncModelRun(() => ({ model, real: { sql, ani, accepter } }), steps);
      const counted = await sql`
        select status, sum(messages)::int as n from rollups where account_id = ${ani.accountId}
        group by status having sum(messages) <> 0 order by status`;
      const standing = await sql`
        select status, count(*)::int as n from messages where account_id = ${ani.accountId}
        group by status order by status`;
      expect(counted).toEqual(standing);
      const sums = await sql`
        select distinct status, sum(messages)::int as n from rollup_sums
        where account_id = ${ani.accountId}
        group by grain, status having sum(messages) <> 0 order by status`;
      expect(sums).toEqual(standing);
    }),
    { numRuns: 15 },
  );
});

test('many writers at once: money is conserved and every accepted message exists once', async ({
  sql,
}) => {
  const people = await Promise.all(
    [1, 2, 3].map(() => customerWith(sql, { saldo: 20_000, dailyLimit: 100_000 })),
  );
  const accepters = [openAccepter(sql, () => undefined), openAccepter(sql, () => undefined)];
  const accepted: string[] = [];
  const work = Array.from({ length: 120 }, async (_, index) => {
    const ani = people[index % people.length];
    if (!ani) return;
    const prices = [150, 75, 300].slice(0, 1 + (index % 3));
    const placed = await accepters[index % 2]?.place(
      orderOf(ani, { prices, key: `k${index % 50}` }),
    );
    const ids =
      placed?.results.flatMap(({ id, outcome }) => (outcome === 'accepted' ? [id] : [])) ?? [];
    accepted.push(...ids);
    await sql`select count(*) from settle_batch(
      ${ani.accountId}, null, null, ${ids}::uuid[],
      ${ids.map((_id, at) => ((index + at) % 3 === 0 ? 'failed' : 'sent'))}::text[],
      ${ids.map(() => null)}::text[], ${ids.map(() => null)}::timestamptz[],
      ${ids.map(() => 'f')}::text[]::boolean[])`;
  });
  await Promise.allSettled(work);

  const standing = await sql<{ message_id: string }[]>`select message_id from messages`;
  expect(new Set(standing.map((row) => row.message_id))).toEqual(new Set(accepted));
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});
