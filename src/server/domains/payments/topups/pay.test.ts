import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { paymentsActs } from '#server/domains/payments/payments.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { type TopupApp, idOf, perform, topupApp } from '#tests/support/money/topups.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { type Payment, applyPayments } from './pay.ts';

async function someTopups(app: TopupApp, db: TestDatabase) {
  const operator = { accountId: randomUUID(), userId: randomUUID(), role: 'operator' } as const;
  const owners = [await customerWith(db.allAccountsSql), await customerWith(db.allAccountsSql)];
  const topups = [];
  for (const owner of owners) {
    for (const state of ['pending', 'cancelled', 'rejected'] as const) {
      const topup = await app.topup(owner.accountId);
      const fields = { topup_id: topup.id };
      if (state === 'cancelled')
        await perform(paymentsActs(app.deps), 'topup_cancel', owner, fields);
      if (state === 'rejected') {
        const reasoned = { ...fields, reason: 'Tidak ada' };
        await perform(operatorActs(app.deps), 'operator_topup_reject', operator, reasoned);
      }
      topups.push({ accountId: owner.accountId, topupId: idOf(topup), total: topup.total });
    }
  }
  return topups;
}

const payment = fc.record({
  /** Index of a top-up; the index beyond the last is unknown. */
  topup: fc.nat({ max: 6 }),
  txn: fc.nat({ max: 5 }),
  off: fc.constantFrom(0, 0, 0, 0, 500, 5_000),
});

test('payments applied together have the same effect as one by one, in their order', async ({
  sql,
  db,
}) => {
  const app = await topupApp(db, { ppn: true });
  const come = async (payments: readonly Payment[][], byHand: boolean) => {
    const outcomes = [];
    for (const together of payments) {
      outcomes.push(...(await sql.begin((tx) => applyPayments(tx, together, { byHand }))));
    }
    return outcomes;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(payment, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (all, byHand) => {
        const sides = [];
        for (const side of ['together', 'alone']) {
          const topups = await someTopups(app, db);
          const run = randomUUID();
          const payments = all.map(({ topup, txn, off }): Payment => {
            const nobody = { accountId: randomUUID(), topupId: randomUUID(), total: 50_000 };
            const { total, ...whose } = topups[topup] ?? nobody;
            const txnId = `${run}-${txn}`;
            const amount = rupiah(total + off);
            return { ...whose, txnId, amount, at: app.clock.now(), actor: 'test' };
          });
          const lots = side === 'together' ? [payments] : payments.map((one) => [one]);
          const outcomes = await come(lots, byHand);
          const ids = topups.map(({ topupId }) => topupId);
          const ends = await sql<{ status: string; entries: number; invoice: string }[]>`
            select t.status, i.status as invoice, (
                select count(*) from wallet_entries e
                where e.account_id = t.account_id and e.ref_id = t.topup_id::text
              ) as entries, (
                select count(*) from provider_payments p
                where p.account_id = t.account_id and p.topup_id = t.topup_id
              ) as payments, (
                select count(*) from outbox o
                where o.account_id = t.account_id and o.kind = 'topup.changed'
                  and o.data ->> 'topup_id' = public_id('TU-', t.topup_id)
              ) as told
            from topups t join invoices i on i.account_id = t.account_id and i.invoice_id = t.topup_id
            where t.topup_id = any (${ids}::uuid[]) order by t.topup_id`;
          sides.push({ outcomes, ends: ends.map((end) => ({ ...end })) });
        }
        expect(sides[0]).toEqual(sides[1]);
      },
    ),
    { numRuns: 12, includeErrorInReport: true },
  );
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

test('one failing payment rolls back all of them', async ({ sql, db }) => {
  const app = await topupApp(db);
  const ani = await customerWith(sql);
  const first = await app.topup(ani.accountId);
  const second = await app.topup(ani.accountId);
  const paid = [first, second].map((topup) => ({
    accountId: ani.accountId,
    topupId: idOf(topup),
    txnId: `bank:${topup.id}`,
    amount: topup.total,
    at: app.clock.now(),
    actor: 'test',
  }));
  await db.owner`
    insert into gl_txns (account_id, txn_id, idem_key, kind)
    values (${ani.accountId}, gen_random_uuid(), ${`pay:${idOf(second)}`}, 'odd')`;
  await expect(sql.begin((tx) => applyPayments(tx, paid))).rejects.toThrow('duplicate key');
  expect(await sql`select from provider_payments`).toEqual([]);
  expect(await sql`select from topups where status = 'paid'`).toEqual([]);
  expect(await sql`select from invoice_counters`).toEqual([]);
});
