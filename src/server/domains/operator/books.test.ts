import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import type { MoneyOverview, PriceTables, Reconciliation } from '#contract/operator/books.ts';
import type { Topup } from '#contract/saldo.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { GatewayTrouble } from '#server/domains/payments/gateways/gateway.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { type ActingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import { type Customer, customerWith, orderOf } from '#tests/support/people/people.ts';
import { type TopupApp, idOf, topupApp } from '#tests/support/money/topups.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { openAudit } from '#server/infra/acts.ts';
import { booksRed, checkAndSeal, reconcileNightly, reconcile } from './books.ts';
import { changeMessages } from '#tests/support/people/stored-messages.ts';

type Desk = { app: TopupApp; oka: ActingOperator; ani: Customer };

const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await topupApp(db);
    const [oka] = await operatorsOf(sql, app);
    if (!oka) throw new Error('expected an operator');
    await use({ app, oka, ani: await customerWith(sql, { saldo: 1_000 }) });
  },
});

const reconciled = async ({ oka }: Desk) => {
  const { ok, findings } = (await oka.ask('operator_reconcile')) as Reconciliation;
  return { ok, codes: findings.map(({ code, severity, count }) => [code, severity, count]) };
};

const readingOf = (allAccountsSql: Sql) => ({ allAccountsSql, catchUp: async () => undefined });

async function paidAtGateway({ app, ani }: Desk, db: TestDatabase): Promise<Topup> {
  const topup = await app.topup(ani.accountId);
  await app.transfer(topup.total);
  await db.owner.query(`
    alter table topups disable trigger user;
    alter table topups drop constraint method_is_of_provider, drop constraint bank_is_named,
      drop constraint topups_unique_code_check, drop constraint gateway_says_how_to_pay;
    update topups set provider = 'midtrans', simulated = false;
    update provider_payments set provider = 'midtrans'`);
  return topup;
}

