import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import type { OperatorTopup } from '#contract/operator.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Topup } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import {
  type TopupHouse,
  idOf,
  perform,
  saldoOf,
  topupHouse,
} from '#tests/support/people/topups.ts';
import { operatorActs } from './operator.ts';

const operator = { accountId: randomUUID(), userId: randomUUID(), role: 'operator' as const };

const ask = (house: TopupHouse, name: string, fields: Record<string, unknown>) =>
  perform(operatorActs(house.deps), name, operator, fields);

const list = async (house: TopupHouse, fields: Record<string, unknown> = {}) =>
  (await ask(house, 'operator_topup_list', fields)) as { rows: OperatorTopup[]; total: number };

const confirm = (house: TopupHouse, { id }: Topup, reference: string) =>
  ask(house, 'operator_topup_confirm', { topup_id: id, reference, reason: 'Cocok dengan mutasi' });

const reject = (house: TopupHouse, { id }: Topup) =>
  ask(house, 'operator_topup_reject', { topup_id: id, reason: 'Transfer tidak pernah masuk' });

describe('the list of top-ups', () => {
  test("shows everybody's, with whose it is, the newest first", async ({ sql, db }) => {
    const house = await topupHouse(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const first = await house.topup(ani.accountId);
    const second = await house.topup(budi.accountId);
    const { rows, total } = await list(house);
    expect(total).toBe(2);
    expect(rows.map(({ id }) => id)).toEqual([second.id, first.id]);
    expect(rows.every(({ account_name }) => account_name.startsWith('Toko'))).toBe(true);
    expect((await list(house, { page: '1' })).rows).toEqual([]);
    expect((await list(house, { sort_type: 'asc' })).rows[0]?.id).toBe(first.id);
  });

  test('open is what waits for somebody; expired is so before any job has run', async ({
    sql,
    db,
  }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    await house.topup(ani.accountId);
    house.clock.pass(24);
    const waiting = await house.topup(ani.accountId);
    const ids = async (status: string) => (await list(house, { status })).rows.map(({ id }) => id);
    expect(await ids('open')).toEqual([waiting.id]);
    expect(await ids('pending')).toEqual([waiting.id]);
    expect(await ids('expired')).toHaveLength(1);
    await sql`update topups set status = 'review' where topup_id = ${idOf(waiting)}`;
    expect(await ids('open')).toEqual([waiting.id]);
    expect(await ids('pending')).toEqual([]);
    expect(await ids('paid')).toEqual([]);
  });

  test('names the unused bank lines near the amount, nearest first', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId);
    await house.transfer(topup.total - topup.unique_code, { reference: 'forgot' });
    await house.transfer(topup.total + 1_000, { reference: 'too far' });
    await house.transfer(topup.base - 1_000_000 + 2_000_000, { reference: 'elsewhere' });
    const [row] = (await list(house)).rows;
    expect(row?.candidates).toEqual([
      {
        line: expect.stringMatching(/^[0-9a-f]{64}$/),
        amount: topup.base,
        description: 'ANI S',
        at: house.clock.now(),
      },
    ]);
  });
});

