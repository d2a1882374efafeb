import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup, TopupStatus } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import {
  type TopupApp,
  clockAt,
  idOf,
  perform,
  saldoOf,
  topupApp,
} from '#tests/support/money/topups.ts';
import { paymentsActs, expireTopups } from '#server/domains/payments/payments.ts';
import { type PaidOutcome, applyPaid } from './pay.ts';

async function someTopup(app: TopupApp, db: TestDatabase) {
  const owner = await customerWith(db.allAccountsSql);
  const operator = { accountId: randomUUID(), userId: randomUUID(), role: 'operator' } as const;
  const topup = await app.topup(owner.accountId);
  const topupId = idOf(topup);
  const fields = { topup_id: topup.id };
  const notice = (txnId: string, amount: number): Promise<PaidOutcome> =>
    db.allAccountsSql.begin((tx) =>
      applyPaid(tx, {
        accountId: owner.accountId,
        topupId,
        txnId,
        amount: rupiah(amount),
        at: app.clock.now(),
        actor: 'test',
      }),
    );
  const operatorDoes = (name: string, more: object = {}) =>
    perform(operatorActs(app.deps), name, operator, {
      ...fields,
      ...more,
      reason: 'Sudah dicek',
    });
  const happenings = {
    paid: () => notice(`exact-${topup.id}`, topup.total),
    second: () => notice(`second-${topup.id}`, topup.total),
    wrong: () => notice(`wrong-${topup.id}`, topup.total + 5_000),
    cancel: () => perform(paymentsActs(app.deps), 'topup_cancel', owner, fields),
    expire: async () => {
      app.clock.pass(24);
      return expireTopups(app.deps);
    },
    reject: () => operatorDoes('operator_topup_reject'),
    confirm: () => operatorDoes('operator_topup_confirm', { reference: `Slip ${topup.id}` }),
  };
  const statusNow = async (): Promise<TopupStatus | undefined> => {
    const [row] = await db.allAccountsSql<{ status: TopupStatus }[]>`
      select status from topups where topup_id = ${topupId}`;
    return row?.status;
  };
  return { owner, topup, happenings, statusNow };
}

/** A bank transfer is pending from the start. */
type BankStatus = Exclude<TopupStatus, 'creating'>;

type Happening = keyof Awaited<ReturnType<typeof someTopup>>['happenings'];

const ways: Record<BankStatus, readonly Happening[]> = {
  pending: [],
  paid: ['paid'],
  expired: ['expire'],
  cancelled: ['cancel'],
  review: ['wrong'],
  rejected: ['reject'],
};

/** Every cell: the next state, and the answer (a refusal's code, or a notice's outcome). */
type Cell = [to: BankStatus, answer?: string];
const cells: Record<BankStatus, Record<Exclude<Happening, 'second'>, Cell>> = {
  pending: {
    paid: ['paid', 'applied'],
    wrong: ['review', 'amount_mismatch'],
    cancel: ['cancelled'],
    expire: ['expired'],
    reject: ['rejected'],
    confirm: ['paid'],
  },
  paid: {
    paid: ['paid', 'duplicate'],
    wrong: ['paid', 'second_payment'],
    cancel: ['paid', 'topup_already_paid'],
    expire: ['paid'],
    reject: ['paid', 'topup_already_paid'],
    confirm: ['paid', 'topup_already_paid'],
  },
  expired: {
    paid: ['paid', 'applied'],
    wrong: ['review', 'amount_mismatch'],
    cancel: ['expired', 'topup_closed'],
    expire: ['expired'],
    reject: ['expired', 'topup_closed'],
    confirm: ['paid'],
  },
  cancelled: {
    paid: ['paid', 'applied'],
    wrong: ['review', 'amount_mismatch'],
    cancel: ['cancelled', 'topup_closed'],
    expire: ['cancelled'],
    reject: ['cancelled', 'topup_closed'],
    confirm: ['paid'],
  },
  review: {
    paid: ['paid', 'applied'],
    wrong: ['review', 'amount_mismatch'],
    cancel: ['review', 'topup_closed'],
    expire: ['review'],
    reject: ['rejected'],
    confirm: ['paid'],
  },
  rejected: {
    paid: ['rejected', 'closed'],
    wrong: ['rejected', 'closed'],
    cancel: ['rejected', 'topup_closed'],
    expire: ['rejected'],
    reject: ['rejected', 'topup_closed'],
    confirm: ['rejected', 'topup_closed'],
  },
};

