import { describe, expect } from 'vitest';
import type { TopupMethod } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { finishRefundByHand, retryRefunds } from '#server/domains/payments/payments.ts';
import { refundPayment } from '#tests/support/money/refunds.ts';
import { type GatewayApp, test } from '#tests/support/money/gateway-app.ts';
import { idOf, saldoOf } from '#tests/support/money/topups.ts';
import { closeAccount } from '#tests/support/people/people.ts';

async function paidTopup(app: GatewayApp, method: TopupMethod) {
  const { owner, topup } = await app.placed(method);
  if (method === 'bank') await app.transfer(topup.total);
  else {
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
  }
  const [payment] = await app.deps.allAccountsSql<{ txn_id: string }[]>`
    select txn_id from provider_payments where topup_id = ${idOf(topup)}`;
  const order = {
    accountId: owner.accountId,
    topupId: idOf(topup),
    txnId: payment?.txn_id ?? '',
  };
  return { owner, topup, order, refund: () => refundPayment(app.deps, order) };
}

const reds = async ({ deps }: GatewayApp) =>
  (await checkLedger(deps.allAccountsSql)).filter(({ ok }) => !ok);

async function balance({ deps }: GatewayApp, account: string): Promise<number> {
  const [row] = await deps.allAccountsSql<{ amount: number }[]>`
    select coalesce(sum(amount), 0)::bigint as amount from gl_lines where gl_account = ${account}`;
  return row?.amount ?? 0;
}

test('money for a closed account lies in suspense for a refund, or waits as a bank line', async ({
  openGateway,
  sql,
}) => {
  const app = await openGateway();
  const { owner, topup } = await app.placed('qris');
  const transfer = await app.topup(owner.accountId);
  await closeAccount(sql, owner.accountId);
  app.fake.happen(topup.id, 'pay');
  await app.deliver();
  expect(app.outcomes.at(-1)).toBe('second_payment');
  expect(await app.transfer(transfer.total)).toMatchObject({ matched: false });
  expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 0, topups: 0 });
  expect(await reds(app)).toEqual([]);
  const [payment] = await sql<{ txn_id: string }[]>`select txn_id from provider_payments`;
  const txnId = payment?.txn_id ?? '';
  const order = { accountId: owner.accountId, topupId: idOf(topup), txnId };
  expect(await refundPayment(app.deps, order)).toBe('refunded');
  expect(await balance(app, 'suspense')).toBe(0);
  expect(await reds(app)).toEqual([]);
});

