import { describe, expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { endSubscriptionNow, savePlan, tokenLimitOf } from '#server/domains/billing/billing.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { billingApp } from '#tests/support/money/billing.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';
import { changeAccounts } from '#tests/support/people/people.ts';

const expectBooks = async (db: TestDatabase) =>
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);

const short = (required: number, available: number) =>
  new Refusal('saldo_short', { required, available });

describe('choosing a plan', () => {
  test('from the free plan begins a period today at full price', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(100_000);
    expect(await app.allowance(ani)).toEqual({
      quota: 100,
      used: 0,
      price: 150,
    });
    const preview = await app.preview(ani, 'usaha');
    expect(preview).toMatchObject({
      when: 'now',
      credit: 0,
      charge: 99_000,
      total: 99_000,
      shortage: 0,
      starts_at: new Date('2026-11-20T17:00:00Z'),
      next_charge: { at: new Date('2026-12-20T17:00:00Z'), amount: 99_000 },
    });
    const mine = await app.change(ani, 'usaha', preview.quote);
    expect(mine).toMatchObject({
      status: 'active',
      plan: { code: 'usaha', price: 99_000 },
      period_start: new Date('2026-11-20T17:00:00Z'),
      period_end: new Date('2026-12-20T17:00:00Z'),
      next_charge: { at: new Date('2026-12-20T17:00:00Z'), amount: 99_000 },
      usage: { used: 0, quota: 5_000, beyond: 0, beyond_amount: 0, forecast: null },
    });
    expect(await app.saldo(ani)).toBe(1_000);
    expect(await app.allowance(ani)).toEqual({
      quota: 5_000,
      used: 0,
      price: 75,
    });
    await expectBooks(db);
  });

  test('is refused without enough saldo, and changes nothing', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(98_999);
    await expect(app.choose(ani, 'usaha')).rejects.toEqual(short(99_000, 98_999));
    expect(await app.get(ani)).toMatchObject({ plan: { code: 'gratis' }, status: 'active' });
    expect(await app.charges(ani)).toEqual([]);
  });

  test('is refused to a frozen saldo and a suspended account', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(500_000);
    await changeWallets(db.owner, {}, { status: 'frozen' });
    await expect(app.choose(ani, 'usaha')).rejects.toEqual(new Refusal('wallet_frozen', {}));
    await changeAccounts(db.owner, {}, { status: 'suspended' });
    await expect(app.choose(ani, 'usaha')).rejects.toEqual(new Refusal('account_suspended', {}));
  });

  test('cannot be paid with the welcome bonus', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(500_000);
    await changeWallets(db.owner, {}, { bonusOnly: true });
    await expect(app.choose(ani, 'usaha')).rejects.toEqual(short(99_000, 0));
  });

  test('refuses the current plan, and a plan that is not on offer', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(500_000);
    await expect(app.preview(ani, 'gratis')).rejects.toEqual(new Refusal('plan_same', {}));
    await expect(app.preview(ani, 'emas')).rejects.toEqual(
      new Refusal('not_found', { what: 'Paket' }),
    );
    await db.allAccountsSql`update plans set is_offered = false where code = 'bisnis'`;
    await expect(app.preview(ani, 'bisnis')).rejects.toThrow('not_found');
  });

  test('a larger plan begins at once, and only the remaining days are charged', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'usaha');
    await changeWallets(db.owner, {}, { planUsed: 40 });
    app.goTo('2026-12-06T15:00');
    const preview = await app.preview(ani, 'bisnis');
    expect(preview).toMatchObject({
      credit: 49_500,
      charge: 149_500,
      total: 100_000,
      days_left: 15,
    });
    const mine = await app.change(ani, 'bisnis', preview.quote);
    expect(mine).toMatchObject({
      plan: { code: 'bisnis' },
      period_end: new Date('2026-12-20T17:00:00Z'),
    });
    expect(await app.saldo(ani)).toBe(1_000_000 - 99_000 - 100_000);
    expect(preview.quota).toBe(15_000);
    expect(await app.allowance(ani)).toMatchObject({ quota: 15_000, used: 40, price: 50 });
    // Reset: no messages stand behind the used quota.
    await changeWallets(db.owner, {}, { planUsed: 0 });
    await expectBooks(db);
  });

  test('a plan that includes more for less credits the difference', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'usaha');
    await db.allAccountsSql.begin((tx) =>
      savePlan(tx, {
        code: 'bisnis',
        name: 'Bisnis',
        description: '',
        price: rupiah(69_000),
        tokens: 10,
        quota: 25_000,
        overage: rupiah(50),
        isOffered: true,
        operatorId: newId(),
        at: app.now(),
      }),
    );
    app.goTo('2026-12-06T15:00');
    const preview = await app.preview(ani, 'bisnis');
    expect(preview).toMatchObject({ when: 'now', credit: 49_500, charge: 34_500, total: -15_000 });
    await app.change(ani, 'bisnis', preview.quote);
    expect(await app.saldo(ani)).toBe(1_000_000 - 99_000 + 15_000);
    await expectBooks(db);
  });

  test('a smaller plan begins with the next period, and the change can be cancelled', async ({
    db,
  }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'bisnis');
    const planned = await app.choose(ani, 'usaha');
    expect(planned).toMatchObject({
      plan: { code: 'bisnis' },
      next_plan: { code: 'usaha' },
      next_charge: { amount: 99_000 },
    });
    expect(await app.resume(ani)).toMatchObject({
      next_plan: null,
      next_charge: { amount: 299_000 },
    });
    await app.choose(ani, 'usaha');
    app.goTo('2026-12-21T00:00');
    await app.run();
    expect(await app.get(ani)).toMatchObject({ plan: { code: 'usaha' }, next_plan: null });
    expect(await app.saldo(ani)).toBe(1_000_000 - 299_000 - 99_000);
    await expectBooks(db);
  });

  test('a cancelled plan lasts until its end, then becomes the free one', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'usaha');
    expect(await app.cancel(ani)).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      next_plan: { code: 'gratis' },
      next_charge: null,
    });
    await expect(app.cancel(ani)).rejects.toEqual(new Refusal('subscription_not_running', {}));
    expect(await app.resume(ani)).toMatchObject({ cancel_at_period_end: false });
    await expect(app.resume(ani)).rejects.toEqual(new Refusal('subscription_not_running', {}));
    await app.cancel(ani);
    app.goTo('2026-12-21T00:00');
    await app.run();
    expect(await app.get(ani)).toMatchObject({ status: 'cancelled', plan: { code: 'gratis' } });
    expect(await app.allowance(ani)).toMatchObject({ quota: 100, price: 150 });
    expect(await app.saldo(ani)).toBe(901_000);
  });

  test('a quote is valid until midnight in WIB, while nothing has changed', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    const { quote } = await app.preview(ani, 'usaha');
    const stale = new Refusal('quote_stale', {});
    await expect(app.change(ani, 'bisnis', quote)).rejects.toEqual(stale);
    await expect(app.change(ani, 'usaha', 'x')).rejects.toEqual(stale);
    app.goTo('2026-11-22T00:00');
    await expect(app.change(ani, 'usaha', quote)).rejects.toEqual(stale);
    app.goTo('2026-11-21T23:59');
    await expect(app.change(ani, 'usaha', quote)).resolves.toMatchObject({ status: 'active' });
  });

  test('a new revision applies to new subscribers now, and to others from their renewal', async ({
    db,
  }) => {
    const app = billingApp(db);
    const [ani, budi] = [await app.customer(1_000_000), await app.customer(1_000_000)];
    await app.choose(ani, 'usaha');
    await db.allAccountsSql.begin((tx) =>
      savePlan(tx, {
        code: 'usaha',
        name: 'Usaha',
        description: 'Baru',
        price: rupiah(120_000),
        tokens: 4,
        quota: 6_000,
        overage: rupiah(70),
        isOffered: true,
        operatorId: newId(),
        at: app.now(),
      }),
    );
    expect(await app.get(ani)).toMatchObject({
      plan: { price: 99_000 },
      next_charge: { amount: 120_000 },
    });
    expect(await app.choose(budi, 'usaha')).toMatchObject({
      plan: { price: 120_000, revision: 2 },
    });
    app.goTo('2026-12-21T00:00');
    await app.run();
    expect(await app.saldo(ani)).toBe(1_000_000 - 99_000 - 120_000);
    expect(await app.allowance(ani)).toMatchObject({ quota: 6_000, price: 70 });
  });

  test('the free plan stays free and on offer', async ({ db }) => {
    const sql = db.allAccountsSql;
    await expect(sql`update plans set is_offered = false where code = 'gratis'`).rejects.toThrow(
      'gratis_is_offered',
    );
    await expect(sql`delete from plans`).rejects.toThrow('permission denied');
    await expect(
      sql`insert into plan_revisions values ('gratis', 2, 'G', '', 1, 1, 1, 1, now(), null)`,
    ).rejects.toThrow('gratis_is_free');
    await expect(db.owner`update plan_revisions set price = 1`).rejects.toThrow();
    await expect(db.tenantSql`insert into plans values ('x1', true, 9)`).rejects.toThrow();
  });

  test('an account has as many tokens as its plan allows', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    const limit = () => db.allAccountsSql.begin((tx) => tokenLimitOf(tx, ani.accountId, app.now()));
    expect(await limit()).toBe(1);
    await app.choose(ani, 'usaha');
    expect(await limit()).toBe(3);
  });
});

