import { describe, expect } from 'vitest';
import type { MutationMessage, Mutation } from '#contract/saldo.ts';
import { publicId } from '#contract/base/ids.ts';
import { openIntake } from '#server/domains/messages/submit/accept.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';
import { test } from '#tests/support/database/database.ts';
import { type Customer, customerWith, orderOf } from '#tests/support/people/people.ts';
import { perform } from '#tests/support/money/topups.ts';
import { recordNames, shownNamesOf } from '#server/domains/messages/messages.ts';
import { ledgerActs } from './statement.ts';

type Page = { rows: Mutation[]; total: number };

const seqs = ({ rows }: Page) => rows.map(({ seq }) => seq);

describe('the statement of messages', () => {
  /** Accepts messages in one batch and settles each; `null` leaves one in flight. */
  async function sent(
    sql: Sql,
    who: Customer,
    ends: readonly ('delivered' | 'failed' | null)[],
    peers: readonly string[] = [],
  ): Promise<string[]> {
    const order = orderOf(who, { prices: ends.map(() => 150), peers });
    const { results } = await openIntake(sql, () => undefined).accept(order);
    const ids = results.map(({ id }) => id ?? '');
    const at = new Date();
    for (const [index, status] of ends.entries()) {
      const { accountId } = who;
      const messageId = ids[index] ?? '';
      if (status) await applyReceipts(sql, [{ accountId, messageId, status, at }]);
    }
    return ids;
  }

  test('shows a message as one row: its price, or that it was returned', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    const ids = [
      ...(await sent(sql, ani, ['delivered'], ['6281200000001'])),
      ...(await sent(sql, ani, ['failed'], ['6281200000002'])),
      ...(await sent(sql, ani, [null], ['6281200000003'])),
    ];
    const { rows, total } = (await perform(
      ledgerActs({ sql: db.tenantSql, shownNamesOf }),
      'saldo_mutation_list',
      ani,
    )) as Page;
    expect(total).toBe(4);
    const named = (index: number) => ({
      id: publicId('message', ids[index] ?? ''),
      peer: `628120000000${index + 1}`,
      peer_name: null,
    });
    const none = { captured: 0, released: 0, corrected: 0, waived: 0, held: 0, returned: 0 };
    expect(rows).toMatchObject([
      { amount: -150, held_amount: 150, outcome: { ...none, held: 1 }, message: named(2) },
      {
        amount: 0,
        held_amount: 0,
        outcome: { ...none, released: 1, returned: 150, available_when_held: 700 },
        message: named(1),
        available_after: 850,
      },
      { amount: -150, held_amount: 0, outcome: { ...none, captured: 1 }, message: named(0) },
      { kind: 'bonus', amount: 1_000, outcome: null, message: null },
    ]);
  });

  test('names each number as the account knows it', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    const other = await customerWith(sql);
    const [budi, cici] = ['6281200000001', '6281200000002'];
    const nameIt = (accountId: string, peer: string, name: string) =>
      asAccount(db.tenantSql, accountId, (tx) =>
        recordNames(tx, accountId, 'list', [{ peer, name }]),
      );
    await nameIt(ani.accountId, budi, 'Budi');
    await nameIt(other.accountId, cici, 'Orang lain');
    await sent(sql, ani, ['delivered'], [budi]);
    await sent(sql, ani, ['delivered', null], [budi, cici]);
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    expect(rows.map(({ message }) => message?.peer_name)).toEqual([undefined, 'Budi', undefined]);
    const seq = String(rows[0]?.seq);
    const batch = await perform(acts, 'saldo_mutation_messages', ani, { seq });
    expect(batch).toMatchObject({
      rows: [
        { peer: budi, peer_name: 'Budi' },
        { peer: cici, peer_name: null },
      ],
    });
  });

  test('shows a batch as one row that opens to its messages, paged', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 10_000 });
    const ends = Array.from({ length: 12 }, (_, index) =>
      index === 0 ? 'failed' : index === 11 ? null : 'delivered',
    );
    const ids = await sent(sql, ani, ends);
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    expect(rows[0]).toMatchObject({
      kind: 'hold',
      amount: -11 * 150,
      held_amount: 150,
      items: 12,
      outcome: { captured: 10, released: 1, held: 1, returned: 150 },
      message: null,
      available_after: 10_000 - 11 * 150,
    });
    const page = async (fields: object) =>
      (await perform(acts, 'saldo_mutation_messages', ani, {
        seq: String(rows[0]?.seq),
        ...fields,
      })) as { rows: MutationMessage[]; total: number };
    const first = await page({});
    expect(first.total).toBe(12);
    expect(first.rows.map(({ state }) => state)).toEqual([
      'released',
      ...Array(9).fill('captured'),
    ]);
    expect(first.rows[0]).toEqual({
      message_id: publicId('message', ids[0] ?? ''),
      peer: '6281200000001',
      peer_name: null,
      price: 150,
      state: 'released',
      settled_at: expect.any(Date),
      available_after: 10_000 - 11 * 150,
      corrected_at: null,
      corrected_after: null,
    });
    const last = await page({ page: '1' });
    expect(last.rows.map(({ state }) => state)).toEqual(['captured', 'held']);
    expect(last.rows[1]).toMatchObject({ settled_at: null, available_after: null });
    expect(await page({ page: '2' })).toEqual({ rows: [], total: 12 });
  });

  async function arrived(sql: Sql, { accountId }: Customer, ids: readonly string[]): Promise<void> {
    const at = new Date();
    const of = (messageId: string) => ({ accountId, messageId, status: 'delivered', at }) as const;
    await applyReceipts(sql, ids.map(of));
  }

  test('shows the saldo after a release at once', async ({ sql, db }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    await sent(sql, ani, ['failed']);
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    expect(rows[0]).toMatchObject({ amount: 0, available_after: 1_000 });
  });

  test('marks a row whose message was charged after a release, and the correction names the message', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 1_000 });
    const [id = ''] = await sent(sql, ani, ['failed']);
    await arrived(sql, ani, [id]);
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    const message = { id: publicId('message', id), peer: '6281200000001', peer_name: null };
    expect(rows).toMatchObject([
      { kind: 'correction', seq: 4, amount: -150, available_after: 850, outcome: null, message },
      {
        kind: 'hold',
        amount: 0,
        available_after: 1_000,
        outcome: { captured: 0, released: 1, corrected: 1, waived: 0, returned: 150 },
        message,
      },
      { kind: 'bonus' },
    ]);
    for (const seq of ['2', '4']) {
      expect(await perform(acts, 'saldo_mutation_messages', ani, { seq })).toEqual({
        rows: [
          {
            message_id: message.id,
            peer: message.peer,
            peer_name: null,
            price: 150,
            state: 'corrected',
            settled_at: expect.any(Date),
            available_after: 1_000,
            corrected_at: expect.any(Date),
            corrected_after: 850,
          },
        ],
        total: 1,
      });
    }
  });

  test('opens a correction of several messages to them; also shows waived charges', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 450 });
    const ids = await sent(sql, ani, ['failed', 'failed', 'failed']);
    await sent(sql, ani, ['delivered']);
    await arrived(sql, ani, ids);
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const { rows } = (await perform(acts, 'saldo_mutation_list', ani)) as Page;
    expect(rows).toMatchObject([
      { kind: 'correction', amount: -300, items: 2, available_after: 0, message: null },
      { kind: 'hold', amount: -150 },
      { kind: 'hold', amount: 0, outcome: { released: 3, corrected: 2, waived: 1 } },
      { kind: 'bonus' },
    ]);
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
    const states = async (row: Mutation | undefined) => {
      const seq = String(row?.seq);
      const page = await perform(acts, 'saldo_mutation_messages', ani, { seq });
      return (page as { rows: MutationMessage[] }).rows.map(({ state }) => state);
    };
    expect(await states(rows[0])).toEqual(['corrected', 'corrected']);
    expect(await states(rows[2])).toEqual(['corrected', 'corrected', 'waived']);
  });

  test('sums the rows of all pages to the wallet, also after hundreds of entries', async ({
    sql,
    db,
  }) => {
    const ani = await customerWith(sql, { saldo: 100_000 });
    for (let n = 0; n < 150; n++) {
      await sent(sql, ani, [
        n % 3 === 0 ? 'failed' : 'delivered',
        n % 50 === 0 ? null : 'delivered',
      ]);
    }
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const lines: Mutation[] = [];
    for (let page = 0; page < 16; page++) {
      const query = { page: String(page) };
      const found = (await perform(acts, 'saldo_mutation_list', ani, query)) as Page;
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

  test('opens no row of another account, and none without messages', async ({ sql, db }) => {
    const [ani, budi] = [await customerWith(sql, { saldo: 500 }), await customerWith(sql)];
    await sent(sql, ani, ['delivered']);
    const acts = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const open = (who: Customer, seq: string) =>
      perform(acts, 'saldo_mutation_messages', who, { seq });
    await expect(open(budi, '2')).rejects.toMatchObject({ code: 'not_found' });
    await expect(open(ani, '1')).rejects.toMatchObject({ code: 'not_found' });
    await expect(open(ani, '3')).rejects.toMatchObject({ code: 'not_found' });
    expect(await open(ani, '2')).toMatchObject({ total: 1 });
  });
});
