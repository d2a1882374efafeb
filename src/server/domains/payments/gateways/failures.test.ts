import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { rupiah } from '#contract/base/money.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { expireTopups, paymentsActs } from '#server/domains/payments/payments.ts';
import { GatewayTrouble, type PaymentGateway } from '#server/domains/payments/gateways/gateway.ts';
import { workInbox } from '#server/domains/payments/gateways/inbox.ts';
import { gatewaysOf } from '#server/domains/payments/gateways/registry.ts';
import { placeTopup } from '#server/domains/payments/topups/create.ts';
import { type GatewayApp, test } from '#tests/support/money/gateway-app.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { perform, saldoOf } from '#tests/support/money/topups.ts';
import { waitFor } from '#tests/support/wait-for.ts';
import { pollOrders } from '#server/domains/payments/gateways/orders.ts';

const reds = async ({ deps }: GatewayApp) =>
  (await checkLedger(deps.allAccountsSql)).filter(({ ok }) => !ok);

const charges = ({ fake }: GatewayApp) =>
  fake.calls.filter((call) => call === 'POST /v2/charge').length;

describe('an answer that was lost', () => {
  test('leaves the top-up in preparation; the same key gives the same top-up; the worker completes it', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    const key = randomUUID();
    app.fake.mode.dropAnswer = true;
    const { owner, topup } = await app.placed('va_bca', 50_000, key);
    expect(topup).toMatchObject({ status: 'creating', va: null });
    const again = { accountId: owner.accountId, key, base: rupiah(50_000) };
    await expect(placeTopup(app.deps, { ...again, method: 'va_bca' })).resolves.toMatchObject({
      id: topup.id,
      status: 'creating',
    });
    await expect(placeTopup(app.deps, { ...again, method: 'qris' })).rejects.toEqual(
      new Refusal('idempotency_conflict', {}),
    );
    expect(charges(app)).toBe(1);

    app.fake.mode.dropAnswer = false;
    await app.askDue(2);
    expect(charges(app)).toBe(1);
    expect(await app.statusOf(topup)).toBe('pending');
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    expect((await saldoOf(app.deps.allAccountsSql, owner.accountId)).topups).toBe(1);
    expect(await reds(app)).toEqual([]);
  });

  test('of a QRIS, whose status has no QR, is requested again under the same idempotency key', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    app.fake.mode.dropAnswer = true;
    const { topup } = await app.placed('qris');
    app.fake.mode.dropAnswer = false;
    await app.askDue(2);
    expect(await app.statusOf(topup)).toBe('pending');
    expect(app.fake.book.all(topup.id)).toHaveLength(1);
  });

  test('of a page that cannot be fetched again gives up the order, which could not have been paid', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    app.fake.mode.dropAnswer = true;
    const { topup } = await app.placed('snap');
    app.fake.mode.dropAnswer = false;
    await app.askDue(6);
    expect(await app.statusOf(topup)).toBe('cancelled');
  });

  test('of a gateway slower than our time limit is recovered later', async ({ openGateway }) => {
    const app = await openGateway();
    app.fake.mode.latencyMs = 1_500;
    const { topup } = await app.placed('xendit');
    expect(topup.status).toBe('creating');
    app.fake.mode.latencyMs = 0;
    // The first poll is later than any response can arrive.
    await waitFor(() => expect(app.fake.book.all(topup.id)).toHaveLength(1));
    await app.askDue(2);
    expect(await app.statusOf(topup)).toBe('pending');
    expect(app.fake.book.all(topup.id)).toHaveLength(1);
  });

  test('with a 500 means no order: it is created later, or given up after a quarter of an hour', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    app.fake.mode.error500 = 1;
    const one = await app.placed('va_bni');
    expect(one.topup.status).toBe('creating');
    await app.askDue(2);
    expect(await app.statusOf(one.topup)).toBe('creating');
    app.fake.mode.error500 = 0;
    await app.askDue(2);
    expect(await app.statusOf(one.topup)).toBe('pending');

    app.fake.mode.error500 = 1;
    const other = await app.placed('va_bni');
    for (let minute = 0; minute < 15; minute += 5) await app.askDue(5);
    app.fake.mode.error500 = 0;
    await app.askDue(11);
    expect(await app.statusOf(other.topup)).toBe('cancelled');
  });

  test('from an unreachable gateway is refused at once, and nothing waits', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    await app.fake.close();
    await expect(app.placed('qris')).rejects.toEqual(new Refusal('gateway_down', {}));
    expect(await sql`select status from topups`).toEqual([{ status: 'cancelled' }]);
  });
});

