import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import { Refusal } from '#contract/base/refusals.ts';
import type { Adjustment, MoneyOverview, Reconciliation } from '#contract/operator/books.ts';
import type {
  OperatorBankEntry,
  StatementReport,
  OperatorTopup,
} from '#contract/operator/payments.ts';
import type { Topup } from '#contract/saldo.ts';
import {
  invite,
  vouchForOperator,
  type Tie,
  isSecondFor,
  readTies,
} from '#server/domains/accounts/operators.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { restrictToBonus } from '#server/domains/ledger/ledger.ts';
import { type TestDatabase, test as base } from '#tests/support/database/database.ts';
import { type ActingOperator, actingOperator, operatorsOf } from '#tests/support/money/desk.ts';
import { type TopupApp, saldoOf, topupApp } from '#tests/support/money/topups.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';

type Desk = { app: TopupApp; oka: ActingOperator; ria: ActingOperator; ani: Customer };

const reason = 'Diminta lewat email';

const test = base.extend<{ desk: Desk }>({
  desk: async ({ db, sql }, use) => {
    const app = await topupApp(db, { fourEyesDayAbove: 10_000_000 });
    const [oka, ria] = await operatorsOf(sql, app);
    if (!oka || !ria) throw new Error('expected two operators');
    await use({ app, oka, ria, ani: await customerWith(sql) });
  },
});

const adjust = (who: ActingOperator, { accountId }: Customer, amount: number) =>
  who.ask('operator_adjust', {
    account_id: publicId('account', accountId),
    direction: 'add',
    amount,
    cause: 'goodwill',
    reason,
  }) as Promise<Adjustment>;

const approve = (who: ActingOperator, { id }: Adjustment) =>
  who.ask('operator_adjustment_decide', {
    adjustment_id: id,
    decision: 'approve',
    reason: 'Sudah dicek',
  }) as Promise<Adjustment>;

const confirm = (who: ActingOperator, { id }: Topup, reference: string) =>
  who.ask('operator_topup_confirm', { topup_id: id, reference, reason }) as Promise<OperatorTopup>;

const healthy = async (sql: TestDatabase['allAccountsSql']) =>
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);

async function invited(
  { app }: Desk,
  { sql, db }: { sql: TestDatabase['allAccountsSql']; db: TestDatabase },
  { by, days, phone = '6281355500001' }: { by: ActingOperator; days: number; phone?: string },
): Promise<ActingOperator> {
  const { userId } = await invite(sql, { name: 'Boneka', phone, roles: ['money'] }, by.userId);
  await db.owner`
    update operator_ties set at = at - make_interval(days => ${days}) where operator_id = ${userId}`;
  return actingOperator(sql, app, userId);
}

