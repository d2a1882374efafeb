import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { type TopupApp, idOf, perform, saldoOf, topupApp } from '#tests/support/money/topups.ts';
import { operatorActs } from './operator.ts';

const operator = { accountId: randomUUID(), userId: randomUUID(), role: 'operator' as const };

const ask = (app: TopupApp, name: string, fields: Record<string, unknown>) =>
  perform(operatorActs(app.deps), name, operator, fields);

const list = async (app: TopupApp, fields: Record<string, unknown> = {}) =>
  (await ask(app, 'operator_topup_list', fields)) as { rows: OperatorTopup[]; total: number };

const confirm = (app: TopupApp, { id }: Topup, reference: string) =>
  ask(app, 'operator_topup_confirm', { topup_id: id, reference, reason: 'Cocok dengan mutasi' });

const reject = (app: TopupApp, { id }: Topup) =>
  ask(app, 'operator_topup_reject', { topup_id: id, reason: 'Transfer tidak pernah masuk' });

describe('the list of top-ups', () => {
  test('lists the top-ups of all accounts with their names, the newest first', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const first = await app.topup(ani.accountId);
    const second = await app.topup(budi.accountId);
    const { rows, total } = await list(app);
    expect(total).toBe(2);
    expect(rows.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(rows.every(({ account_name }) => account_name.startsWith('Toko'))).toBe(true);
    expect((await list(app, { page: '1' })).rows).toEqual([]);
    expect((await list(app, { sort_type: 'asc' })).rows[0]?.id).toBe(first.id);
  });

  test('open means waiting for an operator; a late one is expired before any job has run', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    await app.topup(ani.accountId);
    app.clock.pass(24);
    const waiting = await app.topup(ani.accountId);
    const ids = async (status: string) => (await list(app, { status })).rows.map(({ id }) => id);
    expect(await ids('open')).toEqual([]);
    expect(await ids('pending')).toEqual([waiting.id]);
    expect(await ids('expired')).toHaveLength(1);
    await sql`update topups set status = 'review' where topup_id = ${idOf(waiting)}`;
    expect(await ids('open')).toEqual([waiting.id]);
    expect(await ids('pending')).toEqual([]);
    expect(await ids('paid')).toEqual([]);
  });

  test('offers the unused bank lines near the amount, nearest first', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(topup.total - topup.unique_code, { reference: 'forgot' });
    await app.transfer(topup.total + 1_000, { reference: 'too far' });
    await app.transfer(topup.base - 1_000_000 + 2_000_000, { reference: 'elsewhere' });
    const [row] = (await list(app)).rows;
    expect(row?.candidates).toEqual([
      {
        line: expect.stringMatching(/^[0-9a-f]{64}$/),
        amount: topup.base,
        description: 'ANI S',
        at: app.clock.now(),
        mine: false,
      },
    ]);
  });
});

describe('confirming by hand', () => {
  test('with a typed reference credits the exact amount and records operator and reason', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    expect(await confirm(app, topup, 'TRX 12345')).toMatchObject({
      status: 'paid',
      candidates: [],
      paid_at: app.clock.now(),
    });
    expect((await saldoOf(sql, ani.accountId)).available).toBe(topup.credited);
    expect(await sql`select decision, operator_id, reason, reference from topup_decisions`).toEqual(
      [
        {
          decision: 'confirmed',
          operator_id: operator.userId,
          reason: 'Cocok dengan mutasi',
          reference: 'TRX12345',
        },
      ],
    );
  });

  test('uses a reference for one top-up only, however it is spelled', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [first, second] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    await confirm(app, first, 'TRX 12345');
    for (const spelling of [' trx  12345 ', 'TRX12345', 'ＴＲＸ 12345', 'TRX\u200b12345']) {
      await expect(confirm(app, second, spelling)).rejects.toEqual(
        new Refusal('bank_line_used', {}),
      );
    }
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
  });

  test('refuses a bank line that has already paid by itself', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [first, second] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    await app.transfer(first.total, { reference: 'TRX 1' });
    const [line] = await sql<{ hash: string }[]>`select hash from bank_lines`;
    for (const reference of ['TRX 1', line?.hash ?? '']) {
      await expect(confirm(app, second, reference)).rejects.toEqual(
        new Refusal('bank_line_used', {}),
      );
    }
  });

  test('credits the received amount if the kode unik was forgotten', async ({ sql, db }) => {
    const app = await topupApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 100_000);
    await app.transfer(111_000);
    const [row] = (await list(app)).rows;
    const paid = await confirm(app, topup, row?.candidates[0]?.line ?? '');
    expect(paid).toMatchObject({ status: 'paid', credited: 100_000 });
    expect((paid as Topup).note).toMatch(/^Transfer yang masuk Rp\s111\.000\.$/);
    expect((await saldoOf(sql, ani.accountId)).available).toBe(100_000);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('takes a missing amount from our income before the saldo', async ({ sql, db }) => {
    const app = await topupApp(db, { kodeUnik: 'income' });
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId, 100_000);
    await app.transfer(100_000, { reference: 'no code' });
    expect(await confirm(app, topup, 'no code')).toMatchObject({ credited: 100_000 });
    expect(await sql`select from gl_lines where gl_account = 'inc:kode_unik'`).toHaveLength(0);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('refuses a bank line of a different amount, and changes nothing', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(500_000, { reference: 'TRX 9' });
    await expect(confirm(app, topup, 'TRX 9')).rejects.toEqual(
      new Refusal('topup_amount_mismatch', { total: topup.total, received: 500_000 }),
    );
    expect(await sql`select status from topups`).toEqual([{ status: 'pending' }]);
    expect(await sql`select from provider_payments`).toHaveLength(0);
  });

  test('refuses a top-up that is paid, rejected or unknown', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [paid, rejected] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    await app.transfer(paid.total);
    await reject(app, rejected);
    await expect(confirm(app, paid, 'TRX 2')).rejects.toEqual(
      new Refusal('topup_already_paid', {}),
    );
    await expect(confirm(app, rejected, 'TRX 2')).rejects.toEqual(new Refusal('topup_closed', {}));
    const nobody = { ...paid, id: `TU-${'0'.repeat(25)}1` };
    await expect(confirm(app, nobody, 'TRX 2')).rejects.toEqual(
      new Refusal('not_found', { what: 'Isi saldo' }),
    );
    await expect(reject(app, nobody)).rejects.toEqual(
      new Refusal('not_found', { what: 'Isi saldo' }),
    );
  });

  test('requires a reason', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { id } = await app.topup(ani.accountId);
    const fields = { topup_id: id, reference: 'TRX 2', reason: '  ' };
    await expect(ask(app, 'operator_topup_confirm', fields)).rejects.toThrow('Tulis alasannya.');
  });
});

describe('rejecting', () => {
  test('shows the reason to the customer', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    expect(await reject(app, topup)).toMatchObject({
      status: 'rejected',
      note: 'Transfer tidak pernah masuk',
    });
  });

  test('is refused for a paid or closed top-up', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [paid, late] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    await app.transfer(paid.total);
    app.clock.pass(24);
    await expect(reject(app, paid)).rejects.toEqual(new Refusal('topup_already_paid', {}));
    await expect(reject(app, late)).rejects.toEqual(new Refusal('topup_closed', {}));
  });
});