describe('the reconciliation', () => {
  test('has no findings where everything agrees', async ({ desk }) => {
    const topup = await desk.app.topup(desk.ani.accountId);
    await desk.app.transfer(topup.total);
    expect(await reconciled(desk)).toEqual({ ok: true, codes: [] });
  });

  test('reports a confirmed transfer that the bank never showed', async ({ desk }) => {
    const topup = await desk.app.topup(desk.ani.accountId);
    await desk.oka.ask('operator_topup_confirm', {
      topup_id: topup.id,
      reference: 'TRX 1',
      reason: 'Terlihat di rekening',
    });
    expect((await reconciled(desk)).codes).toEqual([]);
    desk.app.clock.pass(25);
    expect(await reconciled(desk)).toEqual({
      ok: false,
      codes: [['transfer_without_line', 'red', 1]],
    });
  });

  test('reports a bank line whose amount differs from the credit', async ({ desk, db }) => {
    const topup = await desk.app.topup(desk.ani.accountId);
    await desk.app.transfer(topup.total);
    await db.owner`update bank_lines set amount = amount - 1`;
    expect((await reconciled(desk)).codes).toEqual([['line_amount_differs', 'red', 1]]);
  });

  test('reports a bank line unmatched for a day', async ({ desk }) => {
    await desk.app.transfer(77_000);
    expect((await reconciled(desk)).codes).toEqual([]);
    desk.app.clock.pass(25);
    expect(await reconciled(desk)).toEqual({ ok: true, codes: [['line_unused', 'attention', 1]] });
  });

  test('reports bank lines whose sum overflows, which an operator may have made up', async ({
    desk,
    db,
  }) => {
    await db.owner`
      insert into bank_lines (hash, bank, amount, description, reference, at, received_at)
      select 'made up ' || n, '8800123456', 9000000000000000, '', '', now(),
        ${desk.app.clock.now()}::timestamptz - interval '2 days'
      from generate_series(1, 3) n`;
    expect(await reconciled(desk)).toEqual({ ok: true, codes: [['line_unused', 'attention', 3]] });
  });

  test('reports a paid top-up without a payment', async ({ desk, db }) => {
    const topup = await desk.app.topup(desk.ani.accountId);
    await desk.app.transfer(topup.total);
    await db.owner`update provider_payments set amount = amount + 1`;
    expect((await reconciled(desk)).codes).toEqual([['payment_unverified', 'red', 1]]);
  });

  test('reports a payment that the gateway does not confirm', async ({ desk, db }) => {
    const topup = await paidAtGateway(desk, db);
    const { allAccountsSql, clock } = desk.app;
    const statusOf = vi.fn(async () => ({ status: 'open' as const, amount: topup.total }));
    const found = await reconcile({ allAccountsSql, now: clock.now, statusOf });
    expect(statusOf).toHaveBeenCalledWith({ provider: 'midtrans', topupId: idOf(topup) });
    expect(found).toMatchObject({ ok: false, findings: [{ code: 'gateway_differs', count: 1 }] });
  });

  test('reports a silent gateway, and still compares everything else', async ({
    desk,
    db,
    sql,
  }) => {
    const topup = await paidAtGateway(desk, db);
    await desk.app.transfer(topup.total + 1_000);
    desk.app.clock.pass(25);
    const { allAccountsSql, clock } = desk.app;
    const silent = new GatewayTrouble('unknown', 'the gateway did not answer');
    const found = await reconcile({
      allAccountsSql,
      now: clock.now,
      statusOf: () => Promise.reject(silent),
    });
    expect(found).toMatchObject({
      ok: true,
      findings: [{ code: 'line_unused' }, { code: 'gateway_silent', count: 1 }],
    });
    const broken = new Error('our bug');
    const deps = { allAccountsSql: sql, now: clock.now, statusOf: () => Promise.reject(broken) };
    await expect(reconcile(deps)).rejects.toBe(broken);
  });

  test('reports a clearing balance other than 0', async ({ desk, sql }) => {
    await sql`select post_gl(${desk.ani.accountId}, gen_random_uuid(), 'odd', 'test',
      array['clearing', 'cash:bank'], array[5, -5]::bigint[])`;
    expect((await reconciled(desk)).codes).toEqual([['clearing_open', 'red', 1]]);
  });

  test('reports payments in suspense', async ({ desk }) => {
    const topup = await desk.app.topup(desk.ani.accountId);
    await desk.app.transfer(topup.total);
    await desk.app.transfer(topup.total);
    expect(await reconciled(desk)).toEqual({
      ok: true,
      codes: [['suspense_open', 'attention', 1]],
    });
  });

  test('reports holds older than a day', async ({ desk, db }) => {
    const intake = openIntake(db.tenantSql, () => undefined);
    await intake.accept(orderOf(desk.ani, { prices: [150] }));
    await intake.close();
    const createdAt = new Date(desk.app.clock.now().getTime() - 2 * 86_400_000);
    await changeMessages(db.owner, {}, { createdAt, expiresAt: null });
    expect((await reconciled(desk)).codes).toEqual([['holds_old', 'attention', 1]]);
  });

  test('nightly, logs red findings by code, and updates the metrics', async ({
    desk: { app, ani },
    sql,
  }) => {
    await sql`select post_gl(${ani.accountId}, gen_random_uuid(), 'odd', 'test',
      array['clearing', 'cash:bank'], array[5, -5]::bigint[])`;
    const folder = await mkdtemp(join(tmpdir(), 'nightly-'));
    const log = { error: vi.fn() };
    const deps = { allAccountsSql: sql, now: app.clock.now, log, folder, reading: readingOf(sql) };
    await checkAndSeal(deps);
    await reconcileNightly(deps);
    expect(log.error.mock.calls).toEqual([
      [{ check: ['I6'] }, 'the books are broken'],
      [{ check: ['clearing_open: 1'] }, 'the books and the bank disagree'],
    ]);
    expect(await booksRed(sql)).toEqual([
      { labels: { of: 'invariants' }, value: 1 },
      { labels: { of: 'reconciliation' }, value: 1 },
      { labels: { of: 'audit' }, value: 0 },
    ]);
    await rm(folder, { recursive: true });
  });

  test('nightly, verifies the audit log too', async ({ desk: { app, oka }, db, sql }) => {
    const folder = await mkdtemp(join(tmpdir(), 'nightly-'));
    const log = { error: vi.fn() };
    const line = { actor: 'public', act: 'user_login', outcome: 'ok', ip: '', facts: {} };
    await openAudit(sql).write({ ...line, accountId: undefined, requestId: 'req_1' });
    const nightly = {
      allAccountsSql: sql,
      now: app.clock.now,
      log,
      folder,
      reading: readingOf(sql),
    };
    await checkAndSeal(nightly);
    const { audit } = (await oka.ask('operator_money_overview')) as MoneyOverview;
    expect(audit).toEqual({ at: app.clock.now(), ok: true });
    await db.owner.query(`
      alter table audit_log disable trigger user; update audit_log set outcome = 'changed'`);
    await checkAndSeal(nightly);
    expect(log.error.mock.calls).toMatchObject([
      [{ check: ['changed: 1'], count: 1 }, 'the audit log is broken'],
    ]);
    expect(await booksRed(sql)).toContainEqual({ labels: { of: 'audit' }, value: 1 });
    expect(await oka.ask('operator_money_overview')).toMatchObject({
      check: { ok: true },
      audit: { ok: false },
    });
    await rm(folder, { recursive: true });
  });
});

const none = { count: 0, amount: 0, oldest: null };

