import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { endSubscriptionNow, runBilling } from '#server/domains/billing/billing.ts';
import { checkLedger, lockWallet } from '#server/domains/ledger/ledger.ts';
import { openDatabase } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { billingApp } from '#tests/support/money/billing.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { type Customer, changeAccounts } from '#tests/support/people/people.ts';

const expectBooks = async (db: TestDatabase) =>
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);

async function dueSubscribers(db: TestDatabase, count: number) {
  const app = billingApp(db);
  const people: Customer[] = [];
  for (let n = 0; n < count; n++) {
    const who = await app.customer(298_000);
    await app.choose(who, 'usaha');
    people.push(who);
  }
  app.goTo('2026-12-21T00:00');
  return { app, people };
}

describe('at the same time', () => {
  test('many workers charge each renewal once', async ({ db }) => {
    const { app, people } = await dueSubscribers(db, 12);
    await Promise.all(Array.from({ length: 4 }, () => runBilling(app.deps)));
    await app.run();
    for (const who of people) expect(await app.charges(who)).toHaveLength(2);
    expect(app.troubles).toEqual([]);
    await expectBooks(db);
  });

  test('an upgrade submitted twice is charged once', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'usaha');
    app.goTo('2026-12-06T10:00');
    const { quote } = await app.preview(ani, 'bisnis');
    const tries = await Promise.allSettled(
      Array.from({ length: 5 }, () => app.change(ani, 'bisnis', quote)),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const tried of tries) {
      if (tried.status === 'rejected') expect(tried.reason).toEqual(new Refusal('plan_same', {}));
    }
    expect(await app.saldo(ani)).toBe(1_000_000 - 99_000 - 100_000);
    await expectBooks(db);
  });

  test('ending a plan while its renewal holds the lock refunds exactly its price', async ({
    db,
  }) => {
    const { app, people } = await dueSubscribers(db, 1);
    const [who] = people as [Customer];
    await app.run();
    const before = await app.saldo(who);
    // The clock was read just before midnight, while the renewal held the lock.
    const at = new Date('2026-12-20T23:59:59.900+07:00');
    const { accountId } = who;
    const end = db.allAccountsSql.begin((tx) =>
      endSubscriptionNow(tx, { accountId, at, refund: true }),
    );
    expect(await end).toBe(99_000);
    expect(await app.saldo(who)).toBe(before + 99_000);
    await expectBooks(db);
  });

  test('an account suspended while its renewal waits for the wallet is not charged', async ({
    db,
  }) => {
    const { app, people } = await dueSubscribers(db, 1);
    const [who] = people as [Customer];
    const held = Promise.withResolvers<void>();
    const { promise: isWaiting, resolve: goOn } = Promise.withResolvers<void>();
    const suspending = db.allAccountsSql.begin(async (tx) => {
      await lockWallet(tx, who.accountId);
      await changeAccounts(tx, who, { status: 'suspended' });
      held.resolve();
      await isWaiting;
    });
    await held.promise;
    const renewing = app.run();
    await waitFor(async () => {
      const waiting = await db.owner`
        select 1 as waits from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      expect(waiting).toHaveLength(1);
    }).finally(goOn);
    await Promise.all([suspending, renewing]);
    expect(await app.charges(who)).toHaveLength(1);
    await expectBooks(db);
  });

  test('a renewal and a previously quoted upgrade are both complete, in either order', async ({
    db,
  }) => {
    const { app, people } = await dueSubscribers(db, 8);
    await Promise.all(people.map((who) => app.give(who, 500_000)));
    app.goTo('2026-12-20T23:59');
    const quotes = await Promise.all(people.map((who) => app.preview(who, 'bisnis')));
    app.goTo('2026-12-21T00:00');
    const [tries] = await Promise.all([
      Promise.allSettled(people.map((who, n) => app.change(who, 'bisnis', quotes[n]?.quote ?? ''))),
      app.run(),
      app.run(),
    ]);
    // After midnight the old quote is stale; only the renewal applies.
    for (const tried of tries)
      expect(tried).toMatchObject({ reason: new Refusal('quote_stale', {}) });
    for (const who of people) expect(await app.saldo(who)).toBe(600_000);
    await Promise.all([...people.map((who) => app.choose(who, 'bisnis')), app.run()]);
    for (const who of people) expect(await app.saldo(who)).toBe(400_000);
    await expectBooks(db);
  });

  test('50 connections that renew, change, cancel and resume keep the ledger consistent', async ({
    db,
  }) => {
    const { app, people } = await dueSubscribers(db, 5);
    const many = openDatabase(db.url, { max: 50, as: 'all accounts', name: 'hammer' });
    try {
      const crowd = billingApp({ ...db, allAccountsSql: many }, app.now());
      const kinds: ((who: Customer, n: number) => Promise<unknown>)[] = [
        () => crowd.run(),
        (who, n) => crowd.choose(who, n % 2 === 0 ? 'bisnis' : 'usaha'),
        (who) => crowd.cancel(who),
        (who) => crowd.resume(who),
        (who) => crowd.give(who, 10_000),
      ];
      const doing = Array.from({ length: 30 }, (_, n) =>
        people.flatMap((who) => kinds[n % kinds.length]?.(who, n) ?? []),
      ).flat();
      const done = await Promise.allSettled(doing);
      for (const one of done) {
        if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(Refusal);
      }
      expect(crowd.troubles).toEqual([]);
    } finally {
      await many.end();
    }
    await expectBooks(db);
  });
});

describe('a crash', () => {
  test('between any two statements of a renewal leaves nothing half done', async ({ db }) => {
    const { app, people } = await dueSubscribers(db, 1);
    const [ani] = people;
    if (!ani) throw new Error('no subscriber');
    const state = () =>
      db.allAccountsSql`
        select s.*, w.available, w.seq, w.plan_round,
          (select count(*) from subscription_charges) as charges,
          (select count(*) from billing_notices where subject like 'charged%') as notices,
          (select count(*) from outbox) as events
        from subscriptions s join wallets w using (account_id)`;
    const before = await state();
    let died = 0;
    for (let nth = 1; ; nth++) {
      const dying = dyingAt(app.deps.allAccountsSql, nth);
      const trouble: unknown[] = [];
      await runBilling({
        ...app.deps,
        allAccountsSql: dying.sql,
        report: (one) => trouble.push(one),
      }).catch((error: unknown) => trouble.push(error));
      if (trouble.length === 0) break;
      died += 1;
      if (dying.inTransaction()) expect(await state()).toEqual(before);
    }
    expect(died).toBeGreaterThan(6);
    expect(await app.charges(ani)).toHaveLength(2);
    expect(await app.saldo(ani)).toBe(100_000);
    await expectBooks(db);
  });
});

/** A pool whose process dies before the n-th statement of its transactions; none of them commits. */
function dyingAt(sql: TestDatabase['allAccountsSql'], nth: number) {
  let statements = 0;
  let isDead = false;
  const begin = ((work: (tx: unknown) => Promise<unknown>, mode?: string) =>
    sql.begin((tx) => {
      const dying = new Proxy(tx, {
        apply: (target, self, args: never[]) => {
          const made = Reflect.apply(target, self, args);
          const isFragment = !('then' in Object(made));
          if (!isFragment && !isDead) {
            statements += 1;
            if (statements === nth) {
              isDead = true;
              throw new Error(`died before statement ${nth}`);
            }
          }
          return made;
        },
      });
      return work(dying);
    }, mode)) as typeof sql.begin;
  return {
    sql: Object.assign(((...args: Parameters<typeof sql>) => sql(...args)) as typeof sql, {
      query: sql.query,
      place: sql.place,
      begin,
      end: sql.end,
    }),
    inTransaction: () => isDead,
  };
}