describe('an operator invited by the proposer', () => {
  test('cannot approve the proposer’s adjustments, however old the invitation', async ({
    desk,
    sql,
    db,
  }) => {
    const { oka, ria, ani } = desk;
    const puppet = await invited(desk, { sql, db }, { by: oka, days: 400 });
    const proposal = await adjust(oka, ani, 6_000_000);
    await expect(approve(puppet, proposal)).rejects.toEqual(
      new Refusal('operator_not_independent', {}),
    );
    expect((await saldoOf(sql, ani.accountId)).available).toBe(0);
    expect((await approve(ria, proposal)).status).toBe('done');
    // The inviter cannot approve the invited operator's proposals either.
    const other = await adjust(puppet, ani, 6_000_000);
    await expect(approve(oka, other)).rejects.toEqual(new Refusal('operator_not_independent', {}));
    await vouchForOperator(sql, '6281355500001');
    expect((await approve(oka, other)).status).toBe('done');
    await healthy(sql);
  });

  test('cannot complete the proposer’s top-ups, and their import proves no money', async ({
    desk,
    sql,
    db,
  }) => {
    const { app, oka, ria, ani } = desk;
    const puppet = await invited(desk, { sql, db }, { by: oka, days: 400 });
    const topup = await app.topup(ani.accountId, 6_000_000);
    expect((await confirm(oka, topup, 'TRX 1')).status).toBe('pending');
    const forThem = async (who: ActingOperator) =>
      ((await who.ask('operator_money_overview')) as MoneyOverview).topups_for_you;
    expect([await forThem(oka), await forThem(puppet), await forThem(ria)]).toEqual([0, 0, 1]);
    await expect(confirm(puppet, topup, 'TRX 1')).rejects.toEqual(
      new Refusal('operator_not_independent', {}),
    );
    await imported(app, puppet, statement([topup.total, 'ANI', 9_000_000]));
    const [line] = await linesOf(oka);
    expect((await confirm(oka, topup, line?.line ?? '')).status).toBe('pending');
    expect((await confirm(ria, topup, line?.line ?? '')).status).toBe('paid');
    await healthy(sql);
  });

  test('decides on no proposal within seven days', async ({ desk, sql, db }) => {
    const { oka, ria, ani } = desk;
    const fresh = await invited(desk, { sql, db }, { by: ria, days: 6 });
    const proposal = await adjust(oka, ani, 6_000_000);
    await expect(approve(fresh, proposal)).rejects.toEqual(
      new Refusal('operator_not_independent', {}),
    );
    const known = await invited(desk, { sql, db }, { by: ria, days: 8, phone: '6281355500002' });
    expect((await approve(known, proposal)).status).toBe('done');
  });

  test('shares one limit with the proposer for seven days', async ({ desk, sql, db }) => {
    const { oka, ani } = desk;
    const puppet = await invited(desk, { sql, db }, { by: oka, days: 0 });
    expect((await adjust(oka, ani, 4_000_000)).status).toBe('done');
    expect((await adjust(puppet, ani, 1_000_001)).status).toBe('pending');
  });

  base('counts through any number of steps, and through a common inviter', () => {
    const now = new Date('2026-11-29T00:00:00Z');
    const at = new Date('2026-10-01T00:00:00Z');
    const tie = (operatorId: string, by: string | null, kind: Tie['kind'] = 'invited', when = at) =>
      ({ operatorId, by, kind, at: when }) satisfies Tie;
    const second = (ties: readonly Tie[], decider: string, proposer: string) =>
      isSecondFor(readTies(ties, decider, now), proposer);
    const chain = [tie('b', 'a'), tie('c', 'b'), tie('d', 'a', 'roles'), tie('z', 'y')];
    for (const pair of ['ab', 'ba', 'ac', 'ca', 'bd', 'cd', 'zy']) {
      expect([pair, second(chain, pair[0] ?? '', pair[1] ?? '')]).toEqual([pair, false]);
    }
    for (const pair of ['az', 'za', 'cy', 'ax']) {
      expect([pair, second(chain, pair[0] ?? '', pair[1] ?? '')]).toEqual([pair, true]);
    }
    // Vouching in the terminal cuts the chain before it, not after it.
    const vouched = [...chain, tie('c', null, 'vouched'), tie('e', 'c')];
    expect(second(vouched, 'c', 'a')).toBe(true);
    expect(second(vouched, 'e', 'c')).toBe(false);
    expect(second([tie('a', 'b'), tie('b', 'a')], 'a', 'b')).toBe(false);
    // Resetting a second factor makes an operator new for seven days.
    const reset = [tie('q', 'a', 'factor_reset', new Date(now.getTime() - 6 * 86_400_000))];
    expect([second(reset, 'q', 'x'), second([tie('q', 'a', 'factor_reset')], 'q', 'a')]).toEqual([
      false,
      true,
    ]);
  });
});

describe('gifts of one operator within a day are summed', () => {
  test('over adjustments and confirmed top-ups of one customer', async ({ desk, sql }) => {
    const { app, oka, ria, ani } = desk;
    expect((await adjust(oka, ani, 4_000_000)).status).toBe('done');
    const topup = await app.topup(ani.accountId, 2_000_000);
    expect((await confirm(oka, topup, 'TRX 1')).status).toBe('pending');
    expect((await confirm(ria, topup, 'TRX 1')).status).toBe('paid');
    const other = await customerWith(sql);
    const first = await app.topup(other.accountId, 4_000_000);
    expect((await confirm(oka, first, 'TRX 2')).status).toBe('paid');
    expect((await adjust(oka, other, 2_000_000)).status).toBe('pending');
    await healthy(sql);
  });

  test('over many customers and every kind', async ({ desk, sql }) => {
    const { app, oka, ria } = desk;
    const three = await Promise.all([1, 2, 3].map(() => customerWith(sql)));
    const [ani, budi, citra] = three as [Customer, Customer, Customer];
    expect((await adjust(oka, ani, 4_000_000)).status).toBe('done');
    const topup = await app.topup(budi.accountId, 4_000_000);
    expect((await confirm(oka, topup, 'TRX 1')).status).toBe('paid');
    expect((await adjust(oka, citra, 2_000_000)).status).toBe('pending');
    const paying = await app.topup(citra.accountId, 2_000_000);
    expect(
      (await imported(app, oka, statement([paying.total, 'CITRA', 9_000_000]))).counts,
    ).toMatchObject({ pays: 0, near: 1 });
    await sql.begin((tx) => restrictToBonus(tx, ani.accountId, true));
    const bonus = { account_id: publicId('account', ani.accountId), reason };
    await expect(oka.ask('operator_bonus_approve', bonus)).rejects.toEqual(
      new Refusal('operator_limit_reached', {}),
    );
    await ria.ask('operator_bonus_approve', bonus);
    expect((await adjust(ria, citra, 5_000_000)).status).toBe('done');
    app.clock.pass(24);
    expect((await adjust(oka, citra, 2_000_000)).status).toBe('done');
    await healthy(sql);
  });

  test('when all parts come at once', async ({ desk, sql }) => {
    const { app, oka } = desk;
    const many = await Promise.all(Array.from({ length: 6 }, () => customerWith(sql)));
    const parts = many.map(async (one, n) => {
      if (n % 2 === 0) return (await adjust(oka, one, 3_000_000)).status;
      const topup = await app.topup(one.accountId, 3_000_000);
      return (await confirm(oka, topup, `AT ONCE ${n}`)).status;
    });
    const done = await Promise.all(parts);
    expect(done.filter((status) => status === 'done' || status === 'paid')).toHaveLength(3);
    await healthy(sql);
  });
});

