import { describe, expect } from 'vitest';
import { publicId } from '#contract/base/ids.ts';
import type { Mutation } from '#contract/saldo.ts';
import { type Sql, openDatabase } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { type Customer, customerWith } from '#tests/support/people/people.ts';
import { billingApp } from '#tests/support/money/billing.ts';
import { perform, topupApp } from '#tests/support/money/topups.ts';
import { shownNamesOf } from '#server/domains/messages/messages.ts';
import { ledgerActs } from './statement.ts';
import { insertEntries } from '#tests/support/money/wallets.ts';
import { idOf, insertMessages } from '#tests/support/people/stored-messages.ts';

type Page = { rows: Mutation[]; total: number };

const seqs = ({ rows }: Page) => rows.map(({ seq }) => seq);

/** Hours after 1 November, 00.30 WIB. */
const hour = (hours: number) =>
  new Date(Date.parse('2026-11-01T00:30:00+07:00') + hours * 3_600_000);

/**
 * Entries 1 to n: Rp 10 each, one an hour from 1 November, 00.30 WIB; every fifth an adjustment.
 */
async function entries(owner: Sql, accountId: string, n: number): Promise<void> {
  const made = Array.from({ length: n }, (_, at) => ({
    kind: at % 5 === 4 ? 'adjust' : 'bonus',
    delta: 10,
    contra: 'exp:bonus',
    available: (at + 1) * 10,
    memo: 'Hadiah',
    createdAt: hour(at),
  }));
  await insertEntries(owner, accountId, made);
}

/**
 * Entries 1 to n, one an hour from 1 November: alternately Rp 10 held for a message, and charged.
 */
async function messageEntries(
  owner: Sql,
  { accountId, tokenId }: Customer,
  n: number,
): Promise<void> {
  const made = Array.from({ length: n }, (_, at) => ({
    ...(at % 2 === 0
      ? { kind: 'hold', delta: -10, heldDelta: 10, contra: 'none', held: 10 }
      : { kind: 'capture', delta: 0, heldDelta: -10, contra: 'rev:message' }),
    available: (n - at - 1) * 10,
    refType: 'batch',
    createdAt: hour(at),
  }));
  await insertEntries(owner, accountId, made);
  const charged = Array.from({ length: Math.ceil(n / 2) }, (_, nth) => {
    const holdSeq = 2 * nth + 1;
    const seqs = { holdSeq, settleSeq: holdSeq + 1 };
    return { id: idOf(hour(2 * nth)), tokenId, price: 10, charge: 'captured', ...seqs };
  });
  await insertMessages(owner, accountId, charged);
}