const reds = async (sql: Sql) => (await checkLedger(sql)).filter(({ ok }) => !ok);

describe('every cell of the state table', () => {
  for (const [from, row] of Object.entries(cells)) {
    test(`events of a top-up that is ${from}`, async ({ sql, db }) => {
      const app = await topupApp(db);
      for (const [happening, [to, answer]] of Object.entries(row)) {
        const one = await someTopup(app, db);
        for (const step of ways[from as BankStatus]) await one.happenings[step]();
        const before = await saldoOf(sql, one.owner.accountId);
        const said = await one.happenings[happening as Happening]().catch(
          (error: unknown) => error,
        );
        const word = said instanceof Refusal ? said.code : said;
        const cell = `${from} + ${happening}`;
        expect([cell, await one.statusNow()]).toEqual([cell, to]);
        if (answer !== undefined) expect([cell, word]).toEqual([cell, answer]);
        else expect(said, cell).not.toBeInstanceOf(Error);
        const after = await saldoOf(sql, one.owner.accountId);
        const grew = from !== 'paid' && to === 'paid' ? one.topup.credited : 0;
        expect([cell, after.available - before.available]).toEqual([cell, grew]);
      }
      expect(await reds(sql)).toEqual([]);
    });
  }

  test('the database refuses every transition outside the table', async ({ db }) => {
    const app = await topupApp(db);
    const { topup } = await someTopup(app, db);
    await db.allAccountsSql`update topups set status = 'rejected' where topup_id = ${idOf(topup)}`;
    const back = db.allAccountsSql`update topups set status = 'pending' where topup_id = ${idOf(topup)}`;
    await expect(back).rejects.toThrow('cannot go from rejected to pending');
  });
});

describe('notices in any order', () => {
  const notices: readonly Happening[] = ['paid', 'paid', 'second', 'expire', 'cancel', 'wrong'];

  test('end paid with one entry, whichever came first, twice or late', async ({ sql, db }) => {
    const app = await topupApp(db, { ppn: true });
    const orders = fc.shuffledSubarray([...notices], { minLength: notices.length });
    await fc.assert(
      fc.asyncProperty(orders, async (order) => {
        const one = await someTopup(app, db);
        for (const happening of order) {
          await one.happenings[happening]().catch((error: unknown) => {
            if (!(error instanceof Refusal)) throw error;
          });
        }
        expect(await one.statusNow()).toBe('paid');
        expect(await saldoOf(sql, one.owner.accountId)).toEqual({
          available: one.topup.credited,
          topups: 1,
        });
      }),
      { numRuns: 60 },
    );
    expect(await reds(sql)).toEqual([]);
  });

  test('pay once when they all arrive at the same time', async ({ sql, db }) => {
    const app = await topupApp(db);
    for (let round = 0; round < 5; round++) {
      const one = await someTopup(app, db);
      const all = [...notices, 'confirm', 'paid', 'reject'] as const;
      const done = await Promise.allSettled(all.map((happening) => one.happenings[happening]()));
      for (const said of done) {
        if (said.status === 'rejected') expect(said.reason).toBeInstanceOf(Refusal);
      }
      const paid = (await one.statusNow()) === 'paid';
      expect((await saldoOf(sql, one.owner.accountId)).topups).toBe(paid ? 1 : 0);
    }
    expect(await reds(sql)).toEqual([]);
  });

  test('pay one top-up only, even if both are notified at once', async ({ sql, db }) => {
    const app = await topupApp(db);
    const [one, other] = [await someTopup(app, db), await someTopup(app, db)];
    const pay = ({ owner, topup }: { owner: { accountId: string }; topup: Topup }) =>
      sql.begin((tx) =>
        applyPaid(tx, {
          accountId: owner.accountId,
          topupId: idOf(topup),
          txnId: 'bank:the-same',
          amount: topup.total,
          at: app.clock.now(),
          actor: 'test',
        }),
      );
    expect((await Promise.all([pay(one), pay(other)])).sort()).toEqual(['applied', 'txn_used']);
    expect(await reds(sql)).toEqual([]);
  });

  test('put a second payment into suspense, not into the saldo', async ({ sql, db }) => {
    const app = await topupApp(db);
    const one = await someTopup(app, db);
    await one.happenings.paid();
    expect(await one.happenings.second()).toBe('second_payment');
    expect(await one.happenings.second()).toBe('duplicate');
    expect(
      await sql`
        select gl_account, sum(amount)::bigint as amount from gl_lines group by 1 order by 1`,
    ).toEqual([
      { gl_account: 'cash:bank', amount: 2 * one.topup.total },
      { gl_account: 'clearing', amount: -one.topup.credited },
      { gl_account: 'suspense', amount: -one.topup.total },
    ]);
    expect(await reds(sql)).toEqual([]);
  });
});

