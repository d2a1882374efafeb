import { describe, expect } from 'vitest';
import type { LineMessage, Mutation } from '#contract/saldo.ts';
import { publicId } from '#contract/ids.ts';
import { openAccepter } from '#server/domains/messages/accept.ts';
import { applyReceipts } from '#server/domains/messages/receipts.ts';
import { type Sql, openDatabase } from '#server/platform/database.ts';
import { test } from '#tests/database.ts';
import { type Customer, customerWith, orderOf } from '#tests/people.ts';
import { perform, topupHouse } from '#tests/topups.ts';
import { ledgerActs } from './statement.ts';

type Page = { rows: Mutation[]; total: number };

const seqs = ({ rows }: Page) => rows.map(({ seq }) => seq);

/** Entries 1 to n: Rp 10 each, one an hour from 1 November, 00.30 WIB; every fifth an adjustment. */
async function entries(owner: Sql, accountId: string, n: number): Promise<void> {
  await owner`
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after,
      ref_type, ref_id, actor, memo, created_at
    )
    select ${accountId}, i, case when i % 5 = 0 then 'adjust' else 'bonus' end, 10, 0, 'exp:bonus',
      i * 10, 0, 'test', i::text, 'test', 'Hadiah',
      timestamptz '2026-11-01T00:30:00+07:00' + (i - 1) * interval '1 hour'
    from generate_series(1, ${n}::int) i`;
  await owner`update wallets set available = ${n * 10}, seq = ${n} where account_id = ${accountId}`;
}

/** Entries 1 to n, one an hour from 1 November: by turns Rp 10 held for a message, and charged. */
async function messageEntries(
  owner: Sql,
  { accountId, tokenId }: Customer,
  n: number,
): Promise<void> {
  await owner`
    insert into wallet_entries (
      account_id, seq, kind, d_available, d_held, contra, available_after, held_after,
      ref_type, ref_id, actor, created_at
    )
    select ${accountId}, i, case i % 2 when 1 then 'hold' else 'capture' end, -10 * (i % 2),
      case i % 2 when 1 then 10 else -10 end, case i % 2 when 1 then 'none' else 'rev:message' end,
      (${n}::int - i) * 10, 10 * (i % 2), 'batch', i::text, 'test',
      timestamptz '2026-11-01T00:30:00+07:00' + (i - 1) * interval '1 hour'
    from generate_series(1, ${n}::int) i`;
  await owner`
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, charge_state,
      hold_seq, settle_seq, created_at
    )
    select ${accountId}, uuid_floor(created_at), ${tokenId}, '6281200000001', 'out', 'text', '{}',
      'delivered', 10, 'captured', seq, seq + 1, created_at
    from wallet_entries where account_id = ${accountId} and kind = 'hold'`;
  await owner`update wallets set seq = ${n} where account_id = ${accountId}`;
}