describe('the statement', () => {
  test('shows one row by its number, and none for an unknown number', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 25);
    const one = async (seq: number, kind?: string) =>
      (await perform(ledgerActs({ sql: db.tenantSql, shownNamesOf }), 'saldo_mutation_list', ani, {
        seq: String(seq),
        ...(kind !== undefined && { kind, from: '2026-11-30' }),
      })) as Page;
    expect(seqs(await one(7))).toEqual([7]);
    expect((await one(7, 'topup')).total).toBe(1);
    expect(await one(26)).toEqual({ rows: [], total: 0 });
  });

  test('shows the newest first, any page, and no rows beyond the last', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 25);
    const page = async (fields: object) =>
      (await perform(ledgerActs({ sql: db.tenantSql, shownNamesOf }), 'saldo_mutation_list', ani, {
        ...fields,
      })) as Page;
    expect(await page({})).toMatchObject({ total: 25 });
    expect(seqs(await page({}))).toEqual([25, 24, 23, 22, 21, 20, 19, 18, 17, 16]);
    expect(seqs(await page({ page: '2' }))).toEqual([5, 4, 3, 2, 1]);
    expect(seqs(await page({ page: '3' }))).toEqual([]);
    expect(await page({ page: '1000000000' })).toEqual({ rows: [], total: 25 });
    expect(seqs(await page({ sort_type: 'asc', page: '2' }))).toEqual([21, 22, 23, 24, 25]);
    expect((await page({ page: '2' })).rows[0]).toEqual({
      seq: 5,
      kind: 'adjust',
      amount: 10,
      held_amount: 0,
      available_after: 50,
      held_after: 0,
      items: 1,
      outcome: null,
      message: null,
      memo: 'Hadiah',
      topup_id: null,
      invoice_id: null,
      created_at: new Date('2026-10-31T21:30:00Z'),
    });
  });

  test('counts the entries of a range of days in WIB, both ends included', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 100);
    const page = async (fields: object) =>
      (await perform(ledgerActs({ sql: db.tenantSql, shownNamesOf }), 'saldo_mutation_list', ani, {
        ...fields,
      })) as Page;
    const second = { from: '2026-11-02', to: '2026-11-02' };
    expect(await page(second)).toMatchObject({ total: 24 });
    expect(seqs(await page(second))[0]).toBe(48);
    expect(seqs(await page({ ...second, page: '2' }))).toEqual([28, 27, 26, 25]);
    expect(seqs(await page({ ...second, sort_type: 'asc', page: '2' }))).toEqual([45, 46, 47, 48]);
    expect((await page({ from: '2026-11-04' })).total).toBe(28);
    expect((await page({ to: '2026-10-31' })).total).toBe(0);
    expect(await page({ from: '2026-11-03', to: '2026-11-02' })).toEqual({ rows: [], total: 0 });
  });

  test('filters by kind, also within a range of days', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 100);
    const page = async (fields: object) =>
      (await perform(ledgerActs({ sql: db.tenantSql, shownNamesOf }), 'saldo_mutation_list', ani, {
        ...fields,
        kind: 'adjust',
      })) as Page;
    expect(await page({ page: '1' })).toMatchObject({ total: 20 });
    expect(seqs(await page({ page: '1' }))[0]).toBe(50);
    expect(seqs(await page({ sort_type: 'asc' }))[0]).toBe(5);
    expect(seqs(await page({ from: '2026-11-02', to: '2026-11-02' }))).toEqual([
      45, 40, 35, 30, 25,
    ]);
    expect(await page({ page: '2' })).toEqual({ rows: [], total: 20 });
  });

  test('marks a wallet of any length in steps of a fixed number of entries', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql);
    const { accountId } = ani;
    await entries(db.owner, accountId, 200_960);
    const marked = async () => {
      const [found] = await db.owner<{ upto: number; lines: number }[]>`
        select seq as upto, lines from statement_cursors where account_id = ${accountId}
        order by seq desc limit 1`;
      return found;
    };
    const [first] = await sql`select advance_statement_cursors(${accountId}, 600) as more`;
    expect(first).toEqual({ more: true });
    expect(await marked()).toEqual({ upto: 512, lines: 512 });
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const page = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    expect(page.total).toBe(200_960);
    expect(await marked()).toEqual({ upto: 200_960, lines: 200_960 });
    const [last] = await sql`select advance_statement_cursors(${accountId}, 600) as more`;
    expect(last).toEqual({ more: false });
  });

  test('names the top-up of an entry', async ({ sql, db }) => {
    const app = await topupApp(db);
    const ani = await customerWith(sql);
    const topup = await app.topup(ani.accountId);
    await app.transfer(topup.total);
    const { rows } = (await perform(
      ledgerActs({ sql: app.sql, shownNamesOf }),
      'saldo_mutation_list',
      ani,
    )) as Page;
    expect(rows).toMatchObject([{ kind: 'topup', amount: topup.credited, topup_id: topup.id }]);
  });

  test('shows no rows of another account', async ({ sql, db }) => {
    const [ani, budi] = [await customerWith(sql), await customerWith(sql, { saldo: 500 })];
    await entries(db.owner, ani.accountId, 3);
    const mine = (await perform(
      ledgerActs({ sql: db.tenantSql, shownNamesOf }),
      'saldo_mutation_list',
      budi,
    )) as Page;
    expect(mine.total).toBe(1);
    expect(mine.rows[0]?.amount).toBe(500);
  });

  test('reads no more for the last page of a long statement than for the first', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql);
    await messageEntries(db.owner, ani, 30_000);
    await db.owner`analyze wallet_entries, messages`;
    // Flush the statistics now, so that no earlier read is counted later.
    await db.owner`select pg_stat_force_next_flush()`;
    const one = openDatabase(db.url, { max: 1, as: 'tenant', name: 'tests' });
    // The first call after so many entries scans them once to set the marks.
    const first = (await perform(
      ledgerActs({ sql: one, shownNamesOf }),
      'saldo_mutation_list',
      ani,
    )) as Page;
    await one`select pg_stat_force_next_flush()`;
    expect(first.total).toBe(15_000);
    const read = async () => {
      const [stats] = await db.owner<{ blocks: number }[]>`
        select sum(idx_blks_read + idx_blks_hit + heap_blks_read + heap_blks_hit)::bigint as blocks
        from pg_statio_user_tables where relname = 'wallet_entries' or relname like 'messages%'`;
      return stats?.blocks ?? 0;
    };
    const cost = async (fields: object) => {
      const before = await read();
      await perform(ledgerActs({ sql: one, shownNamesOf }), 'saldo_mutation_list', ani, {
        ...fields,
      });
      await one`select pg_stat_force_next_flush()`;
      return (await read()) - before;
    };
    for (const fields of [{}, { page: '1499' }, { page: '700', from: '2027-01-01' }]) {
      const blocks = await cost(fields);
      expect(blocks).toBeGreaterThan(0);
      expect(blocks).toBeLessThan(400);
    }
    await one.end();
  });

  test.for(['2026-02-31', '2026-13-01', '21-11-2026', "'; drop table"])(
    'rejects the day %s',
    async (from, { sql, db }) => {
      const ani = await customerWith(sql);
      const answer = perform(
        ledgerActs({ sql: db.tenantSql, shownNamesOf }),
        'saldo_mutation_list',
        ani,
        {
          from,
        },
      );
      await expect(answer).rejects.toThrow('Tanggal');
    },
  );
});

test('names the invoice of a plan charge, and of no other row', async ({ db, sql }) => {
  const app = billingApp(db);
  const ani = await app.customer(500_000);
  await app.choose(ani, 'usaha');
  const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
  const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
  const [invoice] = await sql<{ invoice_id: string }[]>`
    select invoice_id from invoices where account_id = ${ani.accountId} and kind = 'plan'`;
  expect(rows.map(({ kind, invoice_id }) => [kind, invoice_id])).toEqual([
    ['plan', publicId('invoice', invoice?.invoice_id ?? '')],
    ['bonus', null],
  ]);
});