describe('the ledger of a paid top-up', () => {
  test('posts PPN to our liabilities, and the kode unik to the saldo', async ({ sql, db }) => {
    const app = await topupApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 250_000);
    await app.transfer(topup.total);
    expect(await linesOf(sql)).toEqual({
      'cash:bank': 277_500 + topup.unique_code,
      clearing: -(250_000 + topup.unique_code),
      'liab:ppn': -27_500,
    });
    expect((await saldoOf(sql, ani.accountId)).available).toBe(250_000 + topup.unique_code);
  });

  test('posts the kode unik to our income if configured', async ({ sql, db }) => {
    const app = await topupApp(db, { kodeUnik: 'income' });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(topup.total);
    expect(await linesOf(sql)).toEqual({
      'cash:bank': topup.total,
      clearing: -50_000,
      'inc:kode_unik': -topup.unique_code,
    });
    expect(await reds(sql)).toEqual([]);
  });

  test('balances after random top-ups, paid or not', async ({ sql, db }) => {
    const kinds = fc.record({
      base: fc.integer({ min: 10_000, max: 100_000_000 }),
      ppn: fc.boolean(),
      kodeUnik: fc.constantFrom('saldo' as const, 'income' as const),
      end: fc.constantFrom<Happening[]>('paid', 'cancel', 'expire', 'wrong', 'reject'),
    });
    await fc.assert(
      fc.asyncProperty(kinds, async ({ base, ppn, kodeUnik, end }) => {
        const app = await topupApp(db, { ppn, kodeUnik });
        const one = await someTopup(
          { ...app, topup: (accountId) => app.topup(accountId, base) },
          db,
        );
        const { total, ppn: tax, unique_code, credited } = one.topup;
        expect(total).toBe(base + tax + unique_code);
        expect(credited).toBe(kodeUnik === 'saldo' ? base + unique_code : base);
        await one.happenings[end]();
        const { available } = await saldoOf(sql, one.owner.accountId);
        expect(available).toBe(end === 'paid' ? credited : 0);
      }),
      { numRuns: 30 },
    );
    expect(await reds(sql)).toEqual([]);
  });
});

describe('time', () => {
  test('an amount is reserved for 7 days after expiry, then free again', async ({ sql, db }) => {
    const app = await topupApp(db);
    await someTopup(app, db);
    app.clock.pass(24);
    expect(await expireTopups(app.deps)).toEqual({ expired: 1, freed: 0 });
    app.clock.pass(7 * 24 - 1);
    expect(await expireTopups(app.deps)).toEqual({ expired: 0, freed: 0 });
    app.clock.pass(1);
    expect(await expireTopups(app.deps)).toEqual({ expired: 0, freed: 1 });
    expect(await sql`select from reserved_transfers`).toHaveLength(0);
  });

  test('one call expires more than one batch', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await db.owner`
      insert into topups (
        account_id, topup_id, request_key, base, ppn, unique_code, total, credited, income,
        bank_name, bank_number, bank_holder, created_at, expires_at
      )
      select ${ani.accountId}, gen_random_uuid(), gen_random_uuid(), 10000, 0, 1, 10001, 10001, 0,
        'B', '1', 'H', now(), '2026-11-20T00:00:00Z'
      from generate_series(1, 1001)`;
    const { now } = clockAt();
    const twice = await Promise.all([
      expireTopups({ allAccountsSql: sql, now }),
      expireTopups({ allAccountsSql: sql, now }),
    ]);
    expect(twice.reduce((sum, { expired }) => sum + expired, 0)).toBe(1_001);
  });
});

async function linesOf(sql: Sql): Promise<Record<string, number>> {
  const lines = await sql<{ gl_account: string; amount: number }[]>`
    select gl_account, sum(amount)::bigint as amount from gl_lines group by 1`;
  return Object.fromEntries(lines.map(({ gl_account, amount }) => [gl_account, amount]));
}
