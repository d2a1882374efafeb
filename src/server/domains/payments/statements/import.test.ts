import { describe, expect } from 'vitest';
import { Refusal } from '#contract/base/refusals.ts';
import type {
  OperatorBankEntry,
  StatementReport,
  OperatorTopup,
} from '#contract/operator/payments.ts';
import type { Topup } from '#contract/saldo.ts';
import { checkLedger } from '#server/domains/ledger/check.ts';
import { operatorActs } from '#server/domains/operator/operator.ts';
import { test } from '#tests/support/database/database.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { type TopupApp, idOf, perform, saldoOf, topupApp } from '#tests/support/money/topups.ts';
import { newId } from '#server/infra/ids.ts';

const operator = { accountId: newId(), userId: newId(), role: 'operator' as const };

const ask = (app: TopupApp, name: string, fields: Record<string, unknown> = {}) =>
  perform(operatorActs(app.deps), name, operator, fields);

type Row = { amount: number; text?: string; way?: 'CR' | 'DB'; date?: string };

let balance = 1_000_000;

/** A row of KlikBCA. Rows are consecutive, and an equal row is the same line. */
const row = ({ amount, text = 'TRSF E-BANKING CR ANI', way = 'CR', date = '21/11' }: Row): string =>
  `"'${date}","${text}","'0000","${amount}.00","${way}","${(balance += way === 'CR' ? amount : -amount)}.00"`;

const statement = (...rows: string[]): string =>
  [
    `"Account No.","=","'8800123456"`,
    `"Period","=","01/11/2026 - 30/11/2026"`,
    '"Date","Description","Branch","Amount","","Balance"',
    ...rows,
    '',
  ].join('\n');

const preview = async (app: TopupApp, text: string) => {
  const upload = app.upload(text);
  const report = (await ask(app, 'operator_statement_preview', { upload })) as StatementReport;
  return { upload, report };
};

async function imported(app: TopupApp, text: string) {
  const { upload, report } = await preview(app, text);
  const done = (await ask(app, 'operator_statement_import', {
    upload,
    sha256: report.sha256,
  })) as StatementReport;
  return { before: report, done };
}

const counted = ({ counts }: StatementReport) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

const listed = async (app: TopupApp, fields: Record<string, unknown> = {}) =>
  ((await ask(app, 'operator_bank_line_list', fields)) as { rows: OperatorBankEntry[] }).rows;

const healthy = async (sql: Parameters<typeof checkLedger>[0]) =>
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);

const confirm = (app: TopupApp, { id }: Topup, reference: string) =>
  ask(app, 'operator_topup_confirm', { topup_id: id, reference, reason: 'Terlihat di rekening' });

const confirmAs = (app: TopupApp, userId: string, { id }: Topup, reference: string) =>
  perform(
    operatorActs(app.deps),
    'operator_topup_confirm',
    { ...operator, userId },
    { topup_id: id, reference, reason: 'Terlihat di rekening' },
  ) as Promise<OperatorTopup>;

test('an imported file pays what its operator may confirm alone; more waits for another operator', async ({
  sql,
  db,
}) => {
  const app = await topupApp(db, { fourEyesAbove: 1_000_000 });
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const large = await app.topup(budi.accountId, 1_500_000);
  const parts = [
    await app.topup(ani.accountId, 600_000),
    await app.topup(ani.accountId, 600_000),
  ] as const;
  const { before, done } = await imported(
    app,
    statement(...[large, ...parts].map(({ total }) => row({ amount: total }))),
  );
  expect(done).toEqual(before);
  expect(counted(done)).toEqual({ pays: 1, near: 2 });
  expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
  expect((await saldoOf(sql, budi.accountId)).topups).toBe(0);

  const line = (await listed(app)).find(({ amount }) => amount === large.total)?.line ?? '';
  const { rows } = (await ask(app, 'operator_topup_list', { status: 'open' })) as {
    rows: OperatorTopup[];
  };
  const seen = rows.find(({ id }) => id === large.id);
  expect(seen).toMatchObject({ needs_two: true, candidates: [{ line, mine: true }] });
  expect(await confirm(app, large, line)).toMatchObject({
    status: 'pending',
    proposal: { mine: true },
  });
  expect(await confirmAs(app, newId(), large, line)).toMatchObject({ status: 'paid' });
  expect(await confirm(app, parts[1], 'TYPED 1')).toMatchObject({ status: 'pending' });
  app.clock.pass(24);
  const later = await app.topup(ani.accountId, 600_000);
  expect(
    counted((await imported(app, statement(row({ amount: later.total, date: '22/11' })))).done),
  ).toEqual({ pays: 1 });
  await healthy(sql);
});

