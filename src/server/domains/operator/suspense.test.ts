import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import type { SuspenseItem } from '#contract/operator/payments.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { test as base } from '#tests/support/database/database.ts';
import { type ActingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { type TopupApp, saldoOf, topupApp } from '#tests/support/money/topups.ts';

const reason = 'Transfer dua kali';

type Desk = { app: TopupApp; oka: ActingOperator; ria: ActingOperator; ani: Customer };

const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await topupApp(db);
    const [oka, ria] = await operatorsOf(sql, app);
    if (!oka || !ria) throw new Error('expected two operators');
    await use({ app, oka, ria, ani: await customerWith(sql) });
  },
});

async function paidTwice({ app, ani }: Desk, base = 50_000): Promise<number> {
  const topup = await app.topup(ani.accountId, base);
  await app.transfer(topup.total);
  await app.transfer(topup.total);
  return topup.total;
}

const items = async (who: ActingOperator) =>
  ((await who.ask('operator_suspense_list')) as { rows: SuspenseItem[] }).rows;

const itemOf = async (who: ActingOperator): Promise<{ provider: string; txn: string }> => {
  const [item] = await items(who);
  if (!item) throw new Error('no payment in suspense');
  return { provider: item.provider, txn: item.txn };
};

const suspense = async (sql: Sql) => {
  const [sum] = await sql<{ amount: number }[]>`
    select coalesce(-sum(amount), 0)::bigint as amount from gl_all where gl_account = 'suspense'`;
  return sum?.amount;
};
const reds = async (sql: Sql) => (await checkLedger(sql)).filter(({ ok }) => !ok);

describe('a second payment', () => {
  test('lies in suspense until an operator decides', async ({ desk, sql }) => {
    const total = await paidTwice(desk);
    expect(await items(desk.oka)).toMatchObject([
      { amount: total, account_name: expect.stringMatching(/^Toko/), notes: [], waiting: null },
    ]);
    expect(await suspense(sql)).toBe(total);
  });

  test('can go to its customer’s saldo', async ({ desk, sql }) => {
    const total = await paidTwice(desk);
    const before = (await saldoOf(sql, desk.ani.accountId)).available;
    const item = await itemOf(desk.oka);
    expect(await desk.oka.ask('operator_suspense_credit', { ...item, reason })).toMatchObject({
      status: 'done',
      amount: total,
    });
    expect((await saldoOf(sql, desk.ani.accountId)).available).toBe(before + total);
    expect(await items(desk.oka)).toEqual([]);
    expect(await suspense(sql)).toBe(0);
    expect(await reds(sql)).toEqual([]);
  });

  test('can go back to its payer, with the reference of the transfer', async ({ desk, sql }) => {
    await paidTwice(desk);
    const item = await itemOf(desk.oka);
    const bank = { reference: 'BCA RETUR 1', payee: 'ANI S' };
    const ask = () => desk.oka.ask('operator_suspense_return', { ...item, ...bank, reason });
    expect(await ask()).toMatchObject({ status: 'done', kind: 'suspense_return' });
    await expect(ask()).rejects.toEqual(new Refusal('suspense_resolved', {}));
    expect((await saldoOf(sql, desk.ani.accountId)).topups).toBe(1);
    expect(await suspense(sql)).toBe(0);
    expect(await reds(sql)).toEqual([]);
  });

  test('can stay, with a note', async ({ desk, sql }) => {
    const total = await paidTwice(desk);
    const item = await itemOf(desk.oka);
    await desk.oka.ask('operator_suspense_keep', { ...item, reason: 'Menunggu jawaban bank' });
    expect(await items(desk.ria)).toMatchObject([
      { notes: [{ note: 'Menunggu jawaban bank', operator: 'Oka' }] },
    ]);
    expect(await suspense(sql)).toBe(total);
    expect(await reds(sql)).toEqual([]);
  });

  test('is resolved once by concurrent operators, in either way', async ({ desk, sql }) => {
    const total = await paidTwice(desk);
    const item = await itemOf(desk.oka);
    const bank = { reference: 'BCA RETUR 2', payee: 'ANI S' };
    const answers = await Promise.allSettled([
      desk.oka.ask('operator_suspense_credit', { ...item, reason }),
      desk.ria.ask('operator_suspense_return', { ...item, ...bank, reason }),
      desk.ria.ask('operator_suspense_credit', { ...item, reason }),
    ]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(total).toBeGreaterThan(0);
    expect(await suspense(sql)).toBe(0);
    expect(await reds(sql)).toEqual([]);
  });

  test('above the limit needs a second operator, and is listed as waiting', async ({
    desk,
    sql,
  }) => {
    await paidTwice(desk, 6_000_000);
    const item = await itemOf(desk.oka);
    const proposal = (await desk.oka.ask('operator_suspense_credit', {
      ...item,
      reason,
    })) as Adjustment;
    expect(proposal.status).toBe('pending');
    expect(await items(desk.ria)).toMatchObject([{ waiting: proposal.id }]);
    await desk.ria.ask('operator_adjustment_decide', {
      adjustment_id: proposal.id,
      decision: 'approve',
      reason: 'Cocok',
    });
    expect(await items(desk.ria)).toEqual([]);
    expect(await reds(sql)).toEqual([]);
  });

  test('is not found if it does not exist', async ({ desk: { oka } }) => {
    await expect(
      oka.ask('operator_suspense_credit', { provider: 'bank', txn: 'none', reason }),
    ).rejects.toEqual(new Refusal('not_found', { what: 'Dana' }));
  });
});
