import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import type { Topup } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { ConnectionLost } from '#server/infra/postgres/driver/errors.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { changeUsers, customerWith } from '#tests/support/people/people.ts';
import { type TopupApp, perform, saldoOf, topupApp } from '#tests/support/money/topups.ts';

type Operator = { accountId: string; userId: string; role: 'operator' };

async function operatorNamed(sql: TestDatabase['allAccountsSql'], name: string): Promise<Operator> {
  const { accountId, userId } = await customerWith(sql);
  await changeUsers(sql, { userId }, { name });
  return { accountId, userId, role: 'operator' };
}

const confirm = (app: TopupApp, who: Operator, { id }: Topup, reference = 'TRX 1') =>
  perform(operatorActs(app.deps), 'operator_topup_confirm', who, {
    topup_id: id,
    reference,
    reason: 'Terlihat di rekening',
  }) as Promise<OperatorTopup>;

const reject = (app: TopupApp, who: Operator, { id }: Topup) =>
  perform(operatorActs(app.deps), 'operator_topup_reject', who, {
    topup_id: id,
    reason: 'Tidak masuk',
  }) as Promise<OperatorTopup>;

async function withOperators(sql: TestDatabase['allAccountsSql'], db: TestDatabase) {
  const app = await topupApp(db, { fourEyesAbove: 1_000_000 });
  const ani = await customerWith(sql);
  return {
    app,
    ani,
    rina: await operatorNamed(sql, 'Rina'),
    sari: await operatorNamed(sql, 'Sari'),
    topup: await app.topup(ani.accountId, 2_000_000),
  };
}

/** A pool that commits a transaction, and loses its connection once before the answer. */
function losing(sql: Sql): Sql {
  let lost = false;
  return new Proxy(sql, {
    get: (target, name) => {
      if (name !== 'begin' || lost) return Reflect.get(target, name) as unknown;
      return async (...given: Parameters<Sql['begin']>) => {
        await target.begin(...given);
        lost = true;
        throw new ConnectionLost(new Error('the line is cut'), 'unknown');
      };
    },
  });
}

test('an operator whose connection is lost gets the result of the decision, made once', async ({
  sql,
  db,
}) => {
  const { app, ani, rina, sari, topup } = await withOperators(sql, db);
  const cut = (): TopupApp => ({
    ...app,
    deps: { ...app.deps, allAccountsSql: losing(app.deps.allAccountsSql) },
  });
  expect((await confirm(cut(), rina, topup)).proposal).toMatchObject({ by: 'Rina', mine: true });
  expect((await confirm(cut(), sari, topup)).status).toBe('paid');
  expect((await saldoOf(sql, ani.accountId)).available).toBe(topup.credited);
  const other = await app.topup(ani.accountId, 100_000);
  expect((await reject(cut(), rina, other)).status).toBe('rejected');
  expect((await sql`select topup_id from topup_decisions`).length).toBe(2);
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
});