test('a line that joined a payment pays no other top-up, by its reference or automatically', async ({
  sql,
  db,
}) => {
  const app = await topupApp(db);
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const [mine, his] = [await app.topup(ani.accountId), await app.topup(budi.accountId)];
  await confirm(app, mine, 'REF 77');
  await imported(app, statement(row({ amount: mine.total })));
  const [line] = await listed(app, { filter: 'all' });
  expect(line).toMatchObject({ state: 'matched', topup: { id: mine.id } });
  await expect(confirm(app, his, line?.line ?? '')).rejects.toEqual(
    new Refusal('bank_line_used', {}),
  );
  expect((await saldoOf(sql, budi.accountId)).available).toBe(0);
  await healthy(sql);
});

test('a typed reference for one top-up matches no line for another', async ({ sql, db }) => {
  const app = await topupApp(db);
  const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
  const [mine, his] = [await app.topup(ani.accountId), await app.topup(budi.accountId, 200_000)];
  await confirm(app, mine, 'REF 78');
  await app.transfer(200_000, { reference: 'REF 78' });
  await expect(confirm(app, his, 'ref  78')).rejects.toEqual(new Refusal('bank_line_used', {}));
  // An operator who has seen the line may decide that it is another transfer.
  const [line] = await listed(app);
  expect(await confirm(app, his, line?.line ?? '')).toMatchObject({ status: 'paid' });
});

