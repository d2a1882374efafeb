import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { retrying } from '#server/infra/postgres/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { repeatImport, newStatement } from './payments/bank.ts';
import { expectBooks, expectPaidOnce, orderOf } from './payments/books.ts';
import { BASE, type Payment, cuts, newPayment, orderIn } from './payments/cuts.ts';
import { expectRenewedOnce, newSubscriber } from './payments/renewal.ts';
import { type System, type Victim, openSystem } from './payments/system.ts';

/**
 * One application with its own database, and gateways outside of it. Before each kill the test proves where the payment
 * is: the gateway holds its request, or the server reports that it waits for a lock of the test.
 */
let system: System;
beforeAll(async () => {
  system = await openSystem();
});
afterAll(async () => {
  expect(await system.close()).toEqual([]);
});
afterEach(() => {
  system.notices.isLost = false;
  system.notices.losesAnswers = false;
});

const victims: readonly Victim[] = ['application', 'database'];

/** Longer than a claimed notice's lease, an order's first check, and a gateway's first retry. */
const A_WHILE_SECONDS = 140;

describe.for(victims)('pays a top-up once if the %s is killed when', (victim) => {
  for (const cut of cuts)
    test(`${cut.when} (${cut.method})`, async () => {
      const person = await system.customer();
      const payment = newPayment(system, person, cut.method);
      const letGo = await cut.reach(payment);
      await system.kill(victim);
      await letGo(victim);
      await system.recover();
      await repeatRequest(payment);
      await system.pass(A_WHILE_SECONDS);
      await payOnce(payment);
      await expectPaidOnce(system, person, BASE);
      const { id } = await orderOf(system, person);
      expect(system.fake.book.all(id)).toHaveLength(1);
      system.notices.isLost = false;
      system.fake.notify(id, 'settlement');
      await system.fake.queue.flush();
      expect(system.notices.answers.at(-1)).toBe(200);
      await waitFor(noNoticeWaits);
      await expectPaidOnce(system, person, BASE);
    });
});

describe.for(victims)('counts a bank statement once if the %s is killed while', (victim) => {
  for (const [stalled, what] of [
    'its first line is being paid',
    'its first line is paid and the second is being paid',
  ].entries())
    test(what, async () => {
      const statement = await newStatement(system, stalled);
      await system.kill(victim);
      await statement.letGo();
      await system.recover();
      await repeatImport(system, statement);
      for (const { person, total } of statement.payers) await expectPaidOnce(system, person, total);
    });
});

describe.for(victims)('renews a plan once if the %s is killed while', (victim) => {
  for (const [stands, what] of [
    ['wallet', 'its price is being charged'],
    ['number', 'its invoice’s number is being taken'],
  ] as const)
    test(what, async () => {
      const subscriber = await newSubscriber(system, stands);
      await system.kill(victim);
      await subscriber.letGo();
      await system.recover();
      await system.pass(1);
      await expectRenewedOnce(system, subscriber);
    });
});

/** The browser, which got no answer, repeats its call with the same key: it is the same top-up. */
async function repeatRequest(payment: Payment): Promise<void> {
  // A call that died with its process is free after half a minute of the database's clock.
  await retrying(
    () => system.resources.owner`
      update idempotent_responses set created_at = created_at - interval '1 minute' where status is null`,
  );
  const repeated = await payment.place();
  const { id } = await orderOf(system, payment.person);
  expect(repeated).toMatchObject({ code: 1, data: { id } });
}

/** Pays the top-up unless it is paid, delivers due notices, and waits until it is paid. */
async function payOnce(payment: Payment): Promise<void> {
  const { id, status } = await orderOf(system, payment.person);
  if (status === 'creating') await orderIn(payment, 'pending');
  if (system.fake.book.find(id)?.status !== 'settlement') system.fake.happen(id, 'pay');
  await system.fake.queue.flush();
  await orderIn(payment, 'paid');
}

async function noNoticeWaits(): Promise<void> {
  const waiting = await system.resources.allAccountsSql`
    select order_ref, attempts from payment_inbox where processed_at is null`;
  expect(waiting).toEqual([]);
}

test('ends with right books and without waiting notices', async () => {
  await system.pass(A_WHILE_SECONDS);
  await waitFor(noNoticeWaits);
  await expectBooks(system.resources.allAccountsSql);
});