type Booked = readonly [amount: number, text: string, balance: number, date?: string];

const statement = (...rows: Booked[]): string =>
  [
    `"Account No.","=","'8800123456"`,
    `"Period","=","01/11/2026 - 30/11/2026"`,
    '"Date","Description","Branch","Amount","","Balance"',
    ...rows.map(
      ([amount, text, balance, date = '21/11']) =>
        `"'${date}","${text}","'0000","${amount}.00","CR","${balance}.00"`,
    ),
    '',
  ].join('\n');

async function imported(
  app: TopupApp,
  who: ActingOperator,
  text: string,
): Promise<StatementReport> {
  const upload = app.upload(text);
  const shown = (await who.ask('operator_statement_preview', { upload })) as StatementReport;
  const { sha256 } = shown;
  const done = (await who.ask('operator_statement_import', { upload, sha256 })) as StatementReport;
  expect(done.counts).toEqual(shown.counts);
  return done;
}

const linesOf = async (who: ActingOperator, filter: 'unmatched' | 'all' = 'unmatched') =>
  ((await who.ask('operator_bank_line_list', { filter })) as { rows: OperatorBankEntry[] }).rows;

const reconciled = async (who: ActingOperator): Promise<string[]> =>
  ((await who.ask('operator_reconcile')) as Reconciliation).findings
    .filter(({ severity }) => severity === 'red')
    .map(({ code }) => code);

