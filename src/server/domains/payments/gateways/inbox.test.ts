import { describe, expect } from 'vitest';
import { paymentsAccountData } from '#server/domains/payments/payments.ts';
import { test } from '#tests/support/money/gateway-app.ts';
import { refundPayment } from '#tests/support/money/refunds.ts';
import { idOf, saldoOf } from '#tests/support/money/topups.ts';
import { countGatewayWork, pruneInbox, workInbox } from './inbox.ts';
import { changeAccounts } from '#tests/support/people/people.ts';

describe('a notice', () => {
  test('sent many times at once to two nodes credits once', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('qris');
    app.fake.mode.notices.copies = 12;
    app.fake.mode.notices.shuffle = true;
    app.fake.happen(topup.id, 'pay');
    app.fake.notify(topup.id, 'pending');
    await app.fake.queue.flush();
    expect(await sql`select count(*) as n from payment_inbox`).toEqual([{ n: 2 }]);
    await Promise.all(Array.from({ length: 4 }, () => workInbox(app.deps)));
    await app.work();
    expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 50_000, topups: 1 });
    expect(await sql`select outcome from provider_payments`).toEqual([{ outcome: 'paid' }]);
  });

  test('with another status under a valid signature has no effect unless it is true', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('va_bca');
    app.fake.mode.notices.tamperStatus = true;
    app.fake.notify(topup.id, 'cancel');
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('pending');
    expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('paid');
  });

  test('forged before it was true does not block the true one', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('qris');
    app.fake.notify(topup.id, 'settlement');
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('pending');
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('paid');
    const asked = app.fake.calls.length;
    app.fake.notify(topup.id, 'settlement');
    await app.deliver();
    expect(app.fake.calls).toHaveLength(asked);
    expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 50_000, topups: 1 });
  });

  test('about an unknown order is answered and dropped', async ({ openGateway, sql }) => {
    const app = await openGateway();
    app.fake.book.make({
      provider: 'midtrans',
      orderId: 'somebody-elses',
      kind: 'qris',
      total: 1,
      createdAt: app.clock.now(),
    });
    app.fake.happen('somebody-elses', 'pay');
    await app.deliver();
    expect(await sql`select result from payment_inbox`).toEqual([{ result: 'unknown_order' }]);
  });

  test('that cannot be applied is retried with growing delays, and left to the operator after a day', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    const { topup } = await app.placed('qris');
    app.fake.happen(topup.id, 'pay');
    await app.fake.queue.flush();
    app.fake.mode.error500 = 1;
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      await workInbox(app.deps);
      const [row] = await sql<{ next_try_at: Date }[]>`select next_try_at from payment_inbox`;
      const seconds = ((row?.next_try_at.getTime() ?? 0) - app.clock.now().getTime()) / 1_000;
      waits.push(seconds);
      app.clock.pass(seconds / 3_600);
    }
    expect(waits.map(Math.round)).toEqual([5, 10, 20, 40]);
    app.clock.pass(24);
    await workInbox(app.deps);
    expect(await sql`select result from payment_inbox`).toEqual([{ result: 'dead' }]);
    expect(app.outcomes).toContain('dead');
    expect(await countGatewayWork(app.deps)).toContainEqual({
      labels: { state: 'dead' },
      value: 1,
    });
    app.fake.mode.error500 = 0;
    await app.askDue(1);
    expect(await app.statusOf(topup)).toBe('paid');
  });

  test('is stored as received, without secrets, for ninety days', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { topup } = await app.placed('xendit');
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    const [row] = await sql<{ raw: Buffer; headers: object; verified: boolean }[]>`
      select raw, headers, verified from payment_inbox`;
    expect(JSON.parse(String(row?.raw))).toMatchObject({ external_id: topup.id, status: 'PAID' });
    expect(row?.verified).toBe(true);
    expect(JSON.stringify(row?.headers)).not.toContain(app.fake.keys.callbackToken);
    app.clock.pass(91 * 24);
    await pruneInbox(app.deps);
    expect(await sql`select from payment_inbox`).toEqual([]);
  });

  test('is blanked when its customer is erased, and refunds lose their texts', async ({
    openGateway,
    sql,
    db,
  }) => {
    const app = await openGateway();
    const [one, other] = [await app.placed('qris'), await app.placed('qris')];
    for (const { topup } of [one, other]) app.fake.happen(topup.id, 'pay');
    await app.deliver();
    const { accountId } = one.owner;
    const order = { accountId, topupId: idOf(one.topup) };
    const txnId = app.fake.book.find(one.topup.id)?.txnId ?? '';
    expect(await refundPayment(app.deps, { ...order, txnId })).toBe('refunded');
    await changeAccounts(db.owner, { accountId }, { closedAt: 'now' });
    const data = paymentsAccountData({ sql: db.tenantSql, allAccountsSql: sql });
    await data.erase?.({ accountId, phones: [] });
    const notices = await sql<{ raw: Buffer }[]>`
      select raw from payment_inbox where order_ref = ${one.topup.id}`;
    expect(notices.map(({ raw }) => String(raw))).toEqual(['']);
    const kept = await sql`
      select from payment_inbox where order_ref = ${other.topup.id} and raw <> ''`;
    expect(kept).toHaveLength(1);
    expect(await sql`select reason from refunds`).toEqual([{ reason: '' }]);
  });

  test('is sent again by the provider while the database is down', async ({
    openGateway,
    sql,
    db,
  }) => {
    const app = await openGateway();
    const { topup } = await app.placed('qris');
    await db.owner`alter table payment_inbox rename to payment_inbox_away`;
    app.fake.happen(topup.id, 'pay');
    await app.fake.queue.flush();
    await db.owner`alter table payment_inbox_away rename to payment_inbox`;
    app.clock.pass(3 / 60);
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('paid');
    expect(await sql`select result from payment_inbox`).toEqual([{ result: 'applied' }]);
  });
});
