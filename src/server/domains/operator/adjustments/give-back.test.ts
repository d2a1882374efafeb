import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import type { FlaggedPayment, OpenRefund, OperatorTopup } from '#contract/operator/payments.ts';
import type { Topup, TopupMethod } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { countGatewayWork, retryRefunds } from '#server/domains/payments/payments.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type ActingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import { type GatewayApp, test as base } from '#tests/support/money/gateway-app.ts';
import { refundPayment } from '#tests/support/money/refunds.ts';
import { idOf, saldoOf } from '#tests/support/money/topups.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';
import { plus } from '#tests/support/database/changes.ts';

const reason = 'Diminta lewat email';
const LARGE = 5_000_001;

type Desk = { app: GatewayApp; oka: ActingOperator; ria: ActingOperator };

const test = base.extend<{ desk: Desk }>({
  desk: async ({ openGateway, sql }, use) => {
    const app = await openGateway({ ppn: true });
    const [oka, ria] = await operatorsOf(sql, app);
    if (!oka || !ria) throw new Error('expected two operators');
    await use({ app, oka, ria });
  },
});

async function paid({ app }: Desk, method: TopupMethod = 'bank', amount = 50_000) {
  const { owner, topup } = await app.placed(method, amount);
  if (method === 'bank') await app.transfer(topup.total);
  else {
    app.fake.happen(topup.id, 'pay');
    await app.deliver();
  }
  return { owner, topup, id: publicId('account', owner.accountId) };
}

const giveBack = (who: ActingOperator, { id }: Pick<Topup, 'id'>) =>
  who.ask('operator_payment_refund', { topup_id: id, reason }) as Promise<Adjustment>;

const decide = (who: ActingOperator, { id }: Adjustment, decision: string) =>
  who.ask('operator_adjustment_decide', {
    adjustment_id: id,
    decision,
    reason: 'Sudah dicek',
  }) as Promise<Adjustment>;

const adjust = (who: ActingOperator, id: string, amount: number) =>
  who.ask('operator_adjust', {
    account_id: id,
    direction: amount > 0 ? 'add' : 'subtract',
    amount: Math.abs(amount),
    cause: 'correction',
    reason,
  });

const listOf = async <T>(who: ActingOperator, act: string, fields: Record<string, unknown> = {}) =>
  ((await who.ask(act, fields)) as { rows: T[] }).rows;

const openOf = (who: ActingOperator) => listOf<OpenRefund>(who, 'operator_refund_list');

const finish = (who: ActingOperator, { id }: Pick<Adjustment, 'id'>, reference = 'BCA 77') =>
  who.ask('operator_refund_finish', { refund_id: id, reference });

const reds = async (sql: Sql) => (await checkLedger(sql)).filter(({ ok }) => !ok);
const notes = (sql: Sql) => sql`select from invoices where kind = 'credit_note'`;