describe('renewing', () => {
  test('charges each month of a year once', async ({ db }) => {
    const app = billingApp(db, new Date('2027-01-31T03:00:00Z'));
    const ani = await app.customer(2_000_000);
    await app.choose(ani, 'usaha');
    for (let hour = 0; hour < 366 * 24; hour += 6) {
      app.pass(6);
      await app.run();
    }
    const days = (await app.charges(ani)).map(({ day }) => day);
    expect(days).toEqual([
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
      '2027-06-30',
      '2027-07-31',
      '2027-08-31',
      '2027-09-30',
      '2027-10-31',
      '2027-11-30',
      '2027-12-31',
      '2028-01-31',
    ]);
    expect(await app.saldo(ani)).toBe(2_000_000 - 13 * 99_000);
    expect(app.troubles).toEqual([]);
    await expectBooks(db);
  });

  test('after a long outage charges one period, which begins today', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'usaha');
    app.goTo('2027-04-10T12:00');
    await app.run();
    await app.run();
    expect(await app.get(ani)).toMatchObject({ period_start: new Date('2027-04-09T17:00:00Z') });
    expect(await app.charges(ani)).toHaveLength(2);
  });

  test('a late renewal within the period keeps the period', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(1_000_000);
    await app.choose(ani, 'usaha');
    app.goTo('2026-12-30T12:00');
    await app.run();
    expect(await app.get(ani)).toMatchObject({ period_start: new Date('2026-12-20T17:00:00Z') });
  });

  test('renews free plans without a charge', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer();
    await changeWallets(db.owner, {}, { planUsed: 77 });
    app.goTo('2027-02-25T00:00');
    await app.run();
    expect(await app.get(ani)).toMatchObject({
      period_start: new Date('2027-02-20T17:00:00Z'),
      usage: { used: 0, quota: 100 },
    });
    expect(await app.charges(ani)).toEqual([]);
  });

  test('renews a free period that has ended, by the job or when it is read', async ({ db }) => {
    for (const look of ['run', 'get'] as const) {
      const app = billingApp(db);
      const ani = await app.customer();
      await db.owner`
        update subscriptions set anchor = '2026-11-20', period_start = '2026-11-20T00:00+07',
          period_end = '2026-11-21T00:00+07' where account_id = ${ani.accountId}`;
      await changeWallets(db.owner, {}, { planQuota: 0 });
      await app[look](ani);
      expect(await app.get(ani)).toMatchObject({
        period_start: new Date('2026-11-19T17:00:00Z'),
        period_end: new Date('2026-12-19T17:00:00Z'),
        usage: { quota: 100 },
      });
    }
  });

  test('a failing subscription blocks no other, and is reported', async ({ db }) => {
    const app = billingApp(db);
    const people = [];
    for (let n = 0; n < 3; n++) people.push(await app.customer(300_000));
    for (const one of people) await app.choose(one, 'usaha');
    const [, bad] = people;
    await db.owner.query(`
      create function fail() returns trigger language plpgsql as $$ begin
        if new.account_id = '${bad?.accountId}' then raise exception 'broken'; end if;
        return new; end $$;
      create trigger fail before insert on subscription_charges for each row execute function fail()`);
    app.goTo('2026-12-21T00:00');
    await app.run();
    expect(await Promise.all(people.map(app.saldo))).toEqual([102_000, 201_000, 102_000]);
    expect(app.troubles).toHaveLength(1);
    await db.owner.query('drop trigger fail on subscription_charges');
    await app.run();
    expect(await Promise.all(people.map(app.saldo))).toEqual([102_000, 102_000, 102_000]);
    await expectBooks(db);
  });

  test('ends the plan of an account that is not active, without a charge', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(300_000);
    await app.choose(ani, 'usaha');
    await changeAccounts(db.owner, {}, { status: 'suspended' });
    app.goTo('2026-12-21T00:00');
    await app.run();
    expect(await app.saldo(ani)).toBe(201_000);
    expect(await app.get(ani)).toMatchObject({ status: 'cancelled' });
  });
});

describe('an operator', () => {
  test('ends a plan now, and refunds the remaining days only on request', async ({ db }) => {
    const app = billingApp(db);
    const [ani, budi] = [await app.customer(300_000), await app.customer(300_000)];
    for (const [who, refund, back] of [
      [ani, true, 49_500],
      [budi, false, 0],
    ] as const) {
      app.goTo('2026-11-21T10:00');
      await app.choose(who, 'usaha');
      app.goTo('2026-12-06T10:00');
      const { accountId } = who;
      const end = () =>
        db.allAccountsSql.begin((tx) =>
          endSubscriptionNow(tx, { accountId, at: app.now(), refund }),
        );
      expect(await end()).toBe(back);
      expect(await end()).toBeUndefined();
      expect(await app.saldo(who)).toBe(201_000 + back);
      expect(await app.get(who)).toMatchObject({ status: 'cancelled', plan: { code: 'gratis' } });
      await app.choose(who, 'usaha');
      expect(await app.saldo(who)).toBe(102_000 + back);
    }
    await expectBooks(db);
  });
});
