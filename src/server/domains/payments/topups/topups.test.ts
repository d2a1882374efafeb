import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { test } from '#tests/support/database/database.ts';
import { changeAccounts, customerWith } from '#tests/support/people/people.ts';
import { idOf, perform, topupApp } from '#tests/support/money/topups.ts';
import { paymentsActs } from '#server/domains/payments/payments.ts';
import { gatewaysOf } from '#server/domains/payments/gateways/registry.ts';
import { codesFor } from '#server/domains/payments/topups/create.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';

describe('creating a top-up', () => {
  test('returns the exact amount, the account and the deadline', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const made = await perform(paymentsActs(app.deps), 'topup_create', ani, { amount: '100000' });
    expect(made).toMatchObject({
      status: 'pending',
      base: 100_000,
      ppn: 0,
      bank: { name: 'Bank Simulasi', number: '8800123456', holder: 'PT Kabari Contoh' },
      expires_at: new Date('2026-11-22T02:00:00Z'),
      paid_at: null,
    });
    const { unique_code, total, credited } = made as { [name: string]: number };
    expect(unique_code).toBeGreaterThanOrEqual(1);
    expect(unique_code).toBeLessThanOrEqual(999);
    expect(total).toBe(100_000 + Number(unique_code));
    expect(credited).toBe(total);
  });

  test('adds PPN to the transfer and not to the saldo', async ({ sql, db }) => {
    const app = await topupApp(db, { ppn: true });
    const ani = await customerWith(sql);
    const made = await app.topup(ani.accountId, 250_000);
    expect(made.ppn).toBe(27_500);
    expect(made.total).toBe(277_500 + made.unique_code);
    expect(made.credited).toBe(250_000 + made.unique_code);
  });

  test('credits the base alone if the kode unik is income', async ({ sql, db }) => {
    const app = await topupApp(db, { kodeUnik: 'income' });
    const ani = await customerWith(sql);
    const made = await app.topup(ani.accountId);
    expect(made.credited).toBe(50_000);
    expect(made.total).toBeGreaterThan(50_000);
  });

  test('twice with one key gives one top-up, also at the same time', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const key = randomUUID();
    const made = await Promise.all([1, 2, 3, 4].map(() => app.topup(ani.accountId, 50_000, key)));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await sql`select count(*) as n from reserved_transfers`).toEqual([{ n: 1 }]);
  });

  test('refuses a key that was used for another amount', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const key = randomUUID();
    await app.topup(ani.accountId, 50_000, key);
    await expect(app.topup(ani.accountId, 60_000, key)).rejects.toEqual(
      new Refusal('idempotency_conflict', {}),
    );
  });

  test('allows three waiting top-ups and refuses a fourth, also when concurrent', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const tries = await Promise.allSettled([1, 2, 3, 4, 5].map(() => app.topup(ani.accountId)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    for (const tried of tries) {
      if (tried.status === 'rejected') {
        expect(tried.reason).toEqual(new Refusal('topup_too_many', { limit: 3 }));
      }
    }
    app.clock.pass(24);
    await expect(app.topup(ani.accountId)).resolves.toMatchObject({ status: 'pending' });
  });

  test('refuses more than twenty unpaid top-ups within a day, which would block amounts', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const cancel = ({ id }: { id: string }) =>
      perform(paymentsActs(app.deps), 'topup_cancel', ani, { topup_id: id });
    for (let made = 0; made < 20; made++) await cancel(await app.topup(ani.accountId));
    await expect(app.topup(ani.accountId)).rejects.toEqual(
      new Refusal('topup_too_often', { limit: 20 }),
    );
    const summary = await perform(paymentsActs(app.deps), 'saldo_summary', ani);
    expect(summary).toMatchObject({ topups_open: 0, topups_unpaid: 20 });
    app.clock.pass(24);
    await expect(app.topup(ani.accountId)).resolves.toMatchObject({ status: 'pending' });
  });

  test('does not count orders that the gateway refused', async ({ sql, db }) => {
    const nobody = gatewaysOf([
      {
        provider: 'midtrans',
        simulated: true,
        keptHeaders: [],
        create: async () => ({ outcome: 'refused', why: 'test' }),
        verify: () => 'forged',
        fetchStatus: async () => ({ state: 'not_found' }),
        cancel: async () => undefined,
      },
    ]);
    const app = await topupApp(db, { gateways: nobody });
    const ani = await customerWith(sql);
    for (let tried = 0; tried < 21; tried++) {
      const asked = perform(paymentsActs(app.deps), 'topup_create', ani, {
        amount: '50000',
        method: 'qris',
      });
      await expect(asked).rejects.toEqual(new Refusal('gateway_down', {}));
    }
    await expect(app.topup(ani.accountId)).resolves.toMatchObject({ status: 'pending' });
  });

  test('never reserves a round sum, so that a forgotten kode unik pays no other top-up', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 100_000_000 }), (net) => {
        const codes = codesFor(rupiah(net));
        expect(new Set(codes).size).toBe(30);
        for (const code of codes) {
          expect(code).toBeGreaterThanOrEqual(1);
          expect(code).toBeLessThanOrEqual(999);
          expect((net + code) % 10).not.toBe(0);
        }
      }),
    );
  });

  test('never reserves the same amount for two customers', async ({ sql, db }) => {
    const app = await topupApp(db);
    const people = await Promise.all(Array.from({ length: 12 }, () => customerWith(sql)));
    const made = await Promise.all(people.map(({ accountId }) => app.topup(accountId)));
    expect(new Set(made.map(({ total }) => total)).size).toBe(12);
  });

  test('refuses an amount whose every kode unik is reserved', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    await db.owner`
      insert into reserved_transfers
      select '8800123456', 50000 + n, ${ani.accountId}, gen_random_uuid(), now()
      from generate_series(1, 999) n`;
    await expect(app.topup(ani.accountId)).rejects.toEqual(new Refusal('topup_amount_busy', {}));
    expect(await sql`select from topups`).toHaveLength(0);
  });

  test('refuses a suspended account and a frozen saldo', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    await changeWallets(db.owner, {}, { status: 'frozen' });
    await expect(app.topup(ani.accountId)).rejects.toEqual(new Refusal('wallet_frozen', {}));
    await changeAccounts(sql, {}, { status: 'suspended' });
    await expect(app.topup(ani.accountId)).rejects.toEqual(new Refusal('account_suspended', {}));
  });

  test.for(['9999', '100000001', '10000.5', 'NaN', '1e309', '-50000', ''])(
    'rejects the amount %s',
    async (amount, { db, sql }) => {
      const app = await topupApp(db);
      const ani = await customerWith(sql);
      const answer = perform(paymentsActs(app.deps), 'topup_create', ani, { amount });
      await expect(answer).rejects.toThrow();
      expect(await sql`select from topups`).toHaveLength(0);
    },
  );
});

