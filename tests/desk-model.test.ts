import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import type { SuspenseItem } from '#contract/operator/payments.ts';
import { acts } from '#contract/acts.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { test } from './support/database/database.ts';
import { type ActingOperator, operatorsOf } from './support/money/desk.ts';
import { customerWith } from './support/people/people.ts';
import { topupApp } from './support/money/topups.ts';

type Step =
  | { does: 'adjust'; who: 0 | 1; amount: number }
  | { does: 'payout'; who: 0 | 1; amount: number; reference: number }
  | { does: 'decide'; who: 0 | 1; which: number; decision: 'approve' | 'refuse' | 'withdraw' }
  | { does: 'give_back'; who: 0 | 1 }
  | { does: 'suspense'; who: 0 | 1; credit: boolean }
  | { does: 'freeze'; who: 0 | 1; frozen: boolean };

const who = fc.constantFrom(0 as const, 1 as const);
const amount = fc.oneof(
  fc.integer({ min: 1, max: 60_000 }),
  fc.integer({ min: 1, max: 9_000_000 }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('adjust' as const),
    who,
    amount: fc.oneof(
      amount,
      amount.map((one) => -one),
    ),
  }),
  fc.record({
    does: fc.constant('payout' as const),
    who,
    amount,
    reference: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({
    does: fc.constant('decide' as const),
    who,
    which: fc.nat(5),
    decision: fc.constantFrom('approve' as const, 'refuse' as const, 'withdraw' as const),
  }),
  fc.record({ does: fc.constant('give_back' as const), who }),
  fc.record({ does: fc.constant('suspense' as const), who, credit: fc.boolean() }),
  fc.record({ does: fc.constant('freeze' as const), who, frozen: fc.boolean() }),
);

test('breaks no books and makes no money in any sequence of operator acts', async ({ db, sql }) => {
  const app = await topupApp(db);
  const operators = await operatorsOf(sql, app);
  const reason = 'Uji acak';

  type Paid = { account_id: string; topup_id: string };
  const perform = async (one: Step, { account_id, topup_id }: Paid, operator: ActingOperator) => {
    const { ask } = operator;
    if (one.does === 'adjust') {
      const direction = one.amount > 0 ? 'add' : 'subtract';
      const cause = 'correction';
      await ask('operator_adjust', {
        account_id,
        direction,
        amount: Math.abs(one.amount),
        cause,
        reason,
      });
    } else if (one.does === 'payout') {
      const reference = `${account_id} ${one.reference}`;
      await ask('operator_payout', {
        account_id,
        amount: one.amount,
        reference,
        payee: 'ANI S',
        reason,
      });
    } else if (one.does === 'decide') {
      const { rows } = (await ask('operator_adjustment_list', { account_id })) as {
        rows: Adjustment[];
      };
      const proposal = rows[one.which];
      if (!proposal) return;
      const { decision } = one;
      await ask('operator_adjustment_decide', { adjustment_id: proposal.id, decision, reason });
    } else if (one.does === 'give_back') {
      await ask('operator_payment_refund', { topup_id, reason });
    } else if (one.does === 'suspense') {
      const { rows } = (await ask('operator_suspense_list')) as { rows: SuspenseItem[] };
      const item = rows.find((row) => row.account_id === account_id);
      if (!item) return;
      const { provider, txn } = item;
      const bank = { reference: `retur ${txn}`, payee: 'ANI S' };
      await ask(one.credit ? 'operator_suspense_credit' : 'operator_suspense_return', {
        provider,
        txn,
        reason,
        ...(!one.credit && bank),
      });
    } else {
      await ask('operator_wallet_freeze', {
        account_id,
        becomes: one.frozen ? 'frozen' : 'active',
        reason,
      });
    }
  };

  const run = async (steps: readonly Step[]) => {
    const ani = await customerWith(sql, { saldo: 50_000 });
    const account_id = publicId('account', ani.accountId);
    const topup = await app.topup(ani.accountId, 50_000);
    await app.transfer(topup.total);
    await app.transfer(topup.total);
    for (const one of steps) {
      const operator = operators[one.who];
      if (!operator) throw new Error('no operator');
      await perform(one, { account_id, topup_id: topup.id }, operator).catch((no: unknown) => {
        if (!(no instanceof Refusal)) throw no;
      });
    }
    // The customer's balance equals credits less debits, plus finished proposals.
    const [found] = await sql<{ available: number; done: number; alone: number; large: number }[]>`
      select w.available, coalesce(sum(a.amount), 0)::bigint as done,
        count(*) filter (where a.decided_by = a.proposed_by and a.needs_second) as alone,
        count(*) filter (where abs(a.amount) > 5000000 and not a.needs_second) as large
      from wallets w left join adjustments a on a.account_id = w.account_id and a.status = 'done'
        and a.kind <> 'suspense_return'
      where w.account_id = ${ani.accountId} group by w.available`;
    expect(found).toEqual({
      available: 50_000 + topup.credited + (found?.done ?? 0),
      done: found?.done,
      alone: 0,
      large: 0,
    });
    expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), run), {
    numRuns: process.env['TEST_ALL'] === '1' ? 40 : 15,
  });
});

test('restricts every act of operators to them, and audits every change', () => {
  const operatorActs = acts.filter(({ name }) => name.startsWith('operator_'));
  expect(operatorActs.length).toBeGreaterThan(20);
  expect(operatorActs.filter(({ by }) => by !== 'operator')).toEqual([]);
  const unaudited = operatorActs.filter(({ changes, audited }) => changes && !audited);
  expect(unaudited.map(({ name }) => name)).toEqual(['operator_support_read']);
});

test('makes one proposal of a repeated call', async ({ db, sql }) => {
  const app = await topupApp(db);
  const [oka] = await operatorsOf(sql, app);
  const ani = await customerWith(sql, { saldo: 1_000 });
  const { proposeAdjustment } = await import('#server/domains/operator/adjustments/propose.ts');
  const { rupiah } = await import('#contract/base/money.ts');
  const asking = { operatorId: oka?.userId ?? '', key: randomUUID(), reason: 'Sekali saja' };
  const propose = () =>
    proposeAdjustment(
      app.deps,
      { accountId: ani.accountId, amount: rupiah(500), cause: 'goodwill' },
      asking,
    );
  const [first, second] = await Promise.all([propose(), propose()]);
  expect(second.id).toBe(first.id);
  expect(await sql`select available from wallets where account_id = ${ani.accountId}`).toEqual([
    { available: 1_500 },
  ]);
});
