import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { OperatorCustomerDetail } from '#contract/operator/customers.ts';
import type { Adjustment } from '#contract/operator/books.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { type ActingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import {
  type Customer,
  changeAccounts,
  customerWith,
  orderOf,
  reservePhone,
} from '#tests/support/people/people.ts';
import { type TopupApp, saldoOf, topupApp } from '#tests/support/money/topups.ts';
import { changeWallets } from '#tests/support/money/wallets.ts';
import { plus } from '#tests/support/database/changes.ts';

const LARGE = 5_000_001;
const reason = 'Diminta lewat email';

type Desk = { app: TopupApp; oka: ActingOperator; ria: ActingOperator; ani: Customer; id: string };

const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await topupApp(db);
    const [oka, ria] = await operatorsOf(sql, app);
    if (!oka || !ria) throw new Error('expected two operators');
    const ani = await customerWith(sql, { saldo: 10_000_000 });
    await use({ app, oka, ria, ani, id: publicId('account', ani.accountId) });
  },
});

const adjust = (who: ActingOperator, id: string, amount: number, more: object = {}) =>
  who.ask('operator_adjust', {
    account_id: id,
    direction: amount > 0 ? 'add' : 'subtract',
    amount: Math.abs(amount),
    cause: 'goodwill',
    reason,
    ...more,
  }) as Promise<Adjustment>;

const decide = (who: ActingOperator, { id }: Adjustment, decision: string) =>
  who.ask('operator_adjustment_decide', {
    adjustment_id: id,
    decision,
    reason: 'Sudah dicek',
  }) as Promise<Adjustment>;

const payout = (who: ActingOperator, id: string, amount: number, reference = 'BCA 2211 0917') =>
  who.ask('operator_payout', {
    account_id: id,
    amount,
    reference,
    payee: 'ANI S',
    reason,
  }) as Promise<Adjustment>;

const saldo = async (sql: Sql, { accountId }: Customer) =>
  (await saldoOf(sql, accountId)).available;
const reds = async (sql: Sql) => (await checkLedger(sql)).filter(({ ok }) => !ok);

async function sentMessage(db: TestDatabase, ani: Customer, price = 150): Promise<string> {
  const intake = openIntake(db.tenantSql, () => undefined);
  const { results } = await intake.accept(orderOf(ani, { prices: [price] }));
  await intake.close();
  const [{ id } = { id: '' }] = results;
  await db.allAccountsSql`
    select count(*) from settle_batch(${ani.accountId}, null, null, array[${id}]::uuid[],
      array['sent'], array[null]::text[], array[now()])`;
  return publicId('message', id);
}

