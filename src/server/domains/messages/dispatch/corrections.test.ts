import { describe, expect } from 'vitest';
import { type Mutation, entryKindLabel } from '#contract/saldo.ts';
import { checkLedger, ledgerActs } from '#server/domains/ledger/ledger.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { customerWith } from '#tests/support/people/people.ts';
import { reader } from '#tests/support/reader.ts';
import { messageDetail } from '#server/domains/messages/history/detail.ts';
import { shownNamesOf } from '#server/domains/messages/messages.ts';
import { applyReceipts } from './settle.ts';

type Outcome = { id: string; outcome: string; failure?: string };

/** Outcomes as lanes, jobs and receipts report them. */
const settle = (sql: Sql, accountId: string, ...outcomes: readonly Outcome[]) =>
  sql`select * from settle_batch(
    ${accountId}, null, null, ${outcomes.map(({ id }) => id)}::uuid[],
    ${outcomes.map(({ outcome }) => outcome)}::text[],
    ${outcomes.map(({ failure }) => failure ?? null)}::text[],
    ${outcomes.map(() => null)}::timestamptz[])`;

const expectConsistentLedger = async (sql: Sql) =>
  expect((await checkLedger(sql)).filter(({ ok }) => !ok)).toEqual([]);
const stateOf = (sql: Sql) => sql`
  select status, charge_state, failure from messages order by message_id`;
const entriesOf = (sql: Sql) => sql`
  select kind, d_available, d_held, n_items from wallet_entries where kind <> 'bonus' order by seq`;
const rollupsOf = (sql: Sql) => sql`
  select status, sum(messages)::int as messages, sum(cost)::int as cost from message_counts
  group by status having sum(messages) <> 0 or sum(cost) <> 0 order by status`;

async function oneMessage(db: TestDatabase, saldo = 1000) {
  const ani = await customerWith(db.allAccountsSql, { saldo });
  const { results } = await acceptTexts(db.allAccountsSql, ani);
  return { ani, id: results[0]?.id ?? '' };
}

/** Ends that we assume when the network gives no answer. */
const assumed: readonly Omit<Outcome, 'id'>[] = [
  { outcome: 'expired' },
  { outcome: 'cancelled' },
  { outcome: 'failed', failure: 'no_answer' },
  { outcome: 'failed', failure: 'not_linked' },
];

