import fc from 'fast-check';
import { expect } from 'vitest';
import { civilDate } from '#contract/base/time.ts';
import { rupiah } from '#contract/base/money.ts';
import { MessageType, StatusFilter } from '#contract/messages.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { openClaimMessages } from '#server/domains/messages/dispatch/lane.ts';
import { receiveInbound } from '#server/domains/messages/dispatch/inbound.ts';
import { type Outcome, openSettle } from '#server/domains/messages/dispatch/settle.ts';
import { withdrawMessages } from '#server/domains/messages/dispatch/withdraw.ts';
import { daysAfter } from '#server/domains/messages/history/pages.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from './support/database/database.ts';
import {
  type Ask,
  expectAccepted,
  expectCounts,
  expectHome,
  expectPages,
  expectStatement,
  foldAll,
  publishAll,
} from './support/figures.ts';
import { type Customer, customerWith, makeToken, orderOf } from './support/people/people.ts';
import { idOf } from './support/people/stored-messages.ts';
import { nextEpoch } from '#tests/support/app/lanes.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MONTH_AGE = Number(civilDate(new Date()).slice(8)) - 1;
/** Days at the edges of the periods: Beranda has thirty days, the history whole months. */
const DAYS_AGO = [0, 1, 29, 30, MONTH_AGE, MONTH_AGE + 1, 62] as const;
const PRICES = [0, 75, 150, 700] as const;
const TYPES = ['text', 'image', 'document'] as const;
const OUTCOMES = ['sent', 'delivered', 'read', 'failed', 'cancelled', 'expired'] as const;

class World {
  readonly db: TestDatabase;
  readonly sql: Sql;
  readonly customers: readonly Customer[];
  readonly tokens: readonly { customer: Customer; tokenId: string }[];
  readonly ids: { accountId: string; id: string }[] = [];
  readonly accepted = new Map<string, number>();
  readonly intake;
  readonly settle;
  readonly claimMessages;
  inbound = 0;

  constructor(db: TestDatabase, tokens: World['tokens']) {
    this.db = db;
    this.sql = db.allAccountsSql;
    this.tokens = tokens;
    this.customers = [...new Set(tokens.map(({ customer }) => customer))];
    this.intake = openIntake(this.sql, () => undefined);
    this.settle = openSettle({ sql: this.sql });
    this.claimMessages = openClaimMessages({ sql: this.sql });
  }

  token(at: number) {
    const token = this.tokens[at % this.tokens.length];
    if (!token) throw new Error('no tokens');
    return token;
  }
}

async function openWorld(db: TestDatabase): Promise<World> {
  const sql = db.allAccountsSql;
  const tokens: { customer: Customer; tokenId: string }[] = [];
  for (const saldo of [2000, 600]) {
    const customer = await customerWith(sql, { saldo, dailyLimit: 25 });
    const second = await makeToken(sql, customer.accountId, { phone: `${customer.phone}9` });
    tokens.push({ customer, tokenId: customer.tokenId }, { customer, tokenId: second });
  }
  return new World(db, tokens);
}

type Step = { name: string; run: (world: World) => Promise<unknown> };

type Order = {
  token: number;
  items: readonly {
    price: number;
    type: (typeof TYPES)[number];
    daysAgo: number;
    hour: number;
    isLater: boolean;
  }[];
};

const accepting = (orders: readonly Order[]): Step => ({
  name: 'accept',
  run: async (world) => {
    const { intake, ids, accepted } = world;
    const placing = orders.map(async ({ token, items }) => {
      const { customer, tokenId } = world.token(token);
      const { accountId } = customer;
      const order = orderOf({ accountId, tokenId }, { prices: items.map(({ price }) => price) });
      const placed = await intake.accept({
        ...order,
        items: order.items.map((item, index) => {
          const { type = 'text', daysAgo = 0, hour = 0, isLater } = items[index] ?? {};
          const at = new Date(Date.now() - daysAgo * DAY_MS - hour * HOUR_MS);
          return {
            ...item,
            // Occasionally two conversations, so that messages wait for each other.
            peer: `62812000000${index % 3}`,
            id: idOf(at),
            type,
            price: rupiah(item.price),
            ...(isLater && { readyAt: new Date(Date.now() + DAY_MS) }),
          };
        }),
      });
      for (const { id, outcome } of placed.results) {
        if (outcome !== 'accepted') continue;
        ids.push({ accountId, id });
        accepted.set(tokenId, (accepted.get(tokenId) ?? 0) + 1);
      }
    });
    await Promise.all(placing);
  },
});

