import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import type { FlaggedPayment, OperatorTopup } from '#contract/operator/payments.ts';
import { checkGatewayPayments } from '#server/domains/payments/payments.ts';
import { type ActingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import { type GatewayApp, test as base } from '#tests/support/money/gateway-app.ts';
import { MORNING, saldoOf } from '#tests/support/money/topups.ts';

const reason = 'Saldo sudah disesuaikan';
const LARGE = 5_000_001;

type Desk = { app: GatewayApp; oka: ActingOperator; ria: ActingOperator };

const test = base.extend<{ desk: Desk }>({
  desk: async ({ openGateway, sql }, use) => {
    const app = await openGateway();
    const [oka, ria] = await operatorsOf(sql, app);
    if (!oka || !ria) throw new Error('expected two operators');
    await use({ app, oka, ria });
  },
});

async function paid({ app }: Desk, amount = 50_000) {
  const { owner, topup } = await app.placed('qris', amount);
  app.fake.happen(topup.id, 'pay');
  await app.deliver();
  return { owner, topup };
}

async function returns({ app }: Desk, { id }: { id: string }, returned: number) {
  const order = app.fake.book.find(id);
  if (order) Object.assign(order, { status: 'partial_refund', returned });
  app.fake.notify(id, 'partial_refund');
  await app.deliver();
}

const flagged = async ({ oka }: Desk) =>
  ((await oka.ask('operator_payment_flag_list')) as { rows: FlaggedPayment[] }).rows;

const settle = (who: ActingOperator, { topup_id, at }: Pick<FlaggedPayment, 'topup_id' | 'at'>) =>
  who.ask('operator_payment_flag_settle', { topup_id, flagged_at: at.toISOString(), reason });

const giveBack = (who: ActingOperator, { id }: { id: string }) =>
  who.ask('operator_payment_refund', { topup_id: id, reason }) as Promise<Adjustment>;

async function only(desk: Desk): Promise<FlaggedPayment> {
  const [one, ...others] = await flagged(desk);
  if (!one || others.length > 0) throw new Error('expected one flagged payment');
  return one;
}

test('settles a partial refund by the gateway once, with author and reason, and moves no money', async ({
  desk,
  sql,
}) => {
  const { owner, topup } = await paid(desk);
  await returns(desk, topup, 20_000);
  const one = await only(desk);
  expect(one).toMatchObject({ topup_id: topup.id, kind: 'partly_refunded', returned: 20_000 });
  const both = await Promise.allSettled([settle(desk.oka, one), settle(desk.ria, one)]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await flagged(desk)).toEqual([]);
  await expect(settle(desk.ria, one)).rejects.toEqual(new Refusal('payment_flag_changed', {}));
  expect(await sql`select flag, settled_reason from gateway_orders`).toEqual([
    { flag: 'partly_refunded', settled_reason: reason },
  ]);
  expect((await saldoOf(sql, owner.accountId)).available).toBe(50_000);
  const { rows } = (await desk.ria.ask('operator_topup_list')) as { rows: OperatorTopup[] };
  expect(rows[0]?.gateway?.flag).toEqual({
    kind: 'partly_refunded',
    returned: 20_000,
    settled: { by: expect.stringMatching(/^(Oka|Ria)$/), reason, at: desk.app.clock.now() },
  });
});

test('stays settled after a repeated notice; a further refund is listed again', async ({
  desk,
}) => {
  const { topup } = await paid(desk);
  await returns(desk, topup, 20_000);
  const one = await only(desk);
  await settle(desk.oka, one);
  desk.app.clock.pass(1);
  await returns(desk, topup, 20_000);
  expect(await flagged(desk)).toEqual([]);
  await returns(desk, topup, 25_000);
  expect((await only(desk)).returned).toBe(25_000);
  // An operator who still looks at the first flag settles nothing.
  await expect(settle(desk.oka, one)).rejects.toEqual(new Refusal('payment_flag_changed', {}));
  expect(await flagged(desk)).toHaveLength(1);
});

test('refuses to refund a partly refunded payment as a whole, also after the flag is settled', async ({
  desk,
  sql,
}) => {
  const { owner, topup } = await paid(desk);
  await returns(desk, topup, 20_000);
  const no = new Refusal('payment_partly_returned', { left: 30_000 });
  await expect(giveBack(desk.oka, topup)).rejects.toEqual(no);
  await settle(desk.oka, await only(desk));
  await expect(giveBack(desk.oka, topup)).rejects.toEqual(no);
  expect((await saldoOf(sql, owner.accountId)).available).toBe(50_000);
  expect(await sql`select from adjustments`).toEqual([]);
});

test('does not book a proposal whose payment was partly refunded meanwhile', async ({
  desk,
  sql,
}) => {
  const { owner, topup } = await paid(desk, LARGE);
  const proposal = await giveBack(desk.oka, topup);
  expect(proposal.status).toBe('pending');
  await returns(desk, topup, 1_000_000);
  const approve = { adjustment_id: proposal.id, decision: 'approve', reason };
  await expect(desk.ria.ask('operator_adjustment_decide', approve)).rejects.toEqual(
    new Refusal('payment_partly_returned', { left: LARGE - 1_000_000 }),
  );
  expect((await saldoOf(sql, owner.accountId)).available).toBe(LARGE);
  expect(await sql`select from refunds`).toEqual([]);
});

test('a settled flag is no finding of the reconciliation', async ({ desk, db, sql }) => {
  const { topup } = await paid(desk);
  await returns(desk, topup, 20_000);
  await db.owner.query(
    'alter table topups disable trigger user; update topups set simulated = false',
  );
  const found = () =>
    checkGatewayPayments(sql, MORNING, async () => ({
      status: 'refunded' as const,
      amount: 50_000,
    }));
  expect((await found()).map(({ code }) => code)).toEqual(['gateway_differs']);
  await settle(desk.oka, await only(desk));
  expect(await found()).toEqual([]);
});

test('refuses to settle a payment that was never flagged', async ({ desk }) => {
  const { topup } = await paid(desk);
  const none = new Refusal('not_found', { what: 'Penarikan pembayaran' });
  await expect(settle(desk.oka, { topup_id: topup.id, at: MORNING })).rejects.toEqual(none);
  const nobody = { topup_id: publicId('topup', crypto.randomUUID()), at: MORNING };
  await expect(settle(desk.oka, nobody)).rejects.toEqual(none);
});