describe('a receipt that contradicts a final state', () => {
  for (const { outcome, failure } of assumed) {
    test(`corrects ${failure ?? outcome} and charges the price once more, once`, async ({
      db,
      sql,
    }) => {
      const { ani, id } = await oneMessage(db);
      await settle(sql, ani.accountId, { id, outcome, ...(failure !== undefined && { failure }) });
      expect(await rollupsOf(sql)).toEqual([{ status: outcome, messages: 1, cost: 0 }]);
      for (const status of ['sent', 'delivered', 'sent', 'read', 'delivered', outcome]) {
        await settle(sql, ani.accountId, { id, outcome: status });
      }

      expect(await stateOf(sql)).toEqual([
        { status: 'read', charge_state: 'captured', failure: null },
      ]);
      expect(await entriesOf(sql)).toEqual([
        { kind: 'hold', d_available: -150, d_held: 150, n_items: 1 },
        { kind: 'release', d_available: 150, d_held: -150, n_items: 1 },
        { kind: 'correction', d_available: -150, d_held: 0, n_items: 1 },
      ]);
      expect(await sql`select available, held from wallets`).toEqual([{ available: 850, held: 0 }]);
      expect(await rollupsOf(sql)).toEqual([{ status: 'read', messages: 1, cost: 150 }]);
      const outcomes = await sql<{ statuses: string[] }[]>`
        select statuses from outbox where kind = 'message.changed' order by at`;
      expect(outcomes.flatMap(({ statuses }) => statuses)).toEqual([
        outcome,
        'sent',
        'delivered',
        'read',
      ]);
      await expectConsistentLedger(sql);
    });
  }

  test('is shown in the timeline, in the message’s costs and in the statement', async ({
    db,
    sql,
  }) => {
    const { ani, id } = await oneMessage(db);
    await settle(sql, ani.accountId, { id, outcome: 'expired' });
    await applyReceipts(sql, [
      { accountId: ani.accountId, messageId: id, status: 'delivered', at: new Date() },
    ]);
    const detail = await messageDetail(
      db.tenantSql,
      { accountId: ani.accountId, messageId: id },
      reader,
    );
    expect(detail.timeline.map(({ kind }) => kind)).toEqual([
      'accepted',
      'queued',
      'expired',
      'delivered',
      'corrected',
    ]);
    expect(detail.charge).toEqual({
      state: 'captured',
      amount: 150,
      hold_seq: 2,
      settle_seq: 3,
      correct_seq: 4,
    });
    const [statement] = ledgerActs({ sql: db.tenantSql, shownNamesOf });
    const caller = { ...ani, role: 'customer' };
    const page = (await statement?.handle(
      { caller } as never,
      { kind: 'correction' } as never,
    )) as {
      rows: Mutation[];
    };
    expect(page.rows).toMatchObject([{ seq: 4, amount: -150, held_amount: 0, items: 1 }]);
    expect(page.rows.map(({ kind }) => entryKindLabel[kind])).toEqual(['Koreksi biaya pesan']);
  });

  test('never makes the saldo negative: the installation bears the rest', async ({ sql }) => {
    const ani = await customerWith(sql, { saldo: 450 });
    const { results } = await acceptTexts(sql, ani, { prices: [150, 150, 150], peers: phones(3) });
    const ids = results.map(({ id }) => id);
    const outcomes = (outcome: string) => ids.map((id) => ({ id, outcome }));
    await settle(sql, ani.accountId, ...outcomes('expired'));
    await acceptTexts(sql, ani, { prices: [250] });
    await settle(sql, ani.accountId, ...outcomes('delivered'));
    await settle(sql, ani.accountId, ...outcomes('delivered'));
    expect(await stateOf(sql)).toMatchObject([
      { status: 'delivered', charge_state: 'captured' },
      { status: 'delivered', charge_state: 'waived' },
      { status: 'delivered', charge_state: 'waived' },
      { status: 'queued' },
    ]);
    expect(await sql`select available, held from wallets`).toEqual([{ available: 50, held: 250 }]);
    await expectConsistentLedger(sql);

    // A later top-up does not pay for past messages.
    await sql`select post_entry(
      ${ani.accountId}, 'bonus', 1000, 'exp:bonus', 'test', 'x', 'bonus:more', 'test')`;
    await settle(sql, ani.accountId, ...outcomes('read'));
    expect(await sql`select available from wallets`).toEqual([{ available: 1050 }]);
    expect(
      await sql`
      select gl_account, sum(amount)::int as amount from gl_lines group by 1 order by 1`,
    ).toEqual([
      { gl_account: 'exp:waived', amount: 300 },
      { gl_account: 'rev:message', amount: -300 },
    ]);
    expect(await rollupsOf(sql)).toEqual([
      { status: 'queued', messages: 1, cost: 250 },
      { status: 'read', messages: 3, cost: 150 },
    ]);
    await expectConsistentLedger(sql);
  });

  test('corrects a failure that the network reported by delivered, but not by sent', async ({
    db,
    sql,
  }) => {
    const { ani, id } = await oneMessage(db);
    await settle(sql, ani.accountId, { id, outcome: 'failed', failure: 'blocked' });
    await settle(sql, ani.accountId, { id, outcome: 'sent' });
    expect(await stateOf(sql)).toEqual([
      { status: 'failed', charge_state: 'released', failure: 'blocked' },
    ]);
    await settle(sql, ani.accountId, { id, outcome: 'delivered' });
    expect(await stateOf(sql)).toEqual([
      { status: 'delivered', charge_state: 'captured', failure: null },
    ]);
    await expectConsistentLedger(sql);
  });
});
