import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Person, System } from './system.ts';

export type Order = { id: string; uuid: string; status: string };

/** @throws if there is none, or more than one. */
export async function orderOf({ resources }: System, { accountId }: Person): Promise<Order> {
  const found = await resources.allAccountsSql<{ uuid: string; status: string }[]>`
    select topup_id as uuid, status from topups where account_id = ${accountId}`;
  expect(found).toHaveLength(1);
  const [order] = found;
  if (!order) throw new Error('no top-up');
  return { ...order, id: publicId('topup', order.uuid) };
}

/** Checks that a top-up was paid once with all its consequences, and that all books are right. */
export async function expectPaidOnce(
  system: System,
  person: Person,
  credited: number,
): Promise<void> {
  const { allAccountsSql: sql } = system.resources;
  const { accountId } = person;
  const order = await orderOf(system, person);
  expect(order.status).toBe('paid');
  const entries = await sql`
    select kind, d_available as amount, idem_key from wallet_entries where account_id = ${accountId}`;
  expect(entries).toEqual([{ kind: 'topup', amount: credited, idem_key: `topup:${order.uuid}` }]);
  expect(await sql`select available, held from wallets where account_id = ${accountId}`).toEqual([
    { available: credited, held: 0 },
  ]);
  const payments = await sql`
    select outcome from provider_payments where account_id = ${accountId}`;
  expect(payments).toEqual([{ outcome: 'paid' }]);
  const invoices = await sql`
    select status, number, received from invoices where account_id = ${accountId}`;
  expect(invoices).toEqual([
    { status: 'paid', number: expect.stringMatching(/^INV\//), received: credited },
  ]);
  await expectBooks(sql);
}

export async function expectBooks(sql: Sql): Promise<void> {
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  const gaps = await sql`
    select series, month, last from invoice_counters c
    where last <> (
      select count(distinct number) from invoices
      where number like c.series || '/' || to_char(c.month, 'YYYY/MM') || '/%'
    )`;
  expect(gaps).toEqual([]);
}