describe('above the limit', () => {
  test('one operator proposes and another completes; the proposer cannot', async ({ sql, db }) => {
    const { app, ani, rina, sari, topup } = await withOperators(sql, db);
    expect(await confirm(app, rina, topup)).toMatchObject({
      status: 'pending',
      needs_two: true,
      proposal: { by: 'Rina', mine: true, reference: 'TRX1', at: app.clock.now() },
    });
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(0);
    await expect(confirm(app, rina, topup, ' trx  1')).rejects.toEqual(
      new Refusal('topup_needs_another', {}),
    );
    const seen = (await perform(operatorActs(app.deps), 'operator_topup_list', sari)) as {
      rows: OperatorTopup[];
    };
    expect(seen.rows[0]?.proposal).toMatchObject({ by: 'Rina', mine: false });
    expect(await confirm(app, sari, topup)).toMatchObject({ status: 'paid', proposal: null });
    expect((await saldoOf(sql, ani.accountId)).available).toBe(topup.credited);
    expect(await sql`select operator_id, proposed_by from topup_decisions`).toEqual([
      { operator_id: sari.userId, proposed_by: rina.userId },
    ]);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('another reference is a new proposal, and needs a second operator again', async ({
    sql,
    db,
  }) => {
    const { app, rina, sari, topup } = await withOperators(sql, db);
    await confirm(app, rina, topup);
    expect((await confirm(app, sari, topup, 'TRX 2')).proposal).toMatchObject({
      by: 'Sari',
      reference: 'TRX2',
    });
    await expect(confirm(app, sari, topup, 'TRX 2')).rejects.toEqual(
      new Refusal('topup_needs_another', {}),
    );
    expect((await confirm(app, rina, topup, 'TRX 2')).status).toBe('paid');
  });

  test('a bank line of exactly the total needs no second operator; one that is off does', async ({
    sql,
    db,
  }) => {
    const { app, ani, rina, topup } = await withOperators(sql, db);
    const other = await app.topup(ani.accountId, 3_000_000);
    await app.transfer(topup.total + 1, { reference: 'NEAR' });
    expect((await confirm(app, rina, topup, 'NEAR')).status).toBe('pending');
    await app.transfer(3_000_000 + 5_000, { reference: 'FAR' });
    await expect(confirm(app, rina, other, 'FAR')).rejects.toEqual(
      new Refusal('topup_amount_mismatch', { total: other.total, received: 3_005_000 }),
    );
    // It arrived before the top-up was created, so it waits for an operator.
    const early = new Date(app.clock.now().getTime() - 20 * 3_600_000);
    await app.transfer(other.total, { reference: 'EXACT', at: early });
    expect((await confirm(app, rina, other, 'EXACT')).status).toBe('paid');
  });

  test('up to the limit one operator is enough', async ({ sql, db }) => {
    const { app, ani, rina } = await withOperators(sql, db);
    const small = await app.topup(ani.accountId, 999_000);
    expect(await confirm(app, rina, small)).toMatchObject({ status: 'paid', needs_two: false });
  });
});

describe('a large sum split into small ones', () => {
  test('is summed over a day of confirmations by one operator', async ({ sql, db }) => {
    const { app, ani, rina, sari } = await withOperators(sql, db);
    const other = await customerWith(sql);
    expect(
      (await confirm(app, rina, await app.topup(ani.accountId, 600_000), 'CUT 1')).status,
    ).toBe('paid');
    const second = await app.topup(ani.accountId, 600_000);
    expect(await confirm(app, rina, second, 'CUT 2')).toMatchObject({
      status: 'pending',
      needs_two: true,
      proposal: { mine: true },
    });
    const elsewhere = await app.topup(other.accountId, 600_000);
    expect((await confirm(app, rina, elsewhere, 'CUT 3')).status).toBe('paid');
    expect((await confirm(app, sari, second, 'CUT 2')).status).toBe('paid');
    app.clock.pass(24);
    const later = await app.topup(ani.accountId, 600_000);
    expect((await confirm(app, rina, later, 'CUT 4')).status).toBe('paid');
  });

  test('does not count payments that the bank has shown since', async ({ sql, db }) => {
    const { app, ani, rina } = await withOperators(sql, db);
    const first = await app.topup(ani.accountId, 600_000);
    await confirm(app, rina, first, 'SHOWN 1');
    await app.transfer(first.total, { reference: 'SHOWN 1' });
    const second = await app.topup(ani.accountId, 600_000);
    expect((await confirm(app, rina, second, 'SHOWN 2')).status).toBe('paid');
  });

  test('is summed when all parts come at once', async ({ sql, db }) => {
    const { app, ani, rina } = await withOperators(sql, db);
    const parts = [
      await app.topup(ani.accountId, 600_000),
      await app.topup(ani.accountId, 600_000),
    ];
    const done = await Promise.all(parts.map((one, n) => confirm(app, rina, one, `AT ONCE ${n}`)));
    expect(done.map(({ status }) => status).sort()).toEqual(['paid', 'pending']);
  });
});

describe('two operators at the same time', () => {
  test('make one decision, and the other sees the author', async ({ sql, db }) => {
    const { app, ani, rina, sari } = await withOperators(sql, db);
    for (let round = 0; round < 6; round++) {
      const topup = await app.topup(ani.accountId);
      const second = round % 2 === 0 ? confirm : reject;
      const both = await Promise.allSettled([
        confirm(app, rina, topup, `R${round}-RINA`),
        second(app, sari, topup, `R${round}-SARI`),
      ]);
      const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      const winner = both[0]?.status === 'fulfilled' ? 'Rina' : 'Sari';
      expect(refused).toEqual([new Refusal('topup_decided', { by: winner })]);
    }
    expect(await sql`select from topup_decisions`).toHaveLength(6);
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  });

  test('with the same reference above the limit: one proposes, the other completes', async ({
    sql,
    db,
  }) => {
    const { app, ani, rina, sari, topup } = await withOperators(sql, db);
    const both = await Promise.all([confirm(app, rina, topup), confirm(app, sari, topup)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['paid', 'pending']);
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
  });
});