describe('a statement', () => {
  test('pays its matches, stores the rest, and agrees with its preview', async ({ sql, db }) => {
    const app = await topupApp(db);
    const [ani, budi] = [await customerWith(sql), await customerWith(sql)];
    const [paid, near] = [await app.topup(ani.accountId), await app.topup(budi.accountId, 200_000)];
    const text = statement(
      row({ amount: paid.total }),
      row({ amount: paid.total, text: 'ANI ONCE MORE' }),
      row({ amount: 200_000, text: 'BUDI WITHOUT CODE' }),
      row({ amount: 7_500_000, text: 'SEWA RUKO' }),
      row({ amount: 6_500, text: 'BIAYA ADM', way: 'DB' }),
      `"PEND","CITRA","'0000","1.00","CR",""`,
      `"'21/11","BUNGA","'0000","123.45","CR","${balance + 123}.45"`,
    );
    const { report } = await preview(app, text);
    expect(await sql`select from bank_lines`).toHaveLength(0);
    expect(await sql`select from topups where status = 'paid'`).toHaveLength(0);
    const { before, done } = await imported(app, text);
    expect(before).toEqual(report);
    expect(done).toEqual(before);
    expect(counted(done)).toEqual({
      pays: 1,
      second: 1,
      near: 1,
      kept: 1,
      debit: 1,
      pending: 1,
      unreadable: 1,
    });
    expect(done.pays).toBe(paid.total);
    expect(done.lines[0]?.topup?.id).toBe(paid.id);
    expect(done.lines[2]?.topup?.id).toBe(near.id);
    expect(done.lines.find(({ outcome }) => outcome === 'debit')?.amount).toBe(-6_500);
    expect(done.lines.find(({ outcome }) => outcome === 'pending')?.amount).toBeNull();
    expect((await saldoOf(sql, ani.accountId)).available).toBe(paid.credited);
    expect((await saldoOf(sql, budi.accountId)).available).toBe(0);
    expect(await sql`select outcomes->>'pays' as pays from bank_statements`).toEqual([
      { pays: '1' },
    ]);
    await healthy(sql);
  });

  test('imported again, or overlapping, does not change known lines', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [first, later] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    const rows = [
      row({ amount: first.total }),
      row({ amount: 30_000, text: 'SAMA' }),
      row({ amount: 40_000 }),
    ];
    await imported(app, statement(...rows));
    expect(counted((await imported(app, statement(...rows))).done)).toEqual({ known: 3 });
    const more = row({ amount: later.total });
    // The bank now writes amounts differently, and in another case.
    const spelled = rows.map((one) => one.replace('.00","CR"', '","CR"').toLowerCase());
    const overlap = await imported(app, statement(...spelled.slice(1), more));
    expect(counted(overlap.done)).toEqual({ known: 2, pays: 1 });
    expect(await saldoOf(sql, ani.accountId)).toEqual({
      available: first.credited + later.credited,
      topups: 2,
    });
    expect(await sql`select from bank_lines`).toHaveLength(4);
    await healthy(sql);
  });

  test('imported by two operators at once counts once', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    const paying = row({ amount: total });
    const many = Array.from({ length: 600 }, (_, n) => row({ amount: 1_000_000 + n }));
    const text = statement(paying, ...many);
    const done = await Promise.all([1, 2, 3].map(() => imported(app, text)));
    const sum = (outcome: 'pays' | 'kept') =>
      done.reduce((all, { done: { counts } }) => all + (counts[outcome] ?? 0), 0);
    expect([sum('pays'), sum('kept')]).toEqual([1, 600]);
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
    expect(await sql`select from bank_lines`).toHaveLength(601);
    await healthy(sql);
  });

  test('interrupted in the middle can be imported again from the same upload, and counts once', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const [first, last] = [await app.topup(ani.accountId), await app.topup(ani.accountId)];
    const paying = row({ amount: first.total });
    const many = Array.from({ length: 700 }, (_, n) => row({ amount: 2_000_000 + n }));
    const text = statement(paying, ...many, row({ amount: last.total }));
    const { upload, report } = await preview(app, text);
    await db.owner`
      create function die() returns trigger language plpgsql as
        'begin if new.amount = 2000650 then raise exception ''killed''; end if; return new; end'`;
    await db.owner`create trigger die before insert on bank_lines for each row execute function die()`;
    const go = () => ask(app, 'operator_statement_import', { upload, sha256: report.sha256 });
    await expect(go()).rejects.toThrow('killed');
    const [half] = await sql<{ count: number }[]>`select count(*) as count from bank_lines`;
    expect(half?.count).toBe(502);
    await db.owner`drop trigger die on bank_lines`;
    expect(counted((await go()) as StatementReport)).toEqual({ known: 502, kept: 200 });
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(2);
    // The first answer may have been lost: the file is deleted, and the refusal reports the import.
    await expect(go()).rejects.toEqual(new Refusal('statement_imported', {}));
    const other = { upload, sha256: '0'.repeat(64) };
    await expect(ask(app, 'operator_statement_import', other)).rejects.toEqual(
      new Refusal('upload_gone', {}),
    );
    expect(await sql`select from bank_statements`).toHaveLength(1);
    await healthy(sql);
  });

  test('other than the previewed one is not imported', async ({ db }) => {
    const app = await topupApp(db);
    const { upload } = await preview(app, statement(row({ amount: 10_000 })));
    const fields = { upload, sha256: '0'.repeat(64) };
    await expect(ask(app, 'operator_statement_import', fields)).rejects.toEqual(
      new Refusal('statement_changed', {}),
    );
  });

  test('of another account, or not a statement, is refused', async ({ db }) => {
    const app = await topupApp(db);
    const other = statement(row({ amount: 10_000 })).replace('8800123456', '1234567890');
    await expect(preview(app, other)).rejects.toEqual(
      new Refusal('statement_other_account', { account: '1234567890', ours: '8800123456' }),
    );
    await expect(preview(app, 'halo')).rejects.toEqual(new Refusal('statement_unknown', {}));
  });

  test('adds the line of a payment confirmed by a typed reference, once', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await ask(app, 'operator_topup_confirm', {
      topup_id: topup.id,
      reference: 'BCA 21/11 ANI',
      reason: 'Terlihat di rekening',
    });
    const { before, done } = await imported(app, statement(row({ amount: topup.total })));
    expect(counted(done)).toEqual({ joins: 1 });
    expect(before).toEqual(done);
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(1);
    const again = await imported(app, statement(row({ amount: topup.total, text: 'LAGI' })));
    expect(counted(again.done)).toEqual({ twin: 1 });
    expect(again.before).toEqual(again.done);
    const [waiting] = await listed(app);
    expect(waiting).toMatchObject({
      state: 'twin',
      twin: { description: 'TRSF E-BANKING CR ANI' },
    });
    await ask(app, 'operator_bank_line_both', { line: waiting?.line, reason: 'Dua baris di bank' });
    expect((await listed(app, { filter: 'all' })).map(({ state }) => state).sort()).toEqual([
      'matched',
      'second',
    ]);
    await healthy(sql);
  });

  test('with lines older than a top-up, or after its reservation, pays nothing', async ({
    sql,
    db,
  }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const { total } = await app.topup(ani.accountId);
    const { done } = await imported(
      app,
      statement(row({ amount: total, date: '20/11' }), row({ amount: total, date: '30/11' })),
    );
    // The older line is no candidate: candidates are at most a day older.
    expect(counted(done)).toEqual({ kept: 1, near: 1 });
    expect((await saldoOf(sql, ani.accountId)).topups).toBe(0);
  });
});