type Report = { at: number; outcome: (typeof OUTCOMES)[number]; isSilent: boolean };

const outcomeOf = (
  { accountId, id }: World['ids'][number],
  { outcome, isSilent }: Omit<Report, 'at'>,
): Outcome => ({
  accountId,
  lane: undefined,
  id,
  outcome,
  failure: outcome === 'failed' ? (isSilent ? 'no_answer' : 'rejected') : null,
  at: new Date(),
});

/** Reports outcomes in any order in one call, also repeated, late and contradictory ones. */
const reporting = (told: readonly Report[]): Step => ({
  name: 'tell',
  run: async ({ ids, settle }) => {
    const outcomes = told.flatMap(({ at, ...what }) => {
      const message = ids[at % Math.max(1, ids.length)];
      return message ? [outcomeOf(message, what)] : [];
    });
    const half = Math.ceil(outcomes.length / 2);
    const parts = [outcomes.slice(0, half), outcomes.slice(half)].filter(({ length }) => length);
    await Promise.all(parts.map((part) => settle(part)));
  },
});

/** A worker claims a lane, sends some messages, and reports, perhaps after it lost the lane. */
const sending = (token: number, isLost: boolean): Step => ({
  name: isLost ? 'send and lose' : 'send',
  run: async (world) => {
    const { sql, claimMessages, settle } = world;
    const { customer, tokenId } = world.token(token);
    const { accountId } = customer;
    const [stored] = await sql<{ phone: string }[]>`
      select phone from tokens where token_id = ${tokenId}`;
    const claim = { accountId, tokenId, epoch: await nextEpoch(sql, { tokenId }) };
    await sql`select recover_lane(${accountId}, ${tokenId}, ${claim.epoch}, true, 0)`;
    const from = stored?.phone ?? '';
    const { due } = await claimMessages({ claim, from, limit: 4, isUrgent: false });
    if (due.length === 0) return;
    if (isLost) await nextEpoch(sql, { tokenId });
    const outcomes = due.map(({ o_id: id }, index) => ({
      ...outcomeOf(
        { accountId, id },
        { outcome: index % 3 === 2 ? 'failed' : 'sent', isSilent: false },
      ),
      lane: claim,
    }));
    expect((await settle(outcomes)).isLost).toBe(isLost);
  },
});

const withdrawing = (picks: readonly number[], outcome: 'cancelled' | 'expired'): Step => ({
  name: outcome,
  run: async ({ sql, ids }) => {
    for (const pick of picks) {
      const { accountId = '', id } = ids[pick % Math.max(1, ids.length)] ?? {};
      if (id !== undefined) await withdrawMessages(sql, { accountId, ids: [id], outcome });
    }
  },
});

const receiving = (token: number, type: (typeof TYPES)[number]): Step => ({
  name: 'receive',
  run: async (world) => {
    const { customer, tokenId } = world.token(token);
    world.inbound += 1;
    const inbound = {
      accountId: customer.accountId,
      tokenId,
      from: '6281200000001',
      name: 'Budi',
      type,
      body: { text: 'Terima kasih' },
      at: new Date(),
      providerId: `in-${world.inbound}`,
    };
    await receiveInbound(world.sql, inbound);
    await receiveInbound(world.sql, inbound);
  },
});

const publishing: Step = { name: 'publish', run: ({ sql }) => publishAll(sql) };
const folding: Step = { name: 'fold', run: ({ sql }) => foldAll(sql) };