describe('a statement altered by an operator', () => {
  const both = (who: ActingOperator, { line }: OperatorBankEntry) =>
    who.ask('operator_bank_line_both', { line, reason: 'Dua baris di bank' });

  test.for([
    ['one letter', 'ANI T', 0],
    ['another balance', 'ANI S', 1_000],
  ] as const)(
    'in %s waits as a twin, and the reconciliation is red',
    async ([, text, more], { desk, sql }) => {
      const { app, oka, ria, ani } = desk;
      const topup = await app.topup(ani.accountId, 4_000_000);
      const { total } = topup;
      const genuine = statement([total, 'ANI S', 10_000_000 + total]);
      expect((await imported(app, oka, genuine)).counts.pays).toBe(1);
      expect(await reconciled(oka)).toEqual([]);
      const forged = statement([total, text, 10_000_000 + total + more]);
      expect((await imported(app, oka, forged)).counts).toMatchObject({ second: 0, twin: 1 });
      expect(await sql`select from provider_payments where outcome = 'second'`).toHaveLength(0);
      const red = await reconciled(oka);
      expect(red).toContain('lines_exceed_statement');
      expect(red.includes('statements_differ')).toBe(more > 0);
      const [twin] = await linesOf(oka);
      if (!twin) throw new Error('no waiting line');
      expect(twin).toMatchObject({ state: 'twin', twin: { description: 'ANI S' } });
      // The twin confirms nothing, and its importer is over the limit of one operator.
      const another = await app.topup(ani.accountId, 4_000_000);
      await expect(confirm(ria, another, twin.line)).rejects.toEqual(
        new Refusal('bank_line_twin', {}),
      );
      await expect(both(oka, twin)).rejects.toEqual(new Refusal('operator_limit_reached', {}));
      // Another operator who has seen both at the bank confirms it: its money lies in suspense.
      await both(ria, twin);
      expect((await linesOf(oka, 'all')).map(({ state }) => state).toSorted()).toEqual([
        'matched',
        'second',
      ]);
      await healthy(sql);
    },
  );

  test('is refused with the line if its balances do not add up', async ({ desk }) => {
    const { app, oka } = desk;
    const text = statement([50_000, 'ANI', 150_000], [60_000, 'PALSU', 199_000]);
    await expect(imported(app, oka, text)).rejects.toEqual(
      new Refusal('statement_unbalanced', { line: 5 }),
    );
  });

  test('contradicts the next day’s statement if all its balances were shifted', async ({
    desk,
  }) => {
    const { app, oka, ria } = desk;
    await imported(app, oka, statement([50_000, 'ANI', 150_000], [70_000, 'PALSU', 220_000]));
    expect(await reconciled(oka)).toEqual([]);
    await imported(app, ria, statement([10_000, 'BUDI', 160_000, '22/11']));
    expect(await reconciled(ria)).toEqual(['statement_gap']);
  });

  test('an operator may confirm a small twin of their own import alone', async ({ desk, sql }) => {
    const { app, oka, ani } = desk;
    const { total } = await app.topup(ani.accountId, 100_000);
    await imported(app, oka, statement([total, 'ANI S', 1_000_000]));
    await imported(app, oka, statement([total, 'ANI LAGI', 1_000_000 + total]));
    const [twin] = await linesOf(oka);
    if (!twin) throw new Error('no waiting line');
    await both(oka, twin);
    const credit = { provider: 'bank', txn: `bank:${twin.line}`, reason };
    expect(await oka.ask('operator_suspense_credit', credit)).toMatchObject({ status: 'done' });
    await healthy(sql);
  });

  test('counts on the day its twins are confirmed', async ({ desk, sql }) => {
    const { app, oka } = desk;
    const many = await Promise.all([1, 2, 3, 4, 5].map(() => customerWith(sql)));
    const [ani, budi, ...others] = many as [Customer, Customer, ...Customer[]];
    for (const one of [ani, budi]) expect((await adjust(oka, one, 5_000_000)).status).toBe('done');
    const totals: number[] = [];
    for (const one of others) totals.push((await app.topup(one.accountId, 4_900_000)).total);
    const rows = (word: string) => {
      let balance = 0;
      return statement(
        ...totals.map((total, n): Booked => [total, `${word} ${n}`, (balance += total)]),
      );
    };
    expect((await imported(app, oka, rows('ASLI'))).counts).toMatchObject({ near: 3 });
    expect((await imported(app, oka, rows('PALSU'))).counts).toMatchObject({ twin: 3 });
    app.clock.pass(25);
    const twins = (await linesOf(oka)).filter(({ state }) => state === 'twin');
    expect(twins).toHaveLength(3);
    const answers = await Promise.allSettled(twins.map((twin) => both(oka, twin)));
    const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused).toEqual([new Refusal('operator_limit_reached', {})]);
    await healthy(sql);
  });

  test('pays no more through concurrent imports, also by a second row of each top-up', async ({
    desk,
    sql,
  }) => {
    const { app, oka } = desk;
    const many = await Promise.all(Array.from({ length: 5 }, () => customerWith(sql)));
    const files: { upload: string; sha256: string }[] = [];
    for (const { accountId } of many) {
      const { total } = await app.topup(accountId, 4_900_000);
      const upload = app.upload(statement([total, 'ANI', total], [total, 'ANI', 2 * total]));
      const shown = (await oka.ask('operator_statement_preview', { upload })) as StatementReport;
      expect(shown.counts).toMatchObject({ pays: 1, second: 1 });
      files.push({ upload, sha256: shown.sha256 });
    }
    await Promise.all(files.map((file) => oka.ask('operator_statement_import', file)));
    const given = await Promise.all(
      many.map(async ({ accountId }) => (await saldoOf(sql, accountId)).available),
    );
    expect(given.filter((amount) => amount > 0).length).toBeLessThanOrEqual(2);
    await healthy(sql);
  });

  test('proves no money by a dismissed line', async ({ desk, sql }) => {
    const { app, oka, ria, ani } = desk;
    const dismiss = (who: ActingOperator, line: string) =>
      who.ask('operator_bank_line_dismiss', { line, reason: 'Setoran modal' });
    const topup = await app.topup(ani.accountId, 6_000_000);
    await imported(app, ria, statement([topup.total, 'SETORAN', 9_000_000, '10/11']));
    const [old] = await linesOf(oka);
    await dismiss(ria, old?.line ?? '');
    expect((await confirm(oka, topup, old?.line ?? '')).status).toBe('pending');
    expect((await confirm(ria, topup, old?.line ?? '')).status).toBe('paid');

    const small = await app.topup(ani.accountId, 4_000_000);
    await imported(app, oka, statement([small.total, 'ANI S', 20_000_000]));
    await imported(app, oka, statement([small.total, 'ANI T', 20_000_000]));
    const [twin] = await linesOf(oka);
    if (!twin) throw new Error('no waiting line');
    await dismiss(oka, twin.line);
    await expect(both(ria, twin)).rejects.toEqual(new Refusal('bank_line_used', {}));
    await healthy(sql);
  });
});