describe('refunding a payment', () => {
  test('of a gateway happens at once, with its PPN and one credit note', async ({ desk, sql }) => {
    const { owner, topup } = await paid(desk, 'qris');
    expect(await giveBack(desk.oka, topup)).toMatchObject({
      kind: 'payment_refund',
      status: 'done',
      amount: -topup.total,
      topup_id: topup.id,
      refund: 'done',
    });
    expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
    expect(desk.app.fake.book.find(topup.id)?.status).toBe('refund');
    expect(await openOf(desk.oka)).toEqual([]);
    expect(await notes(sql)).toHaveLength(1);
    const [entry] = await sql`
      select actor, memo from wallet_entries where kind = 'payout'`;
    expect(entry).toEqual({
      actor: `operator:${desk.oka.userId}`,
      memo: expect.stringMatching(/^Pembayaran isi saldo dikembalikan \(adj_/),
    });
    expect(JSON.stringify(await sql`select reason from refunds`)).not.toContain(reason);
    await expect(giveBack(desk.ria, topup)).rejects.toEqual(new Refusal('payment_refund_done', {}));
    expect(await reds(sql)).toEqual([]);
  });

  test('is retried if the gateway does not answer, and not transferred by hand', async ({
    desk,
    sql,
  }) => {
    const { topup } = await paid(desk, 'qris');
    desk.app.fake.mode.dropAnswer = true;
    const given = await giveBack(desk.oka, topup);
    expect(given).toMatchObject({ status: 'done', refund: 'gateway' });
    await expect(finish(desk.ria, given)).rejects.toEqual(new Refusal('refund_at_gateway', {}));
    expect(await openOf(desk.ria)).toMatchObject([{ way: 'gateway' }]);
    desk.app.fake.mode.dropAnswer = false;
    await retryRefunds(desk.app.deps);
    expect(await openOf(desk.ria)).toEqual([]);
    expect(await reds(sql)).toEqual([]);
  });

  test.for(['bank', 'va_bca'] as const)(
    'by %s is transferred by an operator and finished once, with a reference that counts once',
    async (method, { desk, sql }) => {
      const { topup, id } = await paid(desk, method);
      const given = await giveBack(desk.oka, topup);
      expect(given.refund).toBe('manual');
      expect(await openOf(desk.ria)).toMatchObject([
        { id: given.id, topup_id: topup.id, amount: topup.total, way: 'manual', operator: 'Oka' },
      ]);
      const both = await Promise.allSettled([finish(desk.oka, given), finish(desk.ria, given)]);
      expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await expect(finish(desk.ria, given, 'BCA 78')).rejects.toEqual(
        new Refusal('refund_finished', {}),
      );
      expect(await openOf(desk.ria)).toEqual([]);
      const [shown] = await listOf<OperatorTopup>(desk.ria, 'operator_topup_list');
      expect([shown?.id, shown?.refund]).toEqual([topup.id, 'done']);

      await adjust(desk.oka, id, 1_000);
      const payout = { account_id: id, amount: 1_000, payee: 'ANI S', reason };
      const used = new Refusal('transfer_reference_used', {});
      await expect(
        desk.oka.ask('operator_payout', { ...payout, reference: ' bca  77' }),
      ).rejects.toEqual(used);
      await desk.oka.ask('operator_payout', { ...payout, reference: 'BCA 79' });
      const again = await giveBack(desk.ria, (await paid(desk)).topup);
      await expect(finish(desk.ria, again, 'bca 79')).rejects.toEqual(used);
      await expect(finish(desk.ria, again, 'bca 77')).rejects.toEqual(used);
      expect(await reds(sql)).toEqual([]);
    },
  );

  test('happens once when two operators request it at the same time', async ({ desk, sql }) => {
    const { owner, topup } = await paid(desk, 'qris');
    await adjust(desk.oka, publicId('account', owner.accountId), 100_000);
    const asked = [desk.oka, desk.ria, desk.oka].map((one) => giveBack(one, topup));
    const answers = await Promise.allSettled(asked);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await saldoOf(sql, owner.accountId)).available).toBe(100_000);
    expect(await notes(sql)).toHaveLength(1);
    expect(await reds(sql)).toEqual([]);
  });

  test('is refused with the missing amount if the saldo was partly spent', async ({
    desk,
    sql,
  }) => {
    const { topup, id } = await paid(desk);
    await adjust(desk.oka, id, -1_500);
    await expect(giveBack(desk.oka, topup)).rejects.toEqual(
      new Refusal('payment_saldo_short', { lacking: 1_500 }),
    );
    expect(await sql`select from adjustments where kind = 'payment_refund'`).toEqual([]);
    expect(await notes(sql)).toEqual([]);
  });

  test('is refused for a top-up that does not exist or is unpaid', async ({ desk }) => {
    const { topup } = await desk.app.placed('bank');
    await expect(giveBack(desk.oka, topup)).rejects.toEqual(new Refusal('topup_unpaid', {}));
    await expect(
      giveBack(desk.oka, { id: publicId('topup', crypto.randomUUID()) }),
    ).rejects.toEqual(new Refusal('not_found', { what: 'Isi saldo' }));
  });

  test('is refused for a frozen wallet, and while the ledger check is red', async ({
    desk,
    db,
    sql,
  }) => {
    const { topup, id } = await paid(desk);
    const freeze = (becomes: string) =>
      desk.oka.ask('operator_wallet_freeze', { account_id: id, becomes, reason });
    await freeze('frozen');
    await expect(giveBack(desk.oka, topup)).rejects.toEqual(
      new Refusal('wallet_frozen_payout', {}),
    );
    await freeze('active');
    const { topup: other } = await paid(desk);
    const given = await giveBack(desk.oka, other);
    await changeWallets(db.owner, {}, { held: plus(1) });
    await desk.oka.ask('operator_ledger_check');
    await expect(giveBack(desk.oka, topup)).rejects.toEqual(new Refusal('books_red', {}));
    await expect(finish(desk.oka, given)).rejects.toEqual(new Refusal('books_red', {}));
    await changeWallets(db.owner, {}, { held: plus(-1) });
    await desk.oka.ask('operator_ledger_check');
    await finish(desk.oka, given);
    await giveBack(desk.oka, topup);
    expect(await reds(sql)).toEqual([]);
  });
});