describe('one operator', () => {
  test('adds and subtracts up to the limit at once, against one of our accounts', async ({
    desk: { oka, ani, id },
    sql,
  }) => {
    expect(await adjust(oka, id, 5_000_000)).toMatchObject({
      status: 'done',
      needs_second: false,
      proposed_by: 'Oka',
      decided_by: 'Oka',
    });
    expect(await saldo(sql, ani)).toBe(15_000_000);
    const [entry] = await sql`
      select kind, contra, actor, memo, ref_type from wallet_entries
      where account_id = ${ani.accountId} order by seq desc limit 1`;
    expect(entry).toMatchObject({
      kind: 'adjust',
      contra: 'exp:goodwill',
      actor: `operator:${oka.userId}`,
      ref_type: 'adjustment',
      memo: expect.stringMatching(/^Penyesuaian saldo oleh Kabari \(adj_/),
    });
    expect(JSON.stringify(entry)).not.toContain(reason);
    expect(await reds(sql)).toEqual([]);
  });

  test('never makes a saldo negative, and leaves no trace of the attempt', async ({
    desk: { oka },
    sql,
  }) => {
    const budi = await customerWith(sql, { saldo: 1_000 });
    const id = publicId('account', budi.accountId);
    await expect(adjust(oka, id, -1_001)).rejects.toEqual(
      new Refusal('adjustment_saldo_short', { available: 1_000 }),
    );
    expect(await sql`select from adjustments`).toHaveLength(0);
    await adjust(oka, id, -1_000, { cause: 'correction' });
    expect(await saldo(sql, budi)).toBe(0);
  });

  test('cannot exceed the limit within a day in small parts', async ({
    desk: { oka, ria, id, app },
  }) => {
    await adjust(oka, id, 3_000_000);
    expect((await adjust(oka, id, 2_000_001)).status).toBe('pending');
    expect((await adjust(ria, id, 2_000_001)).status).toBe('done');
    app.clock.pass(25);
    expect((await adjust(oka, id, 2_000_001)).status).toBe('done');
  });

  test('must give a reason', async ({ desk: { oka, id } }) => {
    await expect(adjust(oka, id, 100, { reason: ' ' })).rejects.toThrow('Tulis alasannya.');
  });

  test('cannot adjust the installation’s own account, or an account that does not exist', async ({
    desk: { oka },
  }) => {
    const nobody = publicId('account', randomUUID());
    await expect(adjust(oka, nobody, 100)).rejects.toEqual(
      new Refusal('not_found', { what: 'Pelanggan' }),
    );
  });
});

describe('above the limit', () => {
  test('books nothing before a second operator approves', async ({
    desk: { oka, ria, ani, id },
    sql,
  }) => {
    const proposal = await adjust(oka, id, LARGE);
    expect(proposal).toMatchObject({ status: 'pending', needs_second: true, is_own: true });
    expect(await saldo(sql, ani)).toBe(10_000_000);
    expect(await decide(ria, proposal, 'approve')).toMatchObject({
      status: 'done',
      proposed_by: 'Oka',
      decided_by: 'Ria',
      decision_note: 'Sudah dicek',
      is_own: false,
    });
    expect(await saldo(sql, ani)).toBe(15_000_001);
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
  for (const [who, decision, outcome] of matrix) {
    test(`${who === 'oka' ? 'its proposer' : 'another'} says ${decision}: ${outcome}`, async ({
      desk,
      sql,
    }) => {
      const proposal = await adjust(desk.oka, desk.id, LARGE);
      const answer = decide(desk[who], proposal, decision);
      if (outcome === 'second_operator_needed') {
        await expect(answer).rejects.toEqual(new Refusal(outcome, {}));
      } else {
        expect((await answer).status).toBe(outcome);
        for (const again of ['approve', 'refuse', 'withdraw']) {
          await expect(decide(desk.ria, proposal, again)).rejects.toEqual(
            new Refusal('adjustment_closed', {}),
          );
        }
      }
      expect(await saldo(sql, desk.ani)).toBe(outcome === 'done' ? 15_000_001 : 10_000_000);
    });
  }

  test('one of two concurrent approvals succeeds', async ({ desk: { app, oka, id, ani }, sql }) => {
    const approvers = await operatorsOf(sql, app, { names: ['Ria', 'Sari', 'Tono'] });
    const proposal = await adjust(oka, id, LARGE);
    const answers = await Promise.allSettled(
      approvers.map((one) => decide(one, proposal, 'approve')),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await saldo(sql, ani)).toBe(15_000_001);
  });

  test('a proposal expires after seven days', async ({ desk: { app, oka, ria, id } }) => {
    const proposal = await adjust(oka, id, LARGE);
    app.clock.pass(7 * 24);
    await expect(decide(ria, proposal, 'approve')).rejects.toEqual(
      new Refusal('adjustment_closed', {}),
    );
    const { rows } = (await ria.ask('operator_adjustment_list', { status: 'expired' })) as {
      rows: Adjustment[];
    };
    expect(rows.map((row) => [row.id, row.status])).toEqual([[proposal.id, 'expired']]);
  });

  test('a proposal that the saldo no longer covers stays pending', async ({
    desk: { oka, ria, id },
    sql,
  }) => {
    const proposal = await adjust(oka, id, -6_000_000);
    await adjust(ria, id, -4_500_000);
    await expect(decide(ria, proposal, 'approve')).rejects.toEqual(
      new Refusal('adjustment_saldo_short', { available: 5_500_000 }),
    );
    expect(await sql`select status from adjustments where needs_second`).toEqual([
      { status: 'pending' },
    ]);
  });

  test('the database refuses a proposal decided by its own proposer', async ({ desk, db }) => {
    await adjust(desk.oka, desk.id, LARGE);
    await expect(
      db.owner`update adjustments set status = 'done', decided_by = proposed_by, decided_at = now()`,
    ).rejects.toThrow('second_operator_approves');
    await expect(db.allAccountsSql`update adjustments set status = 'done'`).rejects.toThrow(
      'permission denied',
    );
  });
});

describe('a refund', () => {
  test('returns the price of a message, once', async ({ desk: { oka, ani, id }, db, sql }) => {
    const message_id = await sentMessage(db, ani);
    const before = await saldo(sql, ani);
    const refund = () => oka.ask('operator_refund', { account_id: id, message_id, reason });
    expect(await refund()).toMatchObject({ status: 'done', kind: 'refund', amount: 150 });
    await expect(refund()).rejects.toEqual(new Refusal('refund_done', {}));
    expect(await saldo(sql, ani)).toBe(before + 150);
    expect(await reds(sql)).toEqual([]);
  });

  test('happens once when requested twice at the same time', async ({
    desk: { oka, ria, ani, id },
    db,
    sql,
  }) => {
    const message_id = await sentMessage(db, ani);
    const before = await saldo(sql, ani);
    await Promise.allSettled(
      [oka, ria].map((one) =>
        one.ask('operator_refund', { account_id: id, message_id, amount: 100, reason }),
      ),
    );
    expect(await saldo(sql, ani)).toBe(before + 100);
  });

  test('is limited to the amount charged for the message', async ({
    desk: { oka, ani, id },
    db,
    sql,
  }) => {
    const message_id = await sentMessage(db, ani);
    const ask = (fields: object) =>
      oka.ask('operator_refund', { account_id: id, reason, message_id, ...fields });
    await expect(ask({ amount: 151 })).rejects.toEqual(
      new Refusal('refund_too_large', { captured: 150 }),
    );
    const budi = publicId('account', (await customerWith(sql)).accountId);
    await expect(ask({ account_id: budi })).rejects.toEqual(
      new Refusal('refund_too_large', { captured: 0 }),
    );
  });
});

describe('a payout', () => {
  test('takes the saldo and the cash, and records the transfer', async ({
    desk: { oka, ani, id },
    sql,
  }) => {
    expect(await payout(oka, id, 1_000_000)).toMatchObject({
      status: 'done',
      amount: -1_000_000,
      payee: 'ANI S',
    });
    expect(await saldo(sql, ani)).toBe(9_000_000);
    expect(await sql`select amount from gl_lines where gl_account = 'cash:bank'`).toEqual([
      { amount: -1_000_000 },
    ]);
    expect(await reds(sql)).toEqual([]);
  });

  test('pays out once per transfer, however its reference is spelled', async ({
    desk: { oka, ria, id, ani },
    sql,
  }) => {
    await payout(oka, id, 1_000);
    await expect(payout(ria, id, 1_000, ' bca  2211 0917')).rejects.toEqual(
      new Refusal('transfer_reference_used', {}),
    );
    expect(await saldo(sql, ani)).toBe(9_999_000);
  });

  test.for([
    ['small letters', 'bca-77'],
    ['a zero-width character', 'BCA\u200b-77'],
    ['full-width letters', 'ＢＣＡ-77'],
    ['an en dash', 'BCA–77'],
    ['a minus sign', 'BCA−77'],
    ['an inner blank', 'BCA - 77'],
    ['a no-break space', 'BCA\u00a0-77'],
    ['a filler that is not shown', 'BCA\u3164-77'],
  ])(
    'refuses a second payout whose reference has %s',
    async ([, spelling = ''], { desk: { oka, ria, id, ani }, sql }) => {
      expect((await payout(oka, id, 1_000, 'BCA-77')).reference).toBe('BCA-77');
      await expect(payout(ria, id, 1_000, spelling)).rejects.toEqual(
        new Refusal('transfer_reference_used', {}),
      );
      expect(await saldo(sql, ani)).toBe(9_999_000);
    },
  );

  test('refuses a reference with a letter that only looks Latin, or with invisible characters', async ({
    desk: { oka, id },
  }) => {
    await expect(payout(oka, id, 1_000, 'BС\u0410-77')).rejects.toThrow('huruf latin');
    await expect(payout(oka, id, 1_000, '\u200b\u200b\u200b\u2060')).rejects.toThrow(
      'Tulis referensi transfer',
    );
  });

  test('reserves its reference while the proposal is open, and releases it when the proposal ends', async ({
    desk: { app, oka, ria, id, ani },
    sql,
  }) => {
    await payout(oka, id, LARGE);
    const used = new Refusal('transfer_reference_used', {});
    await expect(payout(ria, id, LARGE)).rejects.toEqual(used);
    app.clock.pass(7 * 24);
    const again = await payout(oka, id, LARGE);
    await decide(ria, again, 'approve');
    expect(await saldo(sql, ani)).toBe(10_000_000 - LARGE);
    app.clock.pass(7 * 24);
    await expect(payout(oka, id, LARGE)).rejects.toEqual(used);
    expect(await reds(sql)).toEqual([]);
  });

  test('pays nothing out of a frozen wallet, or while the ledger check is red', async ({
    desk: { oka, id },
    sql,
    db,
  }) => {
    const freeze = (frozen: boolean) =>
      oka.ask('operator_wallet_freeze', {
        account_id: id,
        becomes: frozen ? 'frozen' : 'active',
        reason,
      }) as Promise<OperatorCustomerDetail>;
    expect((await freeze(true)).status).toBe('frozen');
    expect((await freeze(true)).freezes).toHaveLength(1);
    await expect(payout(oka, id, 1_000)).rejects.toEqual(new Refusal('wallet_frozen_payout', {}));
    expect((await freeze(false)).status).toBe('active');

    await changeWallets(db.owner, {}, { available: plus(1) });
    expect(await oka.ask('operator_ledger_check')).toMatchObject({ ok: false });
    await expect(payout(oka, id, 1_000)).rejects.toEqual(new Refusal('books_red', {}));
    await changeWallets(db.owner, {}, { available: plus(-1) });
    expect(await oka.ask('operator_ledger_check')).toMatchObject({ ok: true });
    expect((await payout(oka, id, 1_000)).status).toBe('done');
    expect(await sql`select from adjustments`).toHaveLength(1);
  });

  test('keeps the saldo of a closed account', async ({ desk: { oka, ani, id }, db }) => {
    await changeWallets(db.owner, ani, { status: 'closed' });
    await expect(payout(oka, id, 1_000)).rejects.toEqual(new Refusal('account_ended', {}));
    await expect(adjust(oka, id, 1_000)).rejects.toEqual(new Refusal('account_ended', {}));
  });
});

describe('finding a customer', () => {
  test('finds by a part of the name or a prefix of the number, and masks the number', async ({
    desk: { oka, ani },
    sql,
  }) => {
    await reservePhone(sql, ani);
    await changeAccounts(sql, ani, { name: 'Kopi 100% Senja' });
    await customerWith(sql);
    const find = async (q: string) =>
      ((await oka.ask('operator_customer_list', { q })) as { rows: { name: string }[] }).rows;
    for (const q of ['senja', '100%', `0${ani.phone.slice(2, 10)}`, ani.phone]) {
      const found = await find(q);
      expect(found.map(({ name }) => name)).toEqual(['Kopi 100% Senja']);
      expect(found).toMatchObject([{ phone: expect.stringMatching(/^\+62 855-•{3}\d-\d{3}$/) }]);
    }
    expect(await find('_enja')).toEqual([]);
    expect(await find('')).toHaveLength(2);
  });
});
