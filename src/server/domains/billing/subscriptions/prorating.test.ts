import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { savePlan } from '#server/domains/billing/billing.ts';
import { creditInvoices, settleInvoice } from '#server/domains/billing/invoices/issue.ts';
import { checkLedger } from '#server/domains/ledger/ledger.ts';
import { newId } from '#server/infra/ids.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { type BillingApp, billingApp } from '#tests/support/money/billing.ts';
import { invoicesApp, planInvoice } from '#tests/support/money/invoices.ts';
import { refundPayment } from '#tests/support/money/refunds.ts';
import { perform } from '#tests/support/money/topups.ts';
import { customerWith } from '#tests/support/people/people.ts';

const expectBooks = async (db: TestDatabase) =>
  expect((await checkLedger(db.allAccountsSql)).filter(({ ok }) => !ok)).toEqual([]);

/** Puts a plan on offer that includes what Usaha does. */
const offer = ({ deps, now }: BillingApp, code: string, price: number) =>
  deps.allAccountsSql.begin((tx) =>
    savePlan(tx, {
      code,
      name: code,
      description: '',
      price: rupiah(price),
      tokens: 3,
      quota: 5_000,
      overage: rupiah(75),
      isOffered: true,
      operatorId: newId(),
      at: now(),
    }),
  );

test('more than the newest invoice of a period is credited to those before it', async ({ db }) => {
  const app = billingApp(db);
  await offer(app, 'usaha-plus', 100_000);
  await offer(app, 'hemat', 50_000);
  const ani = await app.customer(1_000_000);
  await app.choose(ani, 'usaha');
  await app.choose(ani, 'usaha-plus');
  await app.choose(ani, 'hemat');
  expect(await app.saldo(ani)).toBe(950_000);
  const notes = await db.allAccountsSql`
    select n.total, i.total as of from invoices n join invoices i on i.invoice_id = n.credits
    where n.kind = 'credit_note' order by n.number`;
  expect(notes).toEqual([
    { total: 1_000, of: 1_000 },
    { total: 49_000, of: 99_000 },
  ]);
  await expectBooks(db);
});

test('a payment is given back also when a change of plan has credited a part of its invoice', async ({
  sql,
  db,
}) => {
  const app = await invoicesApp(db, { ppn: true });
  const ani = await customerWith(sql);
  const { accountId } = ani;
  const invoiceId = newId();
  const at = app.clock.now();
  await sql.begin((tx) => planInvoice(tx, { accountId, invoiceId, at }));
  await perform(app.acts, 'invoice_pay', ani, {
    invoice_id: publicId('invoice', invoiceId),
    method: 'bank',
  });
  const [made] = await sql<{ total: number }[]>`select total from topups`;
  const total = made?.total ?? 0;
  await app.transfer(total);
  const reason = 'Ganti paket';
  await sql.begin(async (tx) => {
    await settleInvoice(tx, { accountId, invoiceId, at, paidWith: 'saldo' });
    const credit = { accountId, invoiceIds: [invoiceId], amount: rupiah(49_000), reason, at };
    await creditInvoices(tx, credit);
  });
  const [payment] = await sql<{ topup_id: string; txn_id: string }[]>`
    select topup_id, txn_id from provider_payments`;
  const { topup_id: topupId = '', txn_id: txnId = '' } = payment ?? {};
  expect(await refundPayment(app.deps, { accountId, topupId, txnId })).toBe('by_hand');
  expect(
    await sql`select total, ppn from invoices where kind = 'credit_note' order by number`,
  ).toEqual([
    { total: 49_000, ppn: 0 },
    { total: total - 49_000, ppn: 16_390 },
  ]);
  await expectBooks(db);
});

test('on the last day a larger plan brings the messages of a day, not those of a month', async ({
  db,
}) => {
  const app = billingApp(db);
  const ani = await app.customer(1_000_000);
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-20T23:00');
  const preview = await app.preview(ani, 'bisnis');
  expect(preview).toMatchObject({ total: 6_667, days_left: 1, quota: 5_666 });
  const mine = await app.change(ani, 'bisnis', preview.quote);
  expect(mine.usage.quota).toBe(5_666);
  expect(await app.allowance(ani)).toMatchObject({ quota: 5_666, price: 50 });
  await app.choose(ani, 'usaha');
  app.goTo('2026-12-21T00:00');
  await app.run();
  expect(await app.allowance(ani)).toMatchObject({ quota: 5_000, price: 75 });
  await expectBooks(db);
});
