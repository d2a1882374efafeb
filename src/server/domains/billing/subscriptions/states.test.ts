import { describe, expect } from 'vitest';
import type { SubscriptionStatus } from '#contract/billing.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { endSubscriptionNow } from '#server/domains/billing/billing.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { type BillingApp, billingApp } from '#tests/support/money/billing.ts';
import type { Customer } from '#tests/support/people/people.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';

type State = SubscriptionStatus | 'none';
const states: readonly State[] = ['none', 'active', 'past_due', 'suspended', 'cancelled'];

const ways: Record<State, (app: BillingApp, who: Customer) => Promise<void>> = {
  none: async () => undefined,
  active: async (app, who) => {
    await app.give(who, 99_000);
    await app.choose(who, 'usaha');
  },
  past_due: async (app, who) => {
    await ways.active(app, who);
    app.goTo('2026-12-21T00:00');
    await app.run();
  },
  suspended: async (app, who) => {
    await ways.past_due(app, who);
    app.goTo('2026-12-24T00:00');
    await app.run();
  },
  cancelled: async (app, who) => {
    await ways.active(app, who);
    await app.cancel(who);
    app.goTo('2026-12-21T00:00');
    await app.run();
  },
};

type Happening = (app: BillingApp, who: Customer, db: TestDatabase) => Promise<unknown>;

const happenings = {
  'a month passes, with saldo': async (app, who) => {
    await app.give(who, 1_000_000);
    app.pass(31 * 24);
    await app.run();
  },
  'a month passes, without saldo': async (app) => {
    app.pass(31 * 24);
    await app.run();
  },
  'money comes in': async (app, who) => {
    await app.give(who, 99_000);
    await app.run();
  },
  'too little money comes in': async (app, who) => {
    await app.give(who, 98_999);
    await app.run();
  },
  'three days pass': async (app) => {
    app.pass(3 * 24);
    await app.run();
  },
  'it is cancelled': (app, who) => app.cancel(who),
  'it is resumed, with saldo': async (app, who) => {
    await app.give(who, 99_000);
    await app.resume(who);
  },
  'it is resumed, without saldo': (app, who) => app.resume(who),
  'a bigger plan is chosen, with saldo': async (app, who) => {
    await app.give(who, 1_000_000);
    await app.choose(who, 'bisnis');
  },
  'a bigger plan is chosen, without saldo': (app, who) => app.choose(who, 'bisnis'),
  'the free plan is chosen': (app, who) => app.choose(who, 'gratis'),
  'an operator ends it': (app, { accountId }, db) =>
    db.allAccountsSql.begin((tx) =>
      endSubscriptionNow(tx, { accountId, at: app.now(), refund: false }),
    ),
} satisfies Record<string, Happening>;

const notRunning = 'subscription_not_running';
const table: Record<keyof typeof happenings, Record<State, string>> = {
  'a month passes, with saldo': {
    none: 'active gratis',
    active: 'active usaha',
    // A single run ends the grace period first, whenever money arrived.
    past_due: 'suspended usaha',
    suspended: 'cancelled gratis',
    cancelled: 'cancelled gratis',
  },
  'a month passes, without saldo': {
    none: 'active gratis',
    active: 'past_due usaha',
    past_due: 'suspended usaha',
    suspended: 'cancelled gratis',
    cancelled: 'cancelled gratis',
  },
  'money comes in': {
    none: 'active gratis',
    active: 'active usaha',
    past_due: 'active usaha',
    suspended: 'suspended usaha',
    cancelled: 'cancelled gratis',
  },
  'too little money comes in': {
    none: 'active gratis',
    active: 'active usaha',
    past_due: 'past_due usaha',
    suspended: 'suspended usaha',
    cancelled: 'cancelled gratis',
  },
  'three days pass': {
    none: 'active gratis',
    active: 'active usaha',
    past_due: 'suspended usaha',
    suspended: 'suspended usaha',
    cancelled: 'cancelled gratis',
  },
  'it is cancelled': {
    none: notRunning,
    active: 'active usaha, ends',
    past_due: 'cancelled gratis',
    suspended: 'cancelled gratis',
    cancelled: notRunning,
  },
  'it is resumed, with saldo': {
    none: notRunning,
    active: notRunning,
    // Reading the subscription has already charged the amount due.
    past_due: notRunning,
    suspended: 'active usaha',
    cancelled: notRunning,
  },
  'it is resumed, without saldo': {
    none: notRunning,
    active: notRunning,
    past_due: 'saldo_short',
    suspended: 'saldo_short',
    cancelled: notRunning,
  },
  'a bigger plan is chosen, with saldo': {
    none: 'active bisnis',
    active: 'active bisnis',
    past_due: 'active bisnis',
    suspended: 'active bisnis',
    cancelled: 'active bisnis',
  },
  'a bigger plan is chosen, without saldo': {
    none: 'saldo_short',
    active: 'saldo_short',
    past_due: 'saldo_short',
    suspended: 'saldo_short',
    cancelled: 'saldo_short',
  },
  'the free plan is chosen': {
    none: 'plan_same',
    active: 'active usaha, ends',
    past_due: 'cancelled gratis',
    suspended: 'cancelled gratis',
    cancelled: 'plan_same',
  },
  'an operator ends it': {
    none: 'active gratis',
    active: 'cancelled gratis',
    past_due: 'cancelled gratis',
    suspended: 'cancelled gratis',
    cancelled: 'cancelled gratis',
  },
};

