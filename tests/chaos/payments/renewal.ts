import { expect } from 'vitest';
import { expectBooks } from './books.ts';
import { holdLock } from './held-lock.ts';
import type { Person, System } from './system.ts';

export type Subscriber = { person: Person; price: number; letGo(): Promise<void> };

const SALDO = 250_000;

/** @param stands the lock that stalls the renewal: the wallet it charges, or its invoice number. */
export async function newSubscriber(
  system: System,
  stands: 'wallet' | 'number',
): Promise<Subscriber> {
  const { owner } = system.resources;
  const person = await system.customer(SALDO);
  const { accountId } = person;
  const preview = await system.ask(person, 'subscription_preview', { plan: 'usaha' });
  expect(preview).toMatchObject({ code: 1 });
  const { quote, total: price } = preview.data;
  const first = await system.ask(person, 'subscription_change', { plan: 'usaha', quote });
  expect(first).toMatchObject({ code: 1, data: { status: 'active' } });

  const lock = await holdLock(owner, (tx) =>
    stands === 'wallet'
      ? tx`select from wallets where account_id = ${accountId} for update`
      : tx`lock table invoice_counters in share row exclusive mode`,
  );
  const untilDue = Date.parse(first.data.next_charge.at) - system.now().getTime();
  const renewed = system.passOnce(untilDue / 1_000 + 60).catch(() => undefined);
  await lock.stalls(stands === 'wallet' ? 'lock_wallet' : 'settle_invoice');
  return {
    person,
    price,
    letGo: async () => {
      await lock.release();
      await renewed;
    },
  };
}

/** Checks two periods, each charged once with one invoice, and that all books are right. */
export async function expectRenewedOnce(
  system: System,
  { person, price }: Subscriber,
): Promise<void> {
  const { allAccountsSql: sql } = system.resources;
  const { accountId } = person;
  const entries = await sql`
    select d_available as amount from wallet_entries
    where account_id = ${accountId} and kind = 'plan'`;
  expect(entries).toEqual([{ amount: -price }, { amount: -price }]);
  expect(await sql`select available from wallets where account_id = ${accountId}`).toEqual([
    { available: SALDO - 2 * price },
  ]);
  const charged = await sql`
    select distinct period_start from subscription_charges where account_id = ${accountId}`;
  expect(charged).toHaveLength(2);
  const invoices = await sql`
    select status, number from invoices where account_id = ${accountId}`;
  const paid = { status: 'paid', number: expect.stringMatching(/^INV\//) };
  expect(invoices).toEqual([paid, paid]);
  expect(await sql`select status from subscriptions where account_id = ${accountId}`).toEqual([
    { status: 'active' },
  ]);
  await expectBooks(sql);
}
