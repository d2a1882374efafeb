import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { retrying } from '#server/infra/postgres/database.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { importAgain, newStatement } from './payments/bank.ts';
import { expectBooks, expectPaidOnce, orderOf } from './payments/books.ts';
import { BASE, type Payment, cuts, newPayment, orderIn } from './payments/cuts.ts';
import { expectRenewedOnce, newSubscriber } from './payments/renewal.ts';
import { type Shop, type Victim, openShop } from './payments/shop.ts';

/**
 * One application with its own database, and gateways outside of it. Before each blow it is proven that
 * the payment stands exactly there: the gateway holds its request, or the server says that it waits for a
 * lock of the test.
 */
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => {
  expect(await shop.close()).toEqual([]);
});
afterEach(() => {
  shop.notices.isLost = false;
  shop.notices.losesAnswers = false;
});

const victims: readonly Victim[] = ['application', 'database'];

/** Longer than a taken notice's lease, the first look at an order, and a gateway's first repetition. */
const A_WHILE_SECONDS = 140;

describe.for(victims)('a top-up is paid once, the %s having been killed when', (victim) => {
  for (const cut of cuts)
    test(`${cut.when} (${cut.method})`, async () => {
      const person = await shop.customer();
      const payment = newPayment(shop, person, cut.method);
      const letGo = await cut.reach(payment);
      await shop.strike(victim);
      await letGo(victim);
      await shop.recover();
      await repeatRequest(payment);
      await shop.pass(A_WHILE_SECONDS);
      await payOnce(payment);
      await expectPaidOnce(shop, person, BASE);
      // The gateway tells it once more: nothing changes.
      const { id } = await orderOf(shop, person);
      expect(shop.fake.book.all(id)).toHaveLength(1);
      shop.notices.isLost = false;
      shop.fake.notify(id, 'settlement');
      await shop.fake.queue.flush();
      expect(shop.notices.answers.at(-1)).toBe(200);
      await waitFor(nothingWaits);
      await expectPaidOnce(shop, person, BASE);
    });
});

describe.for(victims)('a bank statement counts once when the %s is killed while', (victim) => {
  for (const [stalled, what] of [
    'its first line is being paid',
    'its first line is paid and the second is being paid',
  ].entries())
    test(what, async () => {
      const statement = await newStatement(shop, stalled);
      await shop.strike(victim);
      await statement.letGo();
      await shop.recover();
      await importAgain(shop, statement);
      for (const { person, total } of statement.payers) await expectPaidOnce(shop, person, total);
    });
});

describe.for(victims)('a plan is renewed once when the %s is killed while', (victim) => {
  for (const [stands, what] of [
    ['wallet', 'its price is being charged'],
    ['number', 'its invoice’s number is being taken'],
  ] as const)
    test(what, async () => {
      const subscriber = await newSubscriber(shop, stands);
      await shop.strike(victim);
      await subscriber.letGo();
      await shop.recover();
      await shop.pass(1);
      await expectRenewedOnce(shop, subscriber);
    });
});

/** The browser, which has no answer, asks again with its key: it is the same top-up. */
async function repeatRequest(payment: Payment): Promise<void> {
  // A call that died with its process is free after half a minute of the database's clock.
  await retrying(
    () => shop.resources.owner`
      update act_answers set created_at = created_at - interval '1 minute' where status is null`,
  );
  const again = await payment.place();
  const { id } = await orderOf(shop, payment.person);
  expect(again).toMatchObject({ code: 1, data: { id } });
}

/** Pays the top-up if nobody has, brings the notices that are due, and waits until it is paid. */
async function payOnce(payment: Payment): Promise<void> {
  const { id, status } = await orderOf(shop, payment.person);
  if (status === 'creating') await orderIn(payment, 'pending');
  if (shop.fake.book.find(id)?.status !== 'settlement') shop.fake.happen(id, 'pay');
  await shop.fake.queue.flush();
  await orderIn(payment, 'paid');
}

async function nothingWaits(): Promise<void> {
  const waiting = await shop.resources.allAccountsSql`
    select order_ref, attempts from payment_inbox where processed_at is null`;
  expect(waiting).toEqual([]);
}

test('in the end all books are right and no notice waits', async () => {
  await shop.pass(A_WHILE_SECONDS);
  await waitFor(nothingWaits);
  await expectBooks(shop.resources.allAccountsSql);
});