describe('confirming by hand', () => {
  test('with a typed reference credits the exact amount and keeps who and why', async ({
    sql,
    db,
  }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId);
    expect(await confirm(house, topup, 'TRX 12345')).toMatchObject({
      status: 'paid',
      candidates: [],
      paid_at: house.clock.now(),
    });
    expect((await saldoOf(sql, ani.accountId)).available).toBe(topup.credited);
    expect(await sql`select decision, operator_id, reason, reference from topup_decisions`).toEqual(
      [
        {
          decision: 'confirmed',
          operator_id: operator.userId,
          reason: 'Cocok dengan mutasi',
          reference: 'TRX 12345',
        },
      ],
    );
  });

  test('a reference pays one top-up only, however it is spelled', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const [first, second] = [await house.topup(ani.accountId), await house.topup(ani.accountId)];
    await confirm(house, first, 'TRX 12345');
    await expect(confirm(house, second, ' trx  12345 ')).rejects.toEqual(
      new Refusal('bank_line_used', {}),
    );
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
  });

  test('a bank line that paid by itself pays nothing else', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const [first, second] = [await house.topup(ani.accountId), await house.topup(ani.accountId)];
    await house.transfer(first.total, { reference: 'TRX 1' });
    const [line] = await sql<{ hash: string }[]>`select hash from bank_lines`;
    for (const reference of ['TRX 1', line?.hash ?? '']) {
      await expect(confirm(house, second, reference)).rejects.toEqual(
        new Refusal('bank_line_used', {}),
      );
    }
  });

  test('a forgotten kode unik is credited as it came', async ({ sql, db }) => {
    const house = await topupHouse(db, { ppn: true });
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId, 100_000);
    await house.transfer(111_000);
    const [row] = (await list(house)).rows;
    const paid = await confirm(house, topup, row?.candidates[0]?.line ?? '');
    expect(paid).toMatchObject({ status: 'paid', credited: 100_000 });
    expect((paid as Topup).note).toMatch(/^Transfer yang masuk Rp\s111\.000\.$/);
    expect((await saldoOf(sql, ani.accountId)).available).toBe(100_000);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('what is missing is taken from our income before the saldo', async ({ sql, db }) => {
    const house = await topupHouse(db, { kodeUnik: 'income' });
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId, 100_000);
    await house.transfer(100_000, { reference: 'no code' });
    expect(await confirm(house, topup, 'no code')).toMatchObject({ credited: 100_000 });
    expect(await sql`select from gl_lines where gl_account = 'inc:kode_unik'`).toHaveLength(0);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('a line of another amount altogether is refused, and nothing changes', async ({
    sql,
    db,
  }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId);
    await house.transfer(500_000, { reference: 'TRX 9' });
    await expect(confirm(house, topup, 'TRX 9')).rejects.toEqual(
      new Refusal('topup_amount_mismatch', { total: topup.total, received: 500_000 }),
    );
    expect(await sql`select status from topups`).toEqual([{ status: 'pending' }]);
    expect(await sql`select from provider_payments`).toHaveLength(0);
  });

  test('a top-up that is paid, rejected or nobody has is refused', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const [paid, rejected] = [await house.topup(ani.accountId), await house.topup(ani.accountId)];
    await house.transfer(paid.total);
    await reject(house, rejected);
    await expect(confirm(house, paid, 'TRX 2')).rejects.toEqual(
      new Refusal('topup_already_paid', {}),
    );
    await expect(confirm(house, rejected, 'TRX 2')).rejects.toEqual(
      new Refusal('topup_closed', {}),
    );
    const nobody = { ...paid, id: `TU-${'0'.repeat(25)}1` };
    await expect(confirm(house, nobody, 'TRX 2')).rejects.toEqual(
      new Refusal('not_found', { what: 'Isi saldo' }),
    );
    await expect(reject(house, nobody)).rejects.toEqual(
      new Refusal('not_found', { what: 'Isi saldo' }),
    );
  });

  test('a reason is asked for', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const { id } = await house.topup(ani.accountId);
    const fields = { topup_id: id, reference: 'TRX 2', reason: '  ' };
    await expect(ask(house, 'operator_topup_confirm', fields)).rejects.toThrow('Tulis alasannya.');
  });
});

describe('rejecting', () => {
  test('tells the customer why', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId);
    expect(await reject(house, topup)).toMatchObject({
      status: 'rejected',
      note: 'Transfer tidak pernah masuk',
    });
  });

  test('what is paid or closed is refused', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const [paid, late] = [await house.topup(ani.accountId), await house.topup(ani.accountId)];
    await house.transfer(paid.total);
    house.clock.pass(24);
    await expect(reject(house, paid)).rejects.toEqual(new Refusal('topup_already_paid', {}));
    await expect(reject(house, late)).rejects.toEqual(new Refusal('topup_closed', {}));
  });
});