describe('money at unusual times', () => {
  test('after expiry or cancelling still counts, with a note', async ({ openGateway, sql }) => {
    const app = await openGateway();
    for (const [end, note] of [
      ['expire', 'Dibayar setelah kedaluwarsa.'],
      ['cancel', 'Dibayar setelah dibatalkan.'],
    ] as const) {
      const { owner, topup } = await app.placed('qris');
      if (end === 'expire') await app.askDue(31);
      else await perform(paymentsActs(app.deps), 'topup_cancel', owner, { topup_id: topup.id });
      expect(await app.statusOf(topup)).toBe(end === 'expire' ? 'expired' : 'cancelled');
      Object.assign(app.fake.book.find(topup.id) ?? {}, { status: 'settlement' });
      app.fake.notify(topup.id, 'settlement');
      await app.deliver();
      expect(
        await perform(paymentsActs(app.deps), 'topup_get', owner, { topup_id: topup.id }),
      ).toMatchObject({ status: 'paid', note });
      expect((await saldoOf(sql, owner.accountId)).available).toBe(50_000);
    }
    expect(await reds(app)).toEqual([]);
  });

  test('without a notice is found by the poller', async ({ openGateway, sql }) => {
    const app = await openGateway();
    app.fake.mode.notices.lose = 1;
    const { owner, topup } = await app.placed('xendit');
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('pending');
    await app.askDue(1);
    expect(await app.statusOf(topup)).toBe('paid');
    expect((await saldoOf(sql, owner.accountId)).topups).toBe(1);
    expect(await sql`select next_poll_at from gateway_orders`).toEqual([{ next_poll_at: null }]);
  });

  test('is checked when its owner reports a payment, at a limited rate', async ({
    openGateway,
  }) => {
    const app = await openGateway();
    app.fake.mode.notices.lose = 1;
    const { owner, topup } = await app.placed('va_permata');
    const check = () =>
      perform(paymentsActs(app.deps), 'topup_check', owner, { topup_id: topup.id });
    await expect(check()).resolves.toMatchObject({ status: 'pending' });
    app.fake.mode.error500 = 1;
    await expect(check()).rejects.toEqual(new Refusal('gateway_down', {}));
    app.fake.mode.error500 = 0;
    app.fake.happen(topup.id, 'pay');
    await expect(check()).resolves.toMatchObject({ status: 'paid' });

    const other = await app.placed('va_permata');
    const asked = await Promise.allSettled(
      Array.from({ length: 9 }, () =>
        perform(paymentsActs(app.deps), 'topup_check', other.owner, { topup_id: other.topup.id }),
      ),
    );
    const refused = asked.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(3);
    const stranger = perform(paymentsActs(app.deps), 'topup_check', owner, {
      topup_id: other.topup.id,
    });
    await expect(stranger).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of another amount goes to review, and the saldo does not change', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('xendit');
    app.fake.happen(topup.id, 'pay', { paidTotal: 1 });
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('review');
    expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
    expect(app.troubles.map(String).join()).toContain('another amount was paid');
  });

  test('for a paid or rejected top-up lies in suspense', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('xendit');
    const facts = {
      provider: 'xendit',
      orderId: topup.id,
      kind: 'invoice',
      total: 50_000,
    } as const;
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    const second = app.fake.book.make({
      ...facts,
      createdAt: app.clock.now(),
      status: 'settlement',
    });
    app.fake.notify(second.txnId, 'settlement');
    await app.deliver();
    expect(app.outcomes.slice(-2)).toEqual(['applied', 'second_payment']);
    expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 50_000, topups: 1 });

    const rejected = await app.placed('va_bri');
    const operator = { accountId: owner.accountId, role: 'operator' } as const;
    await perform(operatorActs(app.deps), 'operator_topup_reject', operator, {
      topup_id: rejected.topup.id,
      reason: 'Diminta pelanggan',
    });
    app.fake.happen(rejected.topup.id, 'pay');
    await app.deliver();
    expect(
      await sql`select -sum(amount)::bigint as n from gl_lines where gl_account = 'suspense'`,
    ).toEqual([{ n: 100_000 }]);
    expect(await app.statusOf(rejected.topup)).toBe('rejected');
    expect(await reds(app)).toEqual([]);
  });

  test('at a gateway cannot be confirmed by an operator', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('va_bca');
    const operator = { accountId: owner.accountId, role: 'operator' } as const;
    const confirming = perform(operatorActs(app.deps), 'operator_topup_confirm', operator, {
      topup_id: topup.id,
      reference: app.fake.book.find(topup.id)?.txnId,
      reason: 'Terlihat di dasbor',
    });
    await expect(confirming).rejects.toEqual(new Refusal('topup_at_gateway', {}));
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
    expect((await saldoOf(sql, owner.accountId)).topups).toBe(1);
    expect(await reds(app)).toEqual([]);
  });
});