describe('refunding a payment', () => {
  test('by the gateway debits the saldo and the PPN once, however often it is requested', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway({ ppn: true });
    const { owner, topup, refund } = await paidTopup(app, 'qris');
    const outcomes = await Promise.all([refund(), refund(), refund()]);
    expect(outcomes.toSorted()).toEqual(['duplicate', 'duplicate', 'refunded']);
    expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
    for (const account of ['cash:midtrans', 'liab:ppn', 'liab:refund', 'clearing']) {
      const left = account === 'clearing' ? 0 : await balance(app, account);
      expect([account, left]).toEqual([account, 0]);
    }
    expect(app.fake.book.find(topup.id)?.status).toBe('refund');
    app.fake.notify(topup.id, 'refund');
    await app.deliver();
    expect(await sql`select flag from gateway_orders`).toEqual([{ flag: null }]);
    expect(await app.statusOf(topup)).toBe('paid');
    expect(await reds(app)).toEqual([]);
  });

  test('is retried with the same key if the answer was lost, and paid once', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    const { owner, topup, refund } = await paidTopup(app, 'qris');
    app.fake.mode.dropAnswer = true;
    expect(await refund()).toBe('open');
    expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
    expect(await balance(app, 'liab:refund')).toBe(-50_000);
    expect(await reds(app)).toEqual([]);
    app.fake.mode.dropAnswer = false;
    await retryRefunds(app.deps);
    await retryRefunds(app.deps);
    expect(await balance(app, 'liab:refund')).toBe(0);
    expect(await balance(app, 'cash:midtrans')).toBe(0);
    expect(app.fake.book.find(topup.id)?.refundKeys).toHaveLength(1);
    expect(await reds(app)).toEqual([]);
  });

  test.for(['va_bca', 'xendit', 'bank'] as const)(
    '%s has no refund by the gateway: an operator transfers it and finishes it once',
    async (method, { openGateway, sql }) => {
      const app = await openGateway();
      const { owner, order, refund } = await paidTopup(app, method);
      expect(await refund()).toBe('by_hand');
      await retryRefunds(app.deps);
      const [row] = await sql<{ refund_id: string; way: string; status: string }[]>`
        select refund_id, way, status from refunds`;
      expect(row).toMatchObject({ way: 'manual', status: 'open' });
      const done = {
        accountId: order.accountId,
        refundId: row?.refund_id ?? '',
        reference: 'TRF 1',
        at: app.deps.now(),
      };
      const both = [finishRefundByHand(sql, done), finishRefundByHand(sql, done)];
      expect((await Promise.all(both)).map(String).toSorted()).toEqual(['false', 'true']);
      expect(await balance(app, 'liab:refund')).toBe(0);
      expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
      expect(await reds(app)).toEqual([]);
    },
  );

  test('never takes more than the saldo holds', async ({ openGateway, sql, db }) => {
    const app = await openGateway();
    const { owner, refund } = await paidTopup(app, 'qris');
    await db.owner`
      select * from post_entry(${owner.accountId}, 'adjust', -1, 'rev:message', 'test', '1', 'spent',
        'test', 'Terpakai')`;
    expect(await refund()).toBe('saldo_short');
    expect((await saldoOf(sql, owner.accountId)).available).toBe(49_999);
    expect(await sql`select from refunds`).toEqual([]);
  });

  test('returns `unknown` for an unknown payment', async ({ openGateway }) => {
    const app = await openGateway();
    const { order } = await paidTopup(app, 'qris');
    expect(await refundPayment(app.deps, { ...order, txnId: 'another' })).toBe('unknown');
  });
});

describe('a payment that its gateway partly refunded by itself', () => {
  const partly = { status: 'partial_refund', returned: 20_000 } as const;

  test('is not refunded as a whole, and is flagged with the amount', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    const { owner, topup, refund } = await paidTopup(app, 'qris');
    app.fake.happen(topup.id, 'refund', partly);
    await app.deliver();
    expect(await sql`select flag, returned from gateway_orders`).toEqual([
      { flag: 'partly_refunded', returned: 20_000 },
    ]);
    expect(await refund()).toBe('partly_returned');
    expect((await saldoOf(sql, owner.accountId)).available).toBe(50_000);
    expect(await sql`select from refunds`).toEqual([]);
    expect(await reds(app)).toEqual([]);
  });

  test('during our own refund: only the rest is requested', async ({ openGateway }) => {
    const app = await openGateway();
    const { topup, refund } = await paidTopup(app, 'qris');
    app.fake.happen(topup.id, 'refund', partly);
    expect(await refund()).toBe('refunded');
    expect(app.fake.book.find(topup.id)).toMatchObject({ status: 'refund', returned: 50_000 });
    expect(await balance(app, 'cash:midtrans')).toBe(0);
    expect(await reds(app)).toEqual([]);
  });

  test('with an unknown amount is never refunded by hand', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { topup, refund } = await paidTopup(app, 'qris');
    app.fake.happen(topup.id, 'refund', { status: 'partial_refund' });
    expect(await refund()).toBe('open');
    expect(await sql`select way, status from refunds`).toEqual([
      { way: 'gateway', status: 'open' },
    ]);
    expect(app.troubles.map(String).join()).toContain('not the rest');
  });
});

test('a refund by the gateway flags the order, and the saldo does not change', async ({
  openGateway,
  sql,
}) => {
  const app = await openGateway();
  const { owner, topup } = await paidTopup(app, 'qris');
  app.fake.happen(topup.id, 'refund');
  await app.deliver();
  expect(await sql`select flag from gateway_orders`).toEqual([{ flag: 'refunded' }]);
  expect(await app.statusOf(topup)).toBe('paid');
  expect((await saldoOf(sql, owner.accountId)).available).toBe(50_000);
  expect(app.troubles.map(String).join()).toContain('gave money back');
});
