import { expect } from 'vitest';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { type TestDatabase, test } from '#tests/support/database/database.ts';
import { phones, acceptTexts } from '#tests/support/app/fake-channel.ts';
import { expectCounts, foldAll, publishAll } from '#tests/support/figures.ts';
import {
  type Customer,
  changeAccounts,
  changeTokens,
  closeAccount,
  customerWith,
} from '#tests/support/people/people.ts';
import { applyReceipts } from '#server/domains/messages/dispatch/settle.ts';
import { messagesAccountData } from '#server/domains/messages/account-data.ts';
import { startFolding } from './counts.ts';

const at = new Date();

/** A customer with three messages: one read, two that wait. */
async function customerWithMessages(sql: Sql) {
  const customer = await customerWith(sql, { saldo: 1000 });
  const { results } = await acceptTexts(sql, customer, {
    prices: [150, 150, 150],
    peers: phones(3),
  });
  const ids = results.map(({ id }) => id);
  await applyStatus(sql, customer, ids[0], 'read');
  return { customer, ids };
}

const applyStatus = (
  sql: Sql,
  { accountId }: Customer,
  messageId: string | undefined,
  status: 'delivered' | 'read' | 'failed',
) => applyReceipts(sql, [{ accountId, messageId: messageId ?? '', status, at }]);

const rollups = (sql: Sql) => sql`
  select account_id, status, sum(messages)::int as messages, sum(cost)::int as cost from rollups
  group by 1, 2 having sum(messages) <> 0 or sum(cost) <> 0 order by 1, 2`;
const pending = (sql: Sql) => sql`select * from pending_counts`;
const folded = async (sql: Sql, { accountId }: Customer): Promise<number> => {
  const [row] = await sql<{ n: number | null }[]>`select fold_counts(${[accountId]}::uuid[]) as n`;
  return row?.n ?? 0;
};
const three = (accountId: string) => [
  { account_id: accountId, status: 'queued', messages: 2, cost: 300 },
  { account_id: accountId, status: 'read', messages: 1, cost: 150 },
];
const expectCounted = (db: TestDatabase, { accountId }: Customer) =>
  expectCounts({ db, accountId });

test('folds once; a second time changes nothing', async ({ db, sql }) => {
  const { customer, ids } = await customerWithMessages(sql);
  await publishAll(sql);
  // Three acceptances, and one message that went from queued to read.
  expect(await folded(sql, customer)).toBe(5);
  expect(await rollups(sql)).toEqual(three(customer.accountId));
  expect(await pending(sql)).toEqual([]);
  expect(await folded(sql, customer)).toBe(0);
  await foldAll(sql);
  expect(await rollups(sql)).toEqual(three(customer.accountId));
  // Nor when the newest event counts: its money had moved before.
  for (const status of ['delivered', 'read'] as const) {
    for (const id of [ids[1], ids[2]]) await applyStatus(sql, customer, id, status);
    await publishAll(sql);
  }
  for (let round = 0; round < 3; round++) await folded(sql, customer);
  expect(await rollups(sql)).toEqual([
    { account_id: customer.accountId, status: 'read', messages: 3, cost: 450 },
  ]);
  await expectCounted(db, customer);
});

test('does not fold unpublished changes, and still counts them', async ({ db, sql }) => {
  const { customer } = await customerWithMessages(sql);
  expect(await folded(sql, customer)).toBe(0);
  expect(await rollups(sql)).toEqual([]);
  await expectCounted(db, customer);
});

test('skips an account that another process is folding, and readers count it once', async ({
  db,
  sql,
}) => {
  const { customer } = await customerWithMessages(sql);
  const other = await customerWithMessages(sql);
  await publishAll(sql);
  await db.owner`insert into count_cursors values (${customer.accountId}, 0)`;
  await sql.begin(async (tx) => {
    await tx`select fold_counts(${[customer.accountId]}::uuid[])`;
    const [second] = await sql<{ n: number }[]>`
      select fold_counts(${[customer.accountId, other.customer.accountId]}::uuid[]) as n`;
    expect(second?.n).toBe(5);
    await expectCounted(db, customer);
    await expectCounted(db, other.customer);
  });
  expect(await rollups(sql)).toEqual([
    ...three(customer.accountId),
    ...three(other.customer.accountId),
  ]);
  expect(await pending(sql)).toEqual([]);
});