describe('reading top-ups', () => {
  test('lists the newest first, ten per page, and nothing beyond the last page', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    for (let made = 0; made < 11; made++) {
      await app.topup(ani.accountId, 10_000 + made);
      if (made % 3 === 2) app.clock.pass(24);
    }
    const acts = paymentsActs(app.deps);
    const list = async (fields: object) =>
      (await perform(acts, 'topup_list', ani, { ...fields })) as {
        rows: { base: number; status: string }[];
        total: number;
      };
    const first = await list({});
    expect(first.total).toBe(11);
    expect(first.rows.map(({ base }) => base)).toEqual(
      Array.from({ length: 10 }, (_, index) => 10_010 - index),
    );
    expect((await list({ page: '1' })).rows.map(({ base }) => base)).toEqual([10_000]);
    expect((await list({ page: '2' })).rows).toEqual([]);
    expect((await list({ sort_type: 'asc' })).rows[0]?.base).toBe(10_000);
    expect((await list({ status: 'pending' })).total).toBe(2);
    expect((await list({ status: 'expired' })).total).toBe(9);
  });

  test('another account’s top-up is not found, not listed and not cancelled', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const topup = await app.topup(ani.accountId);
    const acts = paymentsActs(app.deps);
    const notFound = new Refusal('not_found', { what: 'Isi saldo' });
    for (const name of ['topup_get', 'topup_cancel']) {
      const answer = perform(acts, name, budi, { topup_id: topup.id });
      await expect(answer).rejects.toEqual(notFound);
    }
    expect(await perform(acts, 'topup_list', budi)).toEqual({ rows: [], total: 0 });
    expect(await perform(acts, 'topup_get', ani, { topup_id: topup.id })).toEqual(topup);
  });

  test('an expired top-up cannot be cancelled, even before the job has run', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { id } = await app.topup(ani.accountId);
    app.clock.pass(24);
    const answer = perform(paymentsActs(app.deps), 'topup_cancel', ani, { topup_id: id });
    await expect(answer).rejects.toEqual(new Refusal('topup_closed', {}));
    expect(await sql`select status from topups`).toEqual([{ status: 'pending' }]);
  });

  test('the summary shows the price of the next message by the plan, and whether only the bonus is left', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql, { saldo: 1_000 });
    const acts = paymentsActs(app.deps);
    await sql`select set_plan_allowance(${ani.accountId}, 1, 75, false)`;
    await sql`select set_bonus_only(${ani.accountId}, true)`;
    expect(await perform(acts, 'saldo_summary', ani)).toMatchObject({
      message_price: 0,
      price_beyond_quota: 75,
      quota_left: 1,
      bonus_only: true,
    });
    await sql`select set_plan_allowance(${ani.accountId}, 0, 75, false)`;
    expect(await perform(acts, 'saldo_summary', ani)).toMatchObject({
      message_price: 75,
      price_beyond_quota: 75,
      quota_left: 0,
    });
  });

  test('the summary shows the saldo, waiting top-ups and the price of a message', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql, { saldo: 1_000 });
    await app.topup(ani.accountId);
    const acts = paymentsActs(app.deps);
    const summary = {
      available: 1_000,
      held: 0,
      status: 'active',
      message_price: 150,
      price_beyond_quota: 150,
      quota_left: 0,
      alert_threshold: null,
      bonus_only: false,
    };
    expect(await perform(acts, 'saldo_summary', ani)).toEqual({
      ...summary,
      topups_open: 1,
      topups_unpaid: 0,
    });
    app.clock.pass(24);
    expect(await perform(acts, 'saldo_summary', ani)).toEqual({
      ...summary,
      topups_open: 0,
      topups_unpaid: 0,
    });
  });
});

