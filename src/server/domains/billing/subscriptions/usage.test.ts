import { expect } from 'vitest';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { billingApp } from '#tests/support/money/billing.ts';
import { type RunningApp, signedIn, test as appTest } from '#tests/support/app/running-app.ts';
import { type Customer, changeSessions } from '#tests/support/people/people.ts';
import { forecastOf } from './acts.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';
import { idOf, insertMessages } from '#tests/support/people/stored-messages.ts';

type Accepted = { at: string; count: number; price: number; charge?: 'released' | 'waived' };

async function accepted(db: TestDatabase, who: Customer, all: readonly Accepted[]): Promise<void> {
  for (const { at, count, price, charge = 'captured' } of all) {
    const made = Array.from({ length: count }, (_, n) => ({
      id: idOf(new Date(at)),
      tokenId: who.tokenId,
      status: 'sent',
      ...(price > 0 && { price, charge, holdSeq: n + 1 }),
    }));
    await insertMessages(db.owner, who.accountId, made);
  }
}

test('shows usage, overage and the forecast', async ({ db }) => {
  const app = billingApp(db);
  const ani = await app.customer();
  await changeWallets(db.owner, {}, { planUsed: 100 });
  await accepted(db, ani, [
    { at: '2026-11-22T03:00Z', count: 20, price: 150 },
    { at: '2026-11-22T03:00Z', count: 7, price: 150, charge: 'released' },
    { at: '2026-11-22T03:00Z', count: 2, price: 150, charge: 'waived' },
    { at: '2026-11-22T03:00Z', count: 50, price: 0 },
    { at: '2026-11-20T16:00Z', count: 9, price: 150 },
  ]);
  expect((await app.get(ani)).usage).toEqual({
    used: 100,
    quota: 100,
    beyond: 20,
    beyond_amount: 3_000,
    forecast: null,
  });
  app.goTo('2026-11-27T00:00');
  expect((await app.get(ani)).usage.forecast).toBe(600);
});

test('counts overage, even where a higher price applied earlier on the same day', async ({
  db,
}) => {
  const app = billingApp(db);
  const ani = await app.customer(99_000);
  // Three at the free plan's 150 would look like six at the plan's 75.
  await accepted(db, ani, [{ at: '2026-11-21T01:00Z', count: 3, price: 150 }]);
  await app.choose(ani, 'usaha');
  await accepted(db, ani, [{ at: '2026-11-21T03:00Z', count: 4, price: 75 }]);
  expect((await app.get(ani)).usage).toMatchObject({ beyond: 7, beyond_amount: 750 });
});

test('forecasts linearly, and not on the first day', () => {
  const span = { start: new Date('2026-11-20T17:00Z'), end: new Date('2026-12-20T17:00Z') };
  const at = (day: string) => forecastOf({ ...span, at: new Date(day), messages: 300 });
  expect(at('2026-11-21T16:59Z')).toBeNull();
  expect(at('2026-11-21T17:00Z')).toBe(9_000);
  expect(at('2026-12-05T17:00Z')).toBe(600);
  expect(at('2026-12-25T17:00Z')).toBe(300);
});

const moveClock = (running: RunningApp, to: string) =>
  running.ask('simulator_clock', { to, key: crypto.randomUUID() });

appTest(
  'in the whole application: chosen, renewed by the moved clock, told in a message',
  async ({ db, openApp }) => {
    const running = await openApp({ env: { CLOCK: 'movable' } });
    const ani = await signedIn(db, { saldo: 250_000 });
    const ask = async (act: string, fields = {}) => {
      const { body } = await running.ask(act, {
        token: ani.token,
        key: crypto.randomUUID(),
        ...fields,
      });
      return body;
    };
    const { quote, total } = (await ask('subscription_preview', { plan: 'usaha' })).data;
    expect(total).toBe(99_000);
    const key = crypto.randomUUID();
    const first = await ask('subscription_change', { plan: 'usaha', quote, key });
    expect(first.data).toMatchObject({ status: 'active', plan: { code: 'usaha' } });
    expect(await ask('subscription_change', { plan: 'usaha', quote, key })).toEqual(first);
    expect((await ask('saldo_summary')).data).toMatchObject({ available: 151_000 });

    const { next_charge: next } = first.data;
    expect((await moveClock(running, next.at)).body.data.now >= next.at).toBe(true);
    expect((await ask('subscription_get')).data.period_start).toBe(next.at);
    expect((await ask('saldo_summary')).data).toMatchObject({ available: 52_000 });
    const told = await db.allAccountsSql`select subject from billing_notices`;
    expect(told).toMatchObject([{ subject: expect.stringMatching(/^charged:/) }]);
  },
);

appTest('a clock that is not set to be moved cannot be', async ({ openApp }) => {
  const running = await openApp();
  const { body } = await moveClock(running, '2030-01-01T00:00:00Z');
  expect(body).toMatchObject({ code: 0, error: { type: 'act_unknown' } });
});

appTest('a plan of one token has no second one', async ({ db, openApp }) => {
  const running = await openApp();
  const ani = await signedIn(db);
  const fields = { token: ani.token, key: crypto.randomUUID() };
  await running.ask('subscription_get', fields);
  await changeSessions(db.owner, {}, { reauthAt: 'now' });
  const { body } = await running.ask('token_create', {
    ...fields,
    name: 'Dua',
    channel: 'simulator',
  });
  expect(body).toMatchObject({ error: { type: 'tokens_full' } });
});
