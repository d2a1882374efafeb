import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { expireTopups } from '#server/domains/payments/payments.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { completeSeller, idOf, topupApp } from '#tests/support/money/topups.ts';

const migration = join(import.meta.dirname, '../../../migrations/0018_invoices.sql');

test('top-ups from before there were invoices get theirs, numbered in the order of payment', async ({
  sql,
  db,
}) => {
  const app = await topupApp(db, { ppn: true });
  const ani = await customerWith(sql);
  const first = await app.topup(ani.accountId, 100_000);
  const second = await app.topup(ani.accountId, 250_000);
  const third = await app.topup(ani.accountId, 60_000);
  await app.transfer(second.total);
  app.clock.pass(1);
  await app.transfer(first.total);
  app.clock.pass(24);
  await expireTopups(app.deps);
  const open = await app.topup(ani.accountId, 70_000);

  // As it stood before the migration, which is then applied.
  await db.owner.query(`
    drop table invoice_documents, invoice_refs, invoice_counters, invoices, billing_profiles, sellers;
    alter table topups drop column invoice_id`);
  await db.owner.query(await readFile(migration, 'utf8'));

  const made = await sql<{ id: string; status: string; number: string | null; ppn: number }[]>`
    select invoice_id as id, status, number, ppn from invoices order by invoice_id`;
  expect(made).toEqual([
    { id: idOf(first), status: 'paid', number: 'INV/2026/11/000002', ppn: 11_000 },
    { id: idOf(second), status: 'paid', number: 'INV/2026/11/000001', ppn: 27_500 },
    { id: idOf(third), status: 'expired', number: null, ppn: 6_600 },
    { id: idOf(open), status: 'open', number: null, ppn: 7_700 },
  ]);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  // Numbers go on where they ended.
  await completeSeller(db);
  await app.transfer(open.total);
  const [paid] = await sql`select number from invoices where invoice_id = ${idOf(open)}`;
  expect(paid).toEqual({ number: 'INV/2026/11/000003' });
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});