describe('the statement', () => {
  test('shows the newest first, any page of it, and nothing beyond the last', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 25);
    const page = async (fields: object) =>
      (await perform(ledgerActs({ sql: db.tenant }), 'saldo_mutation_list', ani, {
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
      created_at: new Date('2026-10-31T21:30:00Z'),
    });
  });

  test('of some days counts the entries of those days in WIB, both included', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 100);
    const page = async (fields: object) =>
      (await perform(ledgerActs({ sql: db.tenant }), 'saldo_mutation_list', ani, {
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

  test('of one kind, also within some days', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await entries(db.owner, ani.accountId, 100);
    const page = async (fields: object) =>
      (await perform(ledgerActs({ sql: db.tenant }), 'saldo_mutation_list', ani, {
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

  /** Places messages in one batch, and lets each come to its end; `null` is still on its way. */
  async function sent(
    sql: Sql,
    who: Customer,
    ends: readonly ('delivered' | 'failed' | null)[],
    peers: readonly string[] = [],
  ): Promise<string[]> {
    const order = orderOf(who, { prices: ends.map(() => 150), peers });
    const { results } = await openAccepter(sql, () => undefined).place(order);
    const ids = results.map(({ id }) => id ?? '');
    const at = new Date();
    for (const [index, status] of ends.entries()) {
      const { accountId } = who;
      const messageId = ids[index] ?? '';
      if (status) await applyReceipts(sql, [{ accountId, messageId, status, at }]);
    }
    return ids;
  }

  test('a message is one line: what it cost, or that it came back', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    const ids = [
      ...(await sent(sql, ani, ['delivered'], ['6281200000001'])),
      ...(await sent(sql, ani, ['failed'], ['6281200000002'])),
      ...(await sent(sql, ani, [null], ['6281200000003'])),
    ];
    const { rows, total } = (await perform(
      ledgerActs({ sql: db.tenant }),
      'saldo_mutation_list',
      ani,
    )) as Page;
    expect(total).toBe(4);
    const named = (index: number) => ({
      id: publicId('message', ids[index] ?? ''),
      peer: `628120000000${index + 1}`,
    });
    const none = { captured: 0, released: 0, held: 0, returned: 0 };
    expect(rows).toMatchObject([
      { amount: -150, held_amount: 150, outcome: { ...none, held: 1 }, message: named(2) },
      {
        amount: 0,
        held_amount: 0,
        outcome: { ...none, released: 1, returned: 150 },
        message: named(1),
        available_after: 700,
      },
      { amount: -150, held_amount: 0, outcome: { ...none, captured: 1 }, message: named(0) },
      { kind: 'bonus', amount: 1_000, outcome: null, message: null },
    ]);
  });

  test('a batch is one line that opens to its messages, paged', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const ends = Array.from({ length: 12 }, (_, index) =>
      index === 0 ? 'failed' : index === 11 ? null : 'delivered',
    );
    const ids = await sent(sql, ani, ends);
    const acts = ledgerActs({ sql: db.tenant });
    const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    expect(rows[0]).toMatchObject({
      kind: 'hold',
      amount: -11 * 150,
      held_amount: 150,
      items: 12,
      outcome: { captured: 10, released: 1, held: 1, returned: 150 },
      message: null,
    });
    const page = async (fields: object) =>
      (await perform(acts, 'saldo_mutation_messages', ani, {
        seq: String(rows[0]?.seq),
        ...fields,
      })) as { rows: LineMessage[]; total: number };
    const first = await page({});
    expect(first.total).toBe(12);
    expect(first.rows.map(({ state }) => state)).toEqual([
      'released',
      ...Array(9).fill('captured'),
    ]);
    expect(first.rows[0]).toEqual({
      message_id: publicId('message', ids[0] ?? ''),
      peer: '6281200000001',
      price: 150,
      state: 'released',
      settled_at: expect.any(Date),
      available_after: 10_000 - 11 * 150,
    });
    const last = await page({ page: '1' });
    expect(last.rows.map(({ state }) => state)).toEqual(['captured', 'held']);
    expect(last.rows[1]).toMatchObject({ settled_at: null, available_after: null });
    expect(await page({ page: '2' })).toEqual({ rows: [], total: 12 });
  });

  test('the lines of all pages sum up to the wallet, also after hundreds', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 100_000 });
    for (let n = 0; n < 150; n++) {
      await sent(sql, ani, [
        n % 3 === 0 ? 'failed' : 'delivered',
        n % 50 === 0 ? null : 'delivered',
      ]);
    }
    const acts = ledgerActs({ sql: db.tenant });
    const lines: Mutation[] = [];
    for (let page = 0; page < 16; page++) {
      const asked = { page: String(page) };
      const found = (await perform(acts, 'saldo_mutation_list', ani, asked)) as Page;
      expect(found.total).toBe(151);
      lines.push(...found.rows);
    }
    expect(lines).toHaveLength(151);
    expect(new Set(lines.map(({ seq }) => seq)).size).toBe(151);
    expect(lines.map(({ seq }) => seq)).toEqual(
      lines.map(({ seq }) => seq).toSorted((one, other) => other - one),
    );
    const sum = (of: (line: Mutation) => number) => lines.reduce((all, line) => all + of(line), 0);
    const [wallet] = await db.owner<{ available: number; held: number; seq: number }[]>`
      select available, held, seq from wallets where account_id = ${ani.accountId}`;
    expect(wallet?.seq).toBeGreaterThan(256);
    expect(sum(({ amount }) => amount)).toBe(wallet?.available);
    expect(sum(({ held_amount }) => held_amount)).toBe(wallet?.held);
    const oldest = (await perform(acts, 'saldo_mutation_list', ani, {
      sort_type: 'asc',
      page: '14',
    })) as Page;
    expect(seqs(oldest)).toEqual(
      lines
        .toReversed()
        .slice(140, 150)
        .map(({ seq }) => seq),
    );
  });

  test("opens nothing of another account's, and no line without messages", async ({ sql, db }) => {
    const [ani, budi] = [await customerWith(sql, { saldo: 500 }), await customerWith(sql)];
    await sent(sql, ani, ['delivered']);
    const acts = ledgerActs({ sql: db.tenant });
    const open = (who: Customer, seq: string) =>
      perform(acts, 'saldo_mutation_messages', who, { seq });
    await expect(open(budi, '2')).rejects.toMatchObject({ code: 'not_found' });
    await expect(open(ani, '1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(open(ani, '3')).rejects.toMatchObject({ code: 'not_found' });
    expect(await open(ani, '2')).toMatchObject({ total: 1 });
  });

  test('names the top-up that an entry came from', async ({ sql, db }) => {
    const house = await topupHouse(db);
    const ani = await customerWith(sql);
    const topup = await house.topup(ani.accountId);
    await house.transfer(topup.total);
    const { rows } = (await perform(ledgerActs(house), 'saldo_mutation_list', ani)) as Page;
    expect(rows).toMatchObject([{ kind: 'topup', amount: topup.credited, topup_id: topup.id }]);
  });

  test("shows nothing of another account's", async ({ sql, db }) => {
    const [ani, budi] = [await customerWith(sql), await customerWith(sql, { saldo: 500 })];
    await entries(db.owner, ani.accountId, 3);
    const mine = (await perform(
      ledgerActs({ sql: db.tenant }),
      'saldo_mutation_list',
      budi,
    )) as Page;
    expect(mine.total).toBe(1);
    expect(mine.rows[0]?.amount).toBe(500);
  });

  test('the last page of a long statement reads no more than the first', async ({ sql, db }) => {
    const ani = await customerWith(sql);
    await messageEntries(db.owner, ani, 30_000);
    await db.owner`analyze wallet_entries, messages`;
    // The first look after so many entries goes over them once.
    const first = (await perform(
      ledgerActs({ sql: db.tenant }),
      'saldo_mutation_list',
      ani,
    )) as Page;
    expect(first.total).toBe(15_000);
    const read = async () => {
      const [stats] = await db.owner<{ blocks: number }[]>`
        select sum(idx_blks_read + idx_blks_hit + heap_blks_read + heap_blks_hit)::bigint as blocks
        from pg_statio_user_tables where relname = 'wallet_entries' or relname like 'messages%'`;
      return stats?.blocks ?? 0;
    };
    const one = openDatabase(db.url, { max: 1, as: 'tenant', name: 'tests' });
    const cost = async (fields: object) => {
      const before = await read();
      await perform(ledgerActs({ sql: one }), 'saldo_mutation_list', ani, { ...fields });
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
    'the day %s is not taken',
    async (from, { sql, db }) => {
      const ani = await customerWith(sql);
      const asked = perform(ledgerActs({ sql: db.tenant }), 'saldo_mutation_list', ani, { from });
      await expect(asked).rejects.toThrow('Tanggal');
    },
  );
});