const aToken = fc.nat(3);
const anOrder = fc.record({
  token: aToken,
  items: fc.array(
    fc.record({
      price: fc.constantFrom(...PRICES),
      type: fc.constantFrom(...TYPES),
      daysAgo: fc.constantFrom(0, 0, ...DAYS_AGO),
      hour: fc.nat(3),
      isLater: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});
const someReports = fc.array(
  fc.record({ at: fc.nat(60), outcome: fc.constantFrom(...OUTCOMES), isSilent: fc.boolean() }),
  { minLength: 1, maxLength: 8 },
);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.array(anOrder, { minLength: 1, maxLength: 4 }).map(accepting) },
  { weight: 5, arbitrary: someReports.map(reporting) },
  { weight: 3, arbitrary: fc.tuple(aToken, fc.boolean()).map((args) => sending(...args)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }),
        fc.constantFrom('cancelled' as const, 'expired' as const),
      )
      .map((args) => withdrawing(...args)),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(aToken, fc.constantFrom(...TYPES)).map((args) => receiving(...args)),
  },
  { weight: 1, arbitrary: fc.constant(publishing) },
  { weight: 1, arbitrary: fc.constant(folding) },
);

const maybe = <T>(values: readonly T[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 1 });
/** A page's request for one of tokens 0 to 3, some days ago; the call decides the account. */
const anAsk = fc.record({
  status: fc.option(fc.subarray(StatusFilter().options, { minLength: 1, maxLength: 3 }), {
    nil: undefined,
    freq: 1,
  }),
  direction: maybe(['in', 'out'] as const),
  token: maybe([0, 1, 2, 3]),
  type: maybe(MessageType().options.filter((type) => ['text', 'image', 'document'].includes(type))),
  fromDaysAgo: maybe(DAYS_AGO),
  toDaysAgo: maybe(DAYS_AGO),
  sort_type: fc.constantFrom('asc' as const, 'desc' as const),
});

async function expectFigures(world: World, asks: readonly Ask[]): Promise<void> {
  const { db, customers, tokens, accepted } = world;
  for (const customer of customers) {
    const { accountId } = customer;
    await expectCounts({ db, accountId });
    await expectHome({ db, accountId });
    await expectPages({ db, accountId }, asks);
    await expectStatement({ db }, customer);
  }
  for (const { customer, tokenId } of tokens) {
    const whose = { db, accountId: customer.accountId };
    await expectAccepted(whose, tokenId, accepted.get(tokenId) ?? 0);
  }
}

/** If WIB midnight falls into a run, it counts days that the test does not know. */
const isCutByMidnight = (day: string) => day !== civilDate(new Date());

test('shows every figure as a count over the rows: at once, published, and folded', async ({
  db,
}) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 4, maxLength: 22 }),
      fc.array(anAsk, { minLength: 6, maxLength: 6 }),
      async (steps, some) => {
        const world = await openWorld(db);
        const day = civilDate(new Date());
        const asks = some.map(({ token, fromDaysAgo, toDaysAgo, ...rest }): Ask => ({
          ...rest,
          ...(token !== undefined && { token_id: world.token(token).tokenId }),
          ...(fromDaysAgo !== undefined && { from: daysAfter(day, -fromDaysAgo) }),
          ...(toDaysAgo !== undefined && { to: daysAfter(day, -toDaysAgo) }),
        }));
        for (const { run } of steps) await run(world);
        for (const settled of [undefined, publishAll, foldAll, foldAll]) {
          await settled?.(world.sql);
          if (isCutByMidnight(day)) return;
          await expectFigures(world, [{}, { to: day }, { from: daysAfter(day, -30) }, ...asks]);
        }
        expect(await world.sql`select * from pending_counts`).toEqual([]);
        for (const { accountId } of world.customers) {
          const [unread] = await world.sql<{ n: number }[]>`
            select coalesce(sum(unread), 0)::int as n from conversations
            where account_id = ${accountId}`;
          const [received] = await world.sql<{ n: number }[]>`
            select count(*)::int as n from messages
            where account_id = ${accountId} and direction = 'in'`;
          expect(unread).toEqual(received);
        }
        expect((await checkLedger(world.sql)).filter(({ ok }) => !ok)).toEqual([]);
      },
    ),
    { numRuns: 12 },
  );
});