describe('events', () => {
  test('the database formats a top-up id like the contract', async ({ sql }) => {
    const ids = fc.sample(fc.uuid(), 200);
    const rows = await sql<{ id: string; said: string }[]>`
      select id, public_id('TU-', id) as said from unnest(${ids}::uuid[]) id`;
    for (const { id, said } of rows) expect(said).toBe(publicId('topup', id));
  });

  test('every change of status is an event of its account', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { id, total } = await app.topup(ani.accountId);
    await perform(paymentsActs(app.deps), 'topup_cancel', ani, { topup_id: id });
    await app.transfer(total);
    const published = await sql<{ data: object }[]>`
      select data from outbox where kind = 'topup.changed' and account_id = ${ani.accountId}
      order by at`;
    expect(published.map(({ data }) => data)).toMatchObject(
      ['pending', 'cancelled', 'paid'].map((status) => ({ topup_id: id, status })),
    );
  });
});

describe('constraints of the database', () => {
  test('the app’s role cannot mark a top-up as paid', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    const lie = sql`update topups set status = 'paid' where topup_id = ${idOf(topup)}`;
    await expect(lie).rejects.toThrow('paid_knows_its_payment');
    const write = sql`update topups set credited = 1 where topup_id = ${idOf(topup)}`;
    await expect(write).rejects.toThrow('permission denied');
  });

  test('a tenant’s connection can neither apply a payment nor see bank lines', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(77_777);
    const theft = db.tenantSql.begin(async (tx) => {
      await tx`select set_config('app.account', ${ani.accountId}, true)`;
      expect(await tx`select from bank_lines`).toHaveLength(0);
      await tx`
        select apply_payments(${[ani.accountId]}::uuid[], ${[idOf(topup)]}::uuid[], array['mine'],
          ${[topup.total]}::bigint[], array[now()], array['me'], array[null::text], false)`;
    });
    await expect(theft).rejects.toThrow('work over all accounts only');
  });
});