describe('above the limit', () => {
  test('books nothing and calls no gateway before a second operator approves', async ({
    desk,
    sql,
  }) => {
    const { owner, topup } = await paid(desk, 'qris', LARGE);
    const proposal = await giveBack(desk.oka, topup);
    expect(proposal).toMatchObject({ status: 'pending', needs_second: true, refund: null });
    expect((await saldoOf(sql, owner.accountId)).available).toBe(topup.credited);
    expect(await notes(sql)).toEqual([]);
    await expect(giveBack(desk.ria, topup)).rejects.toEqual(
      new Refusal('payment_refund_waits', {}),
    );
    expect(await decide(desk.ria, proposal, 'approve')).toMatchObject({
      status: 'done',
      refund: 'done',
      decided_by: 'Ria',
    });
    expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
    expect(desk.app.fake.book.find(topup.id)?.status).toBe('refund');
    expect(await notes(sql)).toHaveLength(1);
    expect(await reds(sql)).toEqual([]);
  });

  const matrix = [
    ['oka', 'approve', 'second_operator_needed'],
    ['oka', 'withdraw', 'withdrawn'],
    ['oka', 'refuse', 'refused'],
    ['ria', 'approve', 'done'],
    ['ria', 'refuse', 'refused'],
    ['ria', 'withdraw', 'second_operator_needed'],
  ] as const;
  test.for(matrix)('%s says %s: %s', async ([who, decision, outcome], { desk, sql }) => {
    const { owner, topup } = await paid(desk, 'bank', LARGE);
    const proposal = await giveBack(desk.oka, topup);
    const answer = decide(desk[who], proposal, decision);
    if (outcome === 'second_operator_needed') {
      await expect(answer).rejects.toEqual(new Refusal(outcome, {}));
    } else expect((await answer).status).toBe(outcome);
    expect((await saldoOf(sql, owner.accountId)).available).toBe(
      outcome === 'done' ? 0 : topup.credited,
    );
    expect(await sql`select from refunds`).toHaveLength(outcome === 'done' ? 1 : 0);
    if (outcome === 'refused' || outcome === 'withdrawn') {
      expect((await giveBack(desk.ria, topup)).status).toBe('pending');
    }
  });

  test('sums what one operator did alone for a customer in a day', async ({ desk }) => {
    const { topup, id } = await paid(desk);
    await adjust(desk.oka, id, 4_990_000);
    const proposal = await giveBack(desk.oka, topup);
    expect(proposal.status).toBe('pending');
    await decide(desk.oka, proposal, 'withdraw');
    expect((await giveBack(desk.ria, topup)).status).toBe('done');
  });

  test('stays pending, with the missing amount, if the saldo was spent meanwhile', async ({
    desk,
  }) => {
    const { topup, id } = await paid(desk, 'bank', LARGE);
    const proposal = await giveBack(desk.oka, topup);
    await adjust(desk.ria, id, -2_000);
    await expect(decide(desk.ria, proposal, 'approve')).rejects.toEqual(
      new Refusal('payment_saldo_short', { lacking: 2_000 }),
    );
  });
});

