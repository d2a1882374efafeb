import { describe, expect } from 'vitest';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { idOf, perform, saldoOf, topupApp } from '#tests/support/money/topups.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { paymentsActs, expireTopups } from './payments.ts';

describe('a line of our bank account', () => {
  test('of exactly the reserved amount pays its top-up', async ({ sql, db }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const topup = await app.topup(ani.accountId);
    await app.topup(budi.accountId);
    expect(await app.transfer(topup.total)).toEqual({ matched: true });
    expect(await saldoOf(sql, ani.accountId)).toEqual({ available: topup.credited, topups: 1 });
    expect(await saldoOf(sql, budi.accountId)).toEqual({ available: 0, topups: 0 });
    expect(await sql`select topup_id from bank_lines`).toEqual([{ topup_id: idOf(topup) }]);
  });

  test('read twice, with its text in any spelling, pays once', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    const reference = 'TRX 001';
    const all = await Promise.all([
      app.transfer(total, { reference }),
      app.transfer(total, { reference: ' trx  001 ' }),
      app.transfer(total, { reference }),
    ]);
    expect(all).toEqual([{ matched: true }, { matched: true }, { matched: true }]);
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
    expect(await sql`select from bank_lines`).toHaveLength(1);
    expect(await sql`select from provider_payments`).toHaveLength(1);
  });

  test('of another amount is stored and pays nothing', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    expect(await app.transfer(total + 1_000)).toEqual({ matched: false });
    expect(await sql`select topup_id from bank_lines`).toEqual([{ topup_id: null }]);
    expect((await saldoOf(sql, ani.accountId)).available).toBe(0);
  });

  test('older than the top-up does not pay it', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    const yesterday = new Date('2026-11-20T10:00:00Z');
    expect(await app.transfer(total, { at: yesterday })).toEqual({ matched: false });
    // A statement without times says midnight, which counts as today.
    const today = new Date('2026-11-20T17:00:00Z');
    expect(await app.transfer(total, { at: today })).toEqual({ matched: true });
  });

  test('that is late still pays, with a note', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    app.clock.pass(6 * 24);
    await expireTopups(app.deps);
    expect(await app.transfer(topup.total)).toEqual({ matched: true });
    const acts = paymentsActs(app.deps);
    expect(await perform(acts, 'topup_get', ani, { topup_id: topup.id })).toMatchObject({
      status: 'paid',
      note: 'Dibayar setelah kedaluwarsa.',
      paid_at: app.clock.now(),
    });
  });

  test('after the reservation has ended pays nothing', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    app.clock.pass(24);
    await expireTopups(app.deps);
    app.clock.pass(7 * 24);
    await expireTopups(app.deps);
    expect(await app.transfer(total)).toEqual({ matched: false });
  });

  test('for a top-up paid before lies in suspense, and pays no other customer', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(topup.total);
    const second = { reference: 'TRX-second' };
    expect(await app.transfer(topup.total, second)).toEqual({ matched: false });
    expect(await app.transfer(topup.total, second)).toEqual({ matched: false });
    expect((await saldoOf(sql, ani.accountId)).available).toBe(topup.credited);
    expect(
      await sql`select sum(amount)::bigint as amount from gl_lines where gl_account = 'suspense'`,
    ).toEqual([{ amount: -topup.total }]);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('joins the payment that an operator confirmed earlier by its reference', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    const operator = { accountId: ani.accountId, role: 'operator' as const };
    await perform(operatorActs(app.deps), 'operator_topup_confirm', operator, {
      topup_id: topup.id,
      reference: 'TRX 77',
      reason: 'Slip dari pelanggan',
    });
    expect(await app.transfer(topup.total, { reference: 'trx 77' })).toEqual({ matched: true });
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
    expect(await sql`select outcome from provider_payments`).toEqual([{ outcome: 'paid' }]);
  });

  test('for a rejected top-up is stored for the operator, and pays nothing', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    await sql`update topups set status = 'rejected'`;
    expect(await app.transfer(total)).toEqual({ matched: false });
    expect(await sql`select topup_id from bank_lines`).toEqual([{ topup_id: null }]);
  });
});