describe('an unsettled line', () => {
  test('is listed with similar top-ups, and matched by hand', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await imported(app, statement(row({ amount: topup.base }), row({ amount: 9_000_000 })));
    const [line] = await listed(app, { amount: String(topup.base) });
    expect(line).toMatchObject({
      amount: topup.base,
      state: 'unmatched',
      topup: null,
      candidates: [{ topup_id: topup.id, total: topup.total, status: 'pending' }],
    });
    expect(await listed(app)).toHaveLength(2);
    await ask(app, 'operator_topup_confirm', {
      topup_id: topup.id,
      reference: line?.line,
      reason: 'Lupa kode unik',
    });
    expect(await listed(app)).toHaveLength(1);
    expect((await listed(app, { filter: 'all', amount: String(topup.base) }))[0]).toMatchObject({
      state: 'matched',
      topup: { id: topup.id },
      candidates: [],
    });
    await healthy(sql);
  });

  test('is set aside with a reason, and can still be matched', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(topup.base);
    const [line] = await listed(app);
    const dismiss = (reason: string) =>
      ask(app, 'operator_bank_line_dismiss', { line: line?.line, reason });
    await expect(dismiss(' ')).rejects.toThrow('Tulis alasannya.');
    expect(await dismiss('Setoran modal')).toMatchObject({
      state: 'dismissed',
      dismissed: { reason: 'Setoran modal', by: 'operator lain' },
    });
    expect(await listed(app)).toEqual([]);
    const { rows } = (await ask(app, 'operator_topup_list')) as { rows: OperatorTopup[] };
    expect(rows[0]?.candidates).toEqual([]);
    const confirmed = (await ask(app, 'operator_topup_confirm', {
      topup_id: topup.id,
      reference: line?.line,
      reason: 'Ternyata isi saldo',
    })) as Topup;
    expect(confirmed.status).toBe('paid');
    await expect(dismiss('Bukan')).rejects.toEqual(new Refusal('bank_line_used', {}));
    expect(await sql`select topup_id from bank_lines`).toEqual([{ topup_id: idOf(topup) }]);
  });

  test('that does not exist is refused', async ({ db }) => {
    const app = await topupApp(db);
    const fields = { line: 'a'.repeat(64), reason: 'Tidak ada' };
    await expect(ask(app, 'operator_bank_line_dismiss', fields)).rejects.toEqual(
      new Refusal('not_found', { what: 'Mutasi bank' }),
    );
  });
});