describe('a second payment', () => {
  const secondOf = async (sql: Sql, owner: { accountId: string }, topup: Topup) => {
    const [payment] = await sql<{ txn: string }[]>`
      select txn_id as txn from provider_payments where outcome = 'second'`;
    const txn = payment?.txn ?? '';
    return { txn, order: { accountId: owner.accountId, topupId: idOf(topup), txnId: txn } };
  };

  test('that was resolved in suspense is not given back, and the first still is', async ({
    desk,
    sql,
  }) => {
    const { owner, topup } = await paid(desk);
    await desk.app.transfer(topup.total);
    const { txn, order } = await secondOf(sql, owner, topup);
    await desk.oka.ask('operator_suspense_credit', { provider: 'bank', txn, reason });
    expect(await refundPayment(desk.app.deps, order)).toBe('duplicate');
    await giveBack(desk.oka, topup);
    expect((await saldoOf(sql, owner.accountId)).available).toBe(topup.total);
    expect(await reds(sql)).toEqual([]);
  });

  test('leaves suspense when it is refunded', async ({ desk, sql }) => {
    const { owner, topup } = await paid(desk);
    await desk.app.transfer(topup.total);
    const { txn, order } = await secondOf(sql, owner, topup);
    expect(await refundPayment(desk.app.deps, order)).toBe('by_hand');
    expect(await listOf(desk.oka, 'operator_suspense_list')).toEqual([]);
    await expect(
      desk.oka.ask('operator_suspense_credit', { provider: 'bank', txn, reason }),
    ).rejects.toEqual(new Refusal('suspense_resolved', {}));
    expect(await reds(sql)).toEqual([]);
  });
});

test('lists a gateway’s own refund until it leaves the saldo, and does not pay twice', async ({
  desk,
  sql,
}) => {
  const { owner, topup } = await paid(desk, 'qris');
  desk.app.fake.happen(topup.id, 'refund');
  await desk.app.deliver();
  const flagged = () => listOf<FlaggedPayment>(desk.oka, 'operator_payment_flag_list');
  const gauge = async () =>
    (await countGatewayWork(desk.app.deps)).find(({ labels }) => labels.state === 'flagged')?.value;
  expect(await gauge()).toBe(1);
  expect(await flagged()).toMatchObject([
    { topup_id: topup.id, provider: 'midtrans', status: 'paid', credited: topup.credited },
  ]);
  expect((await giveBack(desk.oka, topup)).refund).toBe('done');
  expect(desk.app.fake.book.find(topup.id)?.refundKeys).toEqual([]);
  expect((await saldoOf(sql, owner.accountId)).available).toBe(0);
  expect(await flagged()).toEqual([]);
  expect(await gauge()).toBe(0);
  expect(await reds(sql)).toEqual([]);
});

test('an operator allows a customer to spend the welcome bonus on any number', async ({
  desk,
  db,
  sql,
}) => {
  const { owner } = await desk.app.placed('bank');
  const account_id = publicId('account', owner.accountId);
  await sql`select set_bonus_only(${owner.accountId}, true)`;
  const seen = (await desk.oka.ask('operator_customer_get', {
    account_id,
  })) as OperatorCustomerDetail;
  expect(seen.bonus_only).toBe(true);
  const approve = () => desk.oka.ask('operator_bonus_approve', { account_id, reason });
  expect(await approve()).toMatchObject({ bonus_only: false });
  expect(await approve()).toMatchObject({ bonus_only: false });
  expect(await sql`select from wallets where bonus_only`).toEqual([]);
  expect(await sql`select operator_id, reason from bonus_approvals`).toEqual([
    { operator_id: desk.oka.userId, reason },
  ]);
  await changeWallets(db.owner, owner, { status: 'closed' });
  await expect(approve()).rejects.toEqual(new Refusal('account_ended', {}));
});