describe('the overview', () => {
  test('is empty for a new installation', async ({ desk: { oka } }) => {
    expect(await oka.ask('operator_money_overview')).toMatchObject({
      float: 1_000,
      held: 0,
      topups_today: [],
      waiting: { topups: none, bank_lines: none, suspense: none, withdrawn: none, refunds: none },
      check: null,
      seal: null,
      reconciliation: null,
      proposals: { count: 0, for_you: 0 },
    });
    await expect(oka.ask('operator_seal_verify')).rejects.toEqual(
      new Refusal('nothing_sealed', {}),
    );
  });

  test('sums customers’ saldo, today’s payments and open work', async ({ desk, sql }) => {
    const { app, oka, ani } = desk;
    const [, ria] = await operatorsOf(sql, app, { names: ['Sari', 'Ria'] });
    const paid = await app.topup(ani.accountId, 100_000);
    await app.transfer(paid.total);
    const reviewed = await app.topup(ani.accountId);
    await sql`update topups set status = 'review' where topup_id = ${idOf(reviewed)}`;
    await ria?.ask('operator_adjust', {
      account_id: (await customer(oka)).account_id,
      direction: 'add',
      amount: 6_000_000,
      cause: 'correction',
      reason: 'Salah potong',
    });
    const overview = (await oka.ask('operator_money_overview')) as MoneyOverview;
    expect(overview).toMatchObject({
      float: 1_000 + paid.credited,
      topups_today: [{ method: 'bank', count: 1, amount: paid.total }],
      waiting: { topups: { count: 1, amount: reviewed.total, oldest: app.clock.now() } },
      proposals: { count: 1, for_you: 1 },
    });
    expect(await ria?.ask('operator_money_overview')).toMatchObject({
      proposals: { count: 1, for_you: 0 },
    });
    app.clock.pass(24);
    expect(await oka.ask('operator_money_overview')).toMatchObject({ topups_today: [] });
  });

  test('counts a transfer as work only once its money may have arrived', async ({ desk, sql }) => {
    const { app, oka, ani } = desk;
    const topup = await app.topup(ani.accountId, 100_000);
    const listed = async () => {
      const { rows } = (await oka.ask('operator_topup_list', { status: 'open' })) as {
        rows: { id: string }[];
      };
      const { topups } = (await work(oka)).waiting;
      expect(topups.count).toBe(rows.length);
      return rows.map(({ id }) => id);
    };
    expect(await listed()).toEqual([]);
    await app.transfer(topup.base);
    expect(await listed()).toEqual([topup.id]);
    await sql`
      update bank_lines set dismissed_at = now(), dismissed_by = ${ani.userId}, dismiss_reason = 'Lain'`;
    expect(await listed()).toEqual([]);
    await sql`
      insert into topup_proofs (account_id, topup_id, file_id, name, mime, sha256, at)
      values (${ani.accountId}, ${idOf(topup)}, gen_random_uuid(), 'a', 'image/png',
        decode(repeat('00', 32), 'hex'), now())`;
    expect(await listed()).toEqual([topup.id]);
    app.clock.pass(24);
    expect(await listed()).toEqual([]);
  });

  test('counts unassigned money from its arrival', async ({ desk }) => {
    const { app, oka, ani } = desk;
    const paid = await app.topup(ani.accountId, 100_000);
    await app.transfer(paid.total);
    await app.transfer(77_000, { reference: 'NO OWNER' });
    await app.transfer(paid.total, { reference: 'SECOND' });
    const at = app.clock.now();
    expect((await work(oka)).waiting).toMatchObject({
      bank_lines: { count: 1, amount: 77_000, oldest: at },
      suspense: { count: 1, amount: paid.total, oldest: at },
    });
    const { total } = (await oka.ask('operator_bank_line_list')) as { total: number };
    expect(total).toBe(1);
  });
});

const work = async (who: ActingOperator) =>
  (await who.ask('operator_money_overview')) as MoneyOverview;

const customer = async (who: ActingOperator) => {
  const { rows } = (await who.ask('operator_customer_list')) as { rows: { account_id: string }[] };
  if (!rows[0]) throw new Error('no customer');
  return rows[0];
};

describe('prices', () => {
  const set = (who: ActingOperator, price: number, valid_from?: Date) =>
    who.ask('operator_price_set', {
      category: 'message',
      price,
      reason: 'Penyesuaian tarif',
      ...(valid_from && { valid_from: valid_from.toISOString() }),
    }) as Promise<PriceTables>;

  test('take effect now or later, and never in the past', async ({ desk: { app, oka } }) => {
    const later = new Date(app.clock.now().getTime() + 86_400_000);
    await set(oka, 175);
    expect(app.prices.message()).toBe(175);
    const { prices } = await set(oka, 200, later);
    const messages = prices.filter(({ category }) => category === 'message');
    expect(messages.map(({ price, state, set_by }) => [price, state, set_by])).toEqual([
      [200, 'future', 'Oka'],
      [175, 'now', 'Oka'],
      [150, 'past', null],
    ]);
    expect(app.prices.message()).toBe(175);
    app.clock.pass(24);
    expect(app.prices.message()).toBe(200);
    await expect(set(oka, 100, later)).rejects.toEqual(new Refusal('valid_from_taken', {}));
    app.clock.pass(1);
    await expect(set(oka, 100, later)).rejects.toEqual(new Refusal('valid_from_past', {}));
  });

  test('a rate of PPN takes effect on its day', async ({ desk: { oka } }) => {
    const { rates } = (await oka.ask('operator_ppn_set', {
      num: 11,
      den: 100,
      dpp_num: 1,
      dpp_den: 1,
      reason: 'Aturan baru',
    })) as PriceTables;
    expect(rates.map(({ num, dpp_num, state }) => [num, dpp_num, state])).toEqual([
      [11, 1, 'now'],
      [12, 11, 'past'],
    ]);
  });
});
