import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { MoneyOverview } from '#contract/operator/books.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import { Refusal } from '#contract/base/refusals.ts';
import { type ActingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import { type GatewayApp, test } from '#tests/support/money/gateway-app.ts';
import { saldoOf } from '#tests/support/money/topups.ts';

async function deskOf(app: GatewayApp): Promise<ActingOperator> {
  const [oka] = await operatorsOf(app.deps.allAccountsSql, app, { names: ['Oka'] });
  if (!oka) throw new Error('expected an operator');
  return oka;
}

const idsOf = async (who: ActingOperator, status?: string) => {
  const fields = status === undefined ? {} : { status };
  const { rows } = (await who.ask('operator_topup_list', fields)) as { rows: OperatorTopup[] };
  return rows.map(({ id }) => id);
};

const waitingOf = async (who: ActingOperator) =>
  ((await who.ask('operator_money_overview')) as MoneyOverview).waiting.topups.count;

const check = (who: ActingOperator, { id }: { id: string }) =>
  who.ask('operator_topup_check', { topup_id: id }) as Promise<OperatorTopup>;

test('a top-up is open for operators only once it is in review', async ({ openGateway }) => {
  const app = await openGateway();
  const oka = await deskOf(app);
  const { topup: transfer } = await app.placed('bank');
  const { topup: qris } = await app.placed('qris');
  const { topup: va } = await app.placed('va_bca');
  expect(await idsOf(oka, 'open')).toEqual([]);
  expect(await waitingOf(oka)).toBe(0);
  expect(await idsOf(oka, 'gateway')).toEqual([va.id, qris.id]);
  expect(await idsOf(oka, 'pending')).toEqual([va.id, qris.id, transfer.id]);

  app.fake.happen(qris.id, 'pay', { paidTotal: 49_000 });
  await app.deliver();
  expect(await idsOf(oka, 'open')).toEqual([qris.id]);
  expect(await waitingOf(oka)).toBe(1);
  expect(await idsOf(oka, 'gateway')).toEqual([va.id]);
});

test('an operator checks a payment at its gateway, and sees the gateway’s id of it', async ({
  openGateway,
  sql,
}) => {
  const app = await openGateway();
  const oka = await deskOf(app);
  const { owner, topup } = await app.placed('qris');
  const order = app.fake.book.find(topup.id);
  expect(await check(oka, topup)).toMatchObject({
    status: 'pending',
    gateway: { provider: 'midtrans', reference: order?.txnId },
  });
  app.fake.happen(topup.id, 'pay');
  expect((await check(oka, topup)).status).toBe('paid');
  expect((await saldoOf(sql, owner.accountId)).available).toBe(50_000);
  expect((await check(oka, topup)).status).toBe('paid');
  expect((await saldoOf(sql, owner.accountId)).topups).toBe(1);
});

test('returns a bank transfer unchecked, and reports a silent gateway', async ({ openGateway }) => {
  const app = await openGateway();
  const oka = await deskOf(app);
  const { topup: transfer } = await app.placed('bank');
  expect(await check(oka, transfer)).toMatchObject({ status: 'pending', gateway: null });
  const { topup } = await app.placed('qris');
  app.fake.mode.dropAnswer = true;
  await expect(check(oka, topup)).rejects.toEqual(new Refusal('gateway_down', {}));
  await expect(check(oka, { id: publicId('topup', crypto.randomUUID()) })).rejects.toEqual(
    new Refusal('not_found', { what: 'Isi saldo' }),
  );
});

test('a check finds money that a gateway took for a rejected top-up', async ({
  openGateway,
  sql,
}) => {
  const app = await openGateway();
  const oka = await deskOf(app);
  const { topup } = await app.placed('qris');
  app.fake.happen(topup.id, 'pay', { paidTotal: 49_000 });
  await app.deliver();
  await oka.ask('operator_topup_reject', { topup_id: topup.id, reason: 'Nominalnya berbeda' });
  expect((await check(oka, topup)).status).toBe('rejected');
  expect(await sql`select outcome, amount from provider_payments`).toEqual([
    { outcome: 'second', amount: 49_000 },
  ]);
});