test('counts everything once with any number of concurrent folders', async ({ db, sql }) => {
  const people = await Promise.all([1, 2, 3].map(() => customerWithMessages(sql)));
  const troubles: unknown[] = [];
  const folders = [1, 2, 3].map(() =>
    startFolding({ allAccountsSql: sql, report: (trouble) => void troubles.push(trouble) }),
  );
  const accountIds = people.map(({ customer }) => customer.accountId);
  for (const index of [1, 2]) {
    for (const { customer, ids } of people)
      await applyStatus(sql, customer, ids[index], 'delivered');
    const publishing = publishAll(sql);
    for (let round = 0; round < 3; round++) {
      folders.forEach((folder, nth) => {
        folder.add(nth === 1 ? accountIds.toReversed() : accountIds);
      });
      await Promise.all(folders.map(({ fold }) => fold()));
      for (const { customer } of people) await expectCounted(db, customer);
    }
    await publishing;
  }
  await foldAll(sql);
  await Promise.all(folders.map(({ close }) => close()));
  expect(await rollups(sql)).toEqual(
    accountIds.toSorted().flatMap((account_id) => [
      { account_id, status: 'delivered', messages: 2, cost: 300 },
      { account_id, status: 'read', messages: 1, cost: 150 },
    ]),
  );
  expect(await pending(sql)).toEqual([]);
  expect(troubles).toEqual([]);
});

test('counts an event that is set aside as unpublishable, and only once after it is published', async ({
  db,
  sql,
}) => {
  const { customer, ids } = await customerWithMessages(sql);
  await publishAll(sql);
  await foldAll(sql);
  await db.owner.query(`
    create function refuse() returns trigger language plpgsql as $$
    begin
      if new.status = 'delivered' then raise exception 'broken'; end if;
      return new;
    end $$;
    create trigger refuse before insert on events for each row execute function refuse()`);
  await applyStatus(sql, customer, ids[1], 'delivered');
  await publishAll(sql);
  // The next event is published first, so it is counted from the outdated status.
  await applyStatus(sql, customer, ids[1], 'read');
  await applyStatus(sql, customer, ids[2], 'failed');
  await publishAll(sql);
  expect(await sql`select tries, statuses from outbox`).toEqual([
    { tries: 1, statuses: ['delivered'] },
  ]);
  await expectCounted(db, customer);
  await foldAll(sql);
  await expectCounted(db, customer);

  await db.owner`drop trigger refuse on events`;
  await sql`update outbox set retry_at = clock_timestamp()`;
  await publishAll(sql);
  expect(await sql`select from outbox`).toEqual([]);
  await expectCounted(db, customer);
  await foldAll(sql);
  await expectCounted(db, customer);
  expect(await rollups(sql)).toEqual([
    { account_id: customer.accountId, status: 'failed', messages: 1, cost: 0 },
    { account_id: customer.accountId, status: 'read', messages: 2, cost: 300 },
  ]);
});

test('does not count events up to the mark again', async ({ db, sql }) => {
  const { customer, ids } = await customerWithMessages(sql);
  const { accountId } = customer;
  await publishAll(sql);
  await foldAll(sql);
  await expectCounted(db, customer);
  await applyStatus(sql, customer, ids[1], 'read');
  await publishAll(sql);
  await foldAll(sql);
  await expectCounted(db, customer);
  expect(await rollups(sql)).toEqual([
    { account_id: accountId, status: 'queued', messages: 1, cost: 150 },
    { account_id: accountId, status: 'read', messages: 2, cost: 300 },
  ]);
});

test('finds an account without notification on its own', async ({ db, sql }) => {
  const { customer } = await customerWithMessages(sql);
  await publishAll(sql);
  // A new folder has no accounts yet.
  await foldAll(sql);
  expect(await pending(sql)).toEqual([]);
  await expectCounted(db, customer);
});

test('keeps no counts of an account that is erased while it waits to be folded', async ({
  sql,
}) => {
  await sql`select fold_counts(${[newId()]}::uuid[])`;
  expect(await sql`select * from count_cursors`).toEqual([]);
});

test('keeps the installation’s counts right when notices with set-aside events are erased', async ({
  db,
  sql,
}) => {
  const ani = await customerWith(sql);
  const ours = await customerWith(sql);
  await changeAccounts(db.owner, ours, { isSystem: true });
  await changeTokens(db.owner, ours, { isSystem: true });
  const peers = ['6281200000001', '6281200000002'];
  await acceptTexts(sql, ours, { prices: [0, 0], peers });
  await acceptTexts(sql, ours, { prices: [0], peers: ['6281200000003'] });
  await sql`
    update outbox set tries = 1, retry_at = clock_timestamp() + interval '1 hour'
    where message_ids is not null`;
  await publishAll(sql);
  await closeAccount(sql, ani.accountId);
  const { erase } = messagesAccountData({ sql: db.tenantSql, allAccountsSql: sql });
  await erase?.({ accountId: ani.accountId, phones: ['6281200000001'] });

  const left = await sql`select peer from messages order by peer`;
  expect(left).toEqual([{ peer: '6281200000002' }, { peer: '6281200000003' }]);
  await expectCounted(db, ours);
  await sql`update outbox set retry_at = clock_timestamp()`;
  await publishAll(sql);
  await foldAll(sql);
  await expectCounted(db, ours);
});