describe('a payment named by its own id in place of the order’s', () => {
  test('belongs to the order in our custom field', async ({ openGateway, sql }) => {
    const app = await openGateway();
    const { owner, topup } = await app.placed('snap');
    app.fake.happen(topup.id, 'pay', { isNamedByTxn: true });
    await app.deliver();
    expect(await app.statusOf(topup)).toBe('paid');
    expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 50_000, topups: 1 });
  });

  test('is never assigned by a notice alone: another order’s payment is not credited, an unassignable one goes to review', async ({
    openGateway,
    sql,
  }) => {
    const app = await openGateway();
    const [ani, budi] = [await app.placed('snap'), await app.placed('snap')];
    app.fake.happen(budi.topup.id, 'pay', { isNamedByTxn: true });
    const paid = app.fake.book.find(budi.topup.id);
    await app.fake.queue.flush();
    await sql`delete from payment_inbox`;
    // A genuine notice of Ani's order with the id of Budi's payment still verifies, because the signature does not
    // cover it.
    const hers = app.fake.book.find(ani.topup.id);
    if (!hers || !paid) throw new Error('no orders');
    const own = { txnId: hers.txnId };
    Object.assign(hers, { txnId: paid.txnId });
    app.fake.notify(ani.topup.id, 'settlement');
    Object.assign(hers, own);
    await app.deliver();
    expect(await app.statusOf(ani.topup)).toBe('pending');
    delete paid.customField;
    app.fake.notify(budi.topup.id, 'settlement');
    await app.deliver();
    expect(await app.statusOf(budi.topup)).toBe('review');
    expect(await sql`select from provider_payments`).toEqual([]);
  });
});

const dyingAt = (gateway: PaymentGateway, step: string): PaymentGateway => {
  const die = async (): Promise<never> => {
    throw new Error(`died at ${step}`);
  };
  const dieAfter =
    <A extends unknown[]>(work: (...args: A) => Promise<unknown>) =>
    async (...args: A) => {
      await work(...args);
      return die();
    };
  return {
    ...gateway,
    ...(step === 'before create' && { create: die }),
    ...(step === 'after create' && { create: dieAfter(gateway.create) }),
    ...(step === 'before status' && { fetchStatus: die }),
    ...(step === 'after status' && { fetchStatus: dieAfter(gateway.fetchStatus) }),
  };
};

describe('a process that crashes between two steps', () => {
  for (const step of ['before create', 'after create', 'before status', 'after status']) {
    test(`${step}: another process completes the order, credited once`, async ({
      openGateway,
      sql,
    }) => {
      const app = await openGateway();
      const gateway = app.gateways.named('midtrans');
      if (!gateway) throw new Error('no gateway');
      const dead = { ...app.deps, gateways: gatewaysOf([dyingAt(gateway, step)]) };
      const owner = await customerWith(sql);
      const request = {
        accountId: owner.accountId,
        key: randomUUID(),
        base: rupiah(50_000),
        method: 'va_cimb',
      } as const;
      const placed = placeTopup(dead, request);
      if (step.endsWith('create')) await expect(placed).rejects.toThrow(`died at ${step}`);
      else await placed;
      const topup = await placeTopup(app.deps, request);
      if (topup.status === 'creating') await app.askDue(2);
      expect(await app.statusOf(topup)).toBe('pending');
      expect(app.fake.book.all(topup.id)).toHaveLength(1);

      app.fake.happen(topup.id, 'pay');
      await app.fake.queue.flush();
      if (step.endsWith('status')) {
        await workInbox(dead);
        expect(await app.statusOf(topup)).toBe('pending');
      }
      app.clock.pass(1);
      await app.work();
      expect(await saldoOf(sql, owner.accountId)).toEqual({ available: 50_000, topups: 1 });
      expect(await reds(app)).toEqual([]);
    });
  }

  test('loses its claimed orders after their lease', async ({ openGateway }) => {
    const app = await openGateway();
    const { topup } = await app.placed('va_bca');
    app.fake.mode.notices.lose = 1;
    app.fake.happen(topup.id, 'pay');
    app.clock.pass(1 / 60);
    const hang: PaymentGateway = {
      ...(app.gateways.named('midtrans') as PaymentGateway),
      fetchStatus: () => new Promise(() => undefined),
    };
    void pollOrders({ ...app.deps, gateways: gatewaysOf([hang]) });
    await waitFor(async () => {
      const [row] = await app.deps.allAccountsSql`select polls from gateway_orders`;
      expect(row).toEqual({ polls: 1 });
    });
    expect(await pollOrders(app.deps)).toBe(0);
    await app.askDue(5);
    expect(await app.statusOf(topup)).toBe('paid');
  });
});

test('a gateway silent for a week after an order’s expiry: the order is given up and reported', async ({
  openGateway,
}) => {
  const app = await openGateway();
  const { topup } = await app.placed('qris');
  app.fake.mode.error500 = 1;
  await app.askDue(31);
  expect(await expireTopups(app.deps)).toEqual({ expired: 0, freed: 0 });
  expect(await app.statusOf(topup)).toBe('pending');
  await app.askDue(7 * 24 * 60 + 31);
  expect(await app.statusOf(topup)).toBe('expired');
  expect(app.troubles.some((one) => one instanceof GatewayTrouble)).toBe(true);
  expect(app.troubles.map(String).join()).toContain('never said');
});