describe('every cell of the state table', () => {
  for (const [what, cells] of Object.entries(table)) {
    test(`${what}`, async ({ db }) => {
      for (const state of states) {
        const app = billingApp(db);
        const ani = await app.customer();
        await ways[state](app, ani);
        const happen: Happening = happenings[what as keyof typeof happenings];
        const refused = await happen(app, ani, db).then(
          () => undefined,
          (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
        );
        const now = await app.get(ani);
        const shown = `${now.status} ${now.plan.code}${now.cancel_at_period_end ? ', ends' : ''}`;
        expect({ state, became: refused ?? shown }).toEqual({ state, became: cells[state] });
        expect(app.troubles).toEqual([]);
      }
      expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
    });
  }
});

test('the database refuses every transition outside the table', async ({ db }) => {
  const allowed = new Set([
    'active past_due',
    'active cancelled',
    'past_due active',
    'past_due suspended',
    'past_due cancelled',
    'suspended active',
    'suspended cancelled',
    'cancelled active',
  ]);
  const set = (status: State) => db.allAccountsSql`
    update subscriptions set status = ${status},
      grace_until = case when ${status} = 'past_due' then now() end,
      due_charge = case when ${status} = 'past_due' then gen_random_uuid() end,
      due_invoice = case when ${status} = 'past_due' then gen_random_uuid() end,
      suspended_at = case when ${status} = 'suspended' then now() end`;
  const real = states.filter((state) => state !== 'none');
  for (const from of real) {
    for (const to of real) {
      await db.owner`alter table subscriptions disable trigger subscription_steps`;
      await db.owner`delete from subscriptions`;
      await billingApp(db).customer();
      await db.owner`delete from subscriptions where ctid not in (select ctid from subscriptions limit 1)`;
      await set(from);
      await db.owner`alter table subscriptions enable trigger subscription_steps`;
      const tried = await set(to).then(
        () => 'allowed',
        (error: unknown) => (error as { code: string }).code,
      );
      const expected = from === to || allowed.has(`${from} ${to}`) ? 'allowed' : 'BL002';
      expect({ from, to, tried }).toEqual({ from, to, tried: expected });
    }
  }
});

describe('a renewal that the saldo does not cover', () => {
  test('has three days of grace that keep the allowance; a payment keeps the period start', async ({
    db,
  }) => {
    const app = billingApp(db);
    const ani = await app.customer();
    await ways.past_due(app, ani);
    expect(await app.get(ani)).toMatchObject({
      status: 'past_due',
      grace_until: new Date('2026-12-23T17:00:00Z'),
      shortage: 99_000,
      next_charge: { at: new Date('2026-12-20T17:00:00Z'), amount: 99_000 },
    });
    expect(await app.allowance(ani)).toMatchObject({ quota: 5_000 });
    app.goTo('2026-12-23T22:00');
    await app.give(ani, 99_000);
    await app.run();
    expect(await app.get(ani)).toMatchObject({
      status: 'active',
      period_start: new Date('2026-12-20T17:00:00Z'),
      period_end: new Date('2027-01-20T17:00:00Z'),
      grace_until: null,
      shortage: null,
    });
    expect(await app.allowance(ani)).toMatchObject({ quota: 5_000 });
    expect(await app.saldo(ani)).toBe(0);
  });

  test('once suspended has no allowance and pays list prices; resuming starts today', async ({
    db,
  }) => {
    const app = billingApp(db);
    const ani = await app.customer();
    await ways.suspended(app, ani);
    expect(await app.allowance(ani)).toMatchObject({ quota: 0, price: null });
    app.goTo('2027-01-05T13:00');
    await app.give(ani, 100_000);
    await app.run();
    expect(await app.get(ani)).toMatchObject({ status: 'suspended', next_charge: null });
    expect(await app.resume(ani)).toMatchObject({
      status: 'active',
      period_start: new Date('2027-01-04T17:00:00Z'),
      period_end: new Date('2027-02-04T17:00:00Z'),
    });
    expect(await app.allowance(ani)).toMatchObject({
      quota: 5_000,
      price: 75,
    });
    expect(await app.saldo(ani)).toBe(1_000);
  });

  test('charges another plan during grace at full price, for the same period', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer();
    await app.give(ani, 299_000);
    await app.choose(ani, 'bisnis');
    app.goTo('2026-12-21T00:00');
    await app.run();
    app.goTo('2026-12-22T10:00');
    await app.give(ani, 99_000);
    expect(await app.preview(ani, 'usaha')).toMatchObject({
      when: 'now',
      charge: 99_000,
      credit: 0,
    });
    expect(await app.choose(ani, 'usaha')).toMatchObject({
      status: 'active',
      period_start: new Date('2026-12-20T17:00:00Z'),
    });
  });

  test('does not charge a frozen saldo, and does once it is unfrozen', async ({ db }) => {
    const app = billingApp(db);
    const ani = await app.customer(500_000);
    await app.choose(ani, 'usaha');
    await changeWallets(db.owner, {}, { status: 'frozen' });
    app.goTo('2026-12-21T00:00');
    await app.run();
    expect(await app.get(ani)).toMatchObject({ status: 'past_due' });
    await changeWallets(db.owner, {}, { status: 'active' });
    await app.run();
    expect(await app.get(ani)).toMatchObject({ status: 'active' });
  });
});
