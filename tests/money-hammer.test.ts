import { expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import { publicId } from '#contract/base/ids.ts';
import type { Topup } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { paymentsActs } from '#server/domains/payments/payments.ts';
import { isLocked, openDatabase } from '#server/infra/postgres/database.ts';
import { seededRandom } from './chaos/faults/random.ts';
import { test } from './support/database/database.ts';
import { operatorsOf } from './support/money/desk.ts';
import { billingApp } from './support/money/billing.ts';
import { perform, topupApp } from './support/money/topups.ts';
import { type Customer, customerWith, orderOf } from './support/people/people.ts';

/** Accounts with plans, and accounts that pay per message. */
const SUBSCRIBERS = 4;
const OTHERS = 2;
/** Number of rounds; more, until every kind of event has happened. */
const ROUNDS = process.env['TEST_ALL'] === '1' ? 10 : 5;
const ROUNDS_MAX = 40;
const AT_ONCE = 50;

test('keeps the books right with 50 connections that move money in every way', async ({ db }) => {
  const open = (as: 'all accounts' | 'tenant', max: number) =>
    openDatabase(db.url, { max, as, name: 'hammer' });
  const many = { ...db, allAccountsSql: open('all accounts', 35), tenantSql: open('tenant', 15) };
  const app = await topupApp(many, { ppn: true });
  const plans = billingApp(many, app.clock.now());
  const subscribers = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, () => plans.customer(1_500_000)),
  );
  const others = await Promise.all(
    Array.from({ length: OTHERS }, () => customerWith(db.allAccountsSql, { saldo: 200_000 })),
  );
  const people = [...subscribers, ...others];
  const [oka] = await operatorsOf(db.allAccountsSql, app);
  if (!oka) throw new Error('no operator');
  const intake = openIntake(many.allAccountsSql, () => undefined);
  const acts = paymentsActs(app.deps);
  const topups: { who: Customer; topup: Topup }[] = [];
  const random = seededRandom(12);
  const reason = 'Diminta pelanggan';
  const anyTopup = (n: number) => topups[(n * 7) % Math.max(1, topups.length)];

  const send = async (who: Customer, n: number) => {
    const { results } = await intake.accept(orderOf(who, { prices: [150, 150, 150] }));
    const ids = results.filter(({ outcome }) => outcome === 'accepted').map(({ id }) => id);
    const outcome = ['sent', 'failed', 'expired', 'delivered'][n % 4];
    const settle = (what = 'sent') => many.allAccountsSql`
      select count(*) from settle_batch(${who.accountId}, null, null, ${ids}::uuid[],
        ${ids.map(() => what)}::text[], ${ids.map(() => null)}::text[],
        ${ids.map(() => app.clock.now())}::timestamptz[])`;
    await Promise.all([settle(outcome), settle(n % 3 === 0 ? 'delivered' : outcome)]);
  };
  const kinds: ((who: Customer, n: number) => Promise<unknown>)[] = [
    send,
    async (who, n) => {
      const topup = await app.topup(who.accountId, 20_000 + n);
      topups.push({ who, topup });
      const reference = `TRX ${topup.id}`;
      await Promise.all([1, 2].map(() => app.transfer(topup.total, { reference })));
      if (n % 2 === 0) await app.transfer(topup.total, { reference: `${reference} lagi` });
    },
    (who, n) =>
      subscribers.includes(who)
        ? plans.choose(who, n % 2 === 0 ? 'bisnis' : 'usaha')
        : send(who, n),
    (_, n) => {
      const one = anyTopup(n);
      return one
        ? perform(acts, 'topup_cancel', one.who, { topup_id: one.topup.id })
        : Promise.resolve();
    },
    send,
    (_, n) => {
      const one = anyTopup(n);
      return one
        ? oka.ask('operator_payment_refund', { topup_id: one.topup.id, reason })
        : Promise.resolve();
    },
    (who, n) =>
      oka.ask('operator_adjust', {
        account_id: publicId('account', who.accountId),
        direction: n % 2 === 0 ? 'add' : 'subtract',
        amount: 1_000 + n,
        cause: 'correction',
        reason,
      }),
    async () => {
      const found = await many.allAccountsSql<{ provider: string; txn_id: string }[]>`
        select provider, txn_id from provider_payments where outcome = 'second' order by random() limit 1`;
      for (const { provider, txn_id: txn } of found) {
        await oka.ask('operator_suspense_credit', { provider, txn, reason });
      }
    },
    () => plans.run(),
    (who, n) => (subscribers.includes(who) ? plans.cancel(who) : send(who, n)),
  ];
  const expected = ['adjust', 'capture', 'hold', 'payout', 'plan', 'refund', 'release', 'topup'];
  const isComplete = async () => {
    const seen = await db.allAccountsSql<{ kind: string }[]>`
      select distinct kind from wallet_entries`;
    return expected.every((kind) => seen.some((one) => one.kind === kind));
  };
  try {
    let done = 0;
    for (let round = 0; round < ROUNDS || (round < ROUNDS_MAX && !(await isComplete())); round++) {
      const doing = Array.from({ length: AT_ONCE }, (_, place) => {
        const n = random.whole(0, 1_000_000);
        const [who, kind] = [people[place % people.length], kinds[n % kinds.length]];
        return who && kind ? kind(who, Math.floor(n / kinds.length)) : Promise.resolve();
      });
      for (const one of await Promise.allSettled(doing)) {
        // On a slow machine, fifty wait longer for the same wallet than a statement may; such a call did nothing.
        if (one.status === 'fulfilled') done += 1;
        else if (!isLocked(one.reason)) expect(one.reason).toBeInstanceOf(Refusal);
      }
      app.clock.pass(1);
    }
    expect(done).toBeGreaterThan((ROUNDS * AT_ONCE) / 2);
    expect(topups.length).toBeGreaterThan(10);
    expect(await isComplete()).toBe(true);
    expect([...app.troubles, ...plans.troubles]).toEqual([]);
  } finally {
    await intake.close();
    await Promise.all([many.allAccountsSql.end(), many.tenantSql.end()]);
  }
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);
});
