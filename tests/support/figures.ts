import { expect } from 'vitest';
import { PAGE_SIZE } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import { civilDate } from '#contract/base/time.ts';
import type { HomeSummary, MessageStatus } from '#contract/messages.ts';
import type { Mutation } from '#contract/saldo.ts';
import { startRelay } from '#server/domains/events/events.ts';
import { shownNamesOf } from '#server/domains/messages/messages.ts';
import { ledgerActs } from '#server/domains/ledger/ledger.ts';
import { startFolding } from '#server/domains/messages/messages.ts';
import { messageList } from '#server/domains/messages/history/history.ts';
import { summaryOf } from '#server/domains/messages/history/home.ts';
import { daysAfter, readAsAccount } from '#server/domains/messages/history/pages.ts';
import { readToken } from '#server/domains/tokens/row.ts';
import { openLog } from '#server/infra/observability/log.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { TestDatabase } from '#tests/support/database/database.ts';
import type { Customer } from '#tests/support/people/people.ts';
import { perform } from '#tests/support/money/topups.ts';

const log = openLog({ level: 'silent' });

export async function publishAll(sql: Sql): Promise<void> {
  const relay = startRelay({ sql, log });
  await relay.drain();
  await relay.close();
}

export async function foldAll(sql: Sql): Promise<void> {
  const troubles: unknown[] = [];
  const folding = startFolding({
    allAccountsSql: sql,
    report: (trouble) => void troubles.push(trouble),
  });
  await folding.fold();
  await folding.close();
  expect(troubles).toEqual([]);
}

export type Ask = Parameters<typeof messageList>[2];

type Counted = {
  message_id: string;
  token_id: string;
  direction: 'in' | 'out';
  type: string;
  status: MessageStatus;
  day: string;
};

const messagesOf = (sql: Sql, accountId: string) => sql<Counted[]>`
  select message_id, token_id, direction, type, status,
    (uuid_time(message_id) at time zone 'Asia/Jakarta')::date::text as day
  from messages where account_id = ${accountId} order by message_id`;

const waiting: readonly MessageStatus[] = ['accepted', 'queued', 'sending'];

const isRequested = (ask: Ask, { token_id, direction, type, status, day }: Counted): boolean =>
  (ask.token_id === undefined || ask.token_id === token_id) &&
  (ask.direction === undefined || ask.direction === direction) &&
  (ask.type === undefined || ask.type === type) &&
  (ask.status === undefined ||
    ask.status.some((one) => (one === 'waiting' ? waiting.includes(status) : one === status))) &&
  (ask.from === undefined || ask.from <= day) &&
  (ask.to === undefined || day <= ask.to);

type Whose = { db: TestDatabase; accountId: string };

/** Checks that every page of the history has the matching messages and their count. */
export async function expectPages({ db, accountId }: Whose, asks: readonly Ask[]): Promise<void> {
  const messages = await messagesOf(db.allAccountsSql, accountId);
  for (const ask of asks) {
    const matching = messages.filter((message) => isRequested(ask, message));
    if (ask.sort_type !== 'asc') matching.reverse();
    const found: string[] = [];
    for (let page = 0; page * PAGE_SIZE <= matching.length; page++) {
      const { rows, total } = await messageList(db.tenantSql, accountId, { ...ask, page });
      expect({ ask, total }).toEqual({ ask, total: matching.length });
      found.push(...rows.map(({ id }) => id));
    }
    expect({ ask, found }).toEqual({
      ask,
      found: matching.map(({ message_id }) => publicId('message', message_id)),
    });
  }
}

function dayOf(messages: readonly Counted[], date: string): HomeSummary['days'][number] {
  const count = (...statuses: readonly MessageStatus[]) =>
    messages.filter(({ day, status }) => day === date && statuses.includes(status)).length;
  return {
    date,
    accepted: messages.filter((one) => one.day === date && one.direction === 'out').length,
    waiting: count(...waiting),
    sent: count('sent', 'delivered', 'read'),
    delivered: count('delivered', 'read'),
    read: count('read'),
    failed: count('failed'),
    received: count('received'),
  };
}

export async function expectHome({ db, accountId }: Whose): Promise<void> {
  const sql = db.allAccountsSql;
  const messages = await messagesOf(sql, accountId);
  const now = new Date();
  const home = await summaryOf(db.tenantSql, accountId, now);
  const today = civilDate(now);
  expect(home.days).toEqual(
    Array.from({ length: 30 }, (_, n) => dayOf(messages, daysAfter(today, n - 29))),
  );
  const { date, ...shown } = home.days.at(-1) ?? dayOf([], today);
  expect(date).toBe(today);
  expect(home.today).toEqual(shown);
  expect(home.checklist.sent).toBe(
    messages.some(
      ({ direction, status }) =>
        direction === 'out' && ['sent', 'delivered', 'read'].includes(status),
    ),
  );
  const [money] = await sql`
    select sum(d_available)::bigint as available, sum(d_held)::bigint as held
    from wallet_entries where account_id = ${accountId}`;
  expect(home.saldo).toEqual(money);
  const [held] = await sql`
    select coalesce(sum(price), 0)::bigint as held from messages
    where account_id = ${accountId} and charge_state = 'held'`;
  expect(home.saldo.held).toBe(held?.['held']);
  expect(home.newest.map(({ id }) => id)).toEqual(
    messages
      .toReversed()
      .slice(0, PAGE_SIZE)
      .map((row) => publicId('message', row.message_id)),
  );
}

/** Checks that the statement has all entries, and that they add up to the balance. */
export async function expectStatement(
  { db }: Pick<Whose, 'db'>,
  customer: Customer,
): Promise<void> {
  const { accountId } = customer;
  const [counted] = await db.allAccountsSql<{ lines: number; available: number; held: number }[]>`
    select count(*) filter (where kind not in ('capture', 'release'))::int as lines,
      sum(d_available)::bigint as available, sum(d_held)::bigint as held
    from wallet_entries where account_id = ${accountId}`;
  const wrong = await db.allAccountsSql`
    select * from (
      select seq, available_after, held_after,
        (sum(d_available) over (order by seq))::bigint as available,
        (sum(d_held) over (order by seq))::bigint as held
      from wallet_entries where account_id = ${accountId}
    ) e where (available_after, held_after) <> (available, held)`;
  expect(wrong).toEqual([]);
  const lines: Mutation[] = [];
  for (let page = 0; page * PAGE_SIZE <= (counted?.lines ?? 0); page++) {
    const { rows, total } = (await perform(
      ledgerActs({ sql: db.tenantSql, shownNamesOf }),
      'saldo_mutation_list',
      customer,
      { page: String(page) },
    )) as { rows: Mutation[]; total: number };
    expect(total).toBe(counted?.lines);
    lines.push(...rows);
  }
  const sum = (amounts: readonly number[]) => amounts.reduce((one, other) => one + other, 0);
  expect({
    lines: lines.length,
    available: sum(lines.map(({ amount }) => amount)),
    held: sum(lines.map(({ held_amount }) => held_amount)),
  }).toEqual(counted);
}

export async function expectAccepted(
  { db, accountId }: Whose,
  tokenId: string,
  accepted: number,
): Promise<void> {
  const token = await readAsAccount(db.tenantSql, accountId, (tx) =>
    readToken(tx, accountId, tokenId),
  );
  expect(token.sent_today).toBe(accepted);
}

export async function expectCounts({ db, accountId }: Whose): Promise<void> {
  const sql = db.allAccountsSql;
  expect(
    await sql`
      select account_id, hour, token_id, direction, status, type, sum(messages)::int as n,
        sum(cost)::int as cost
      from message_counts where account_id = ${accountId}
      group by 1, 2, 3, 4, 5, 6 having sum(messages) <> 0 or sum(cost) <> 0
      order by 1, 2, 3, 4, 5, 6`,
  ).toEqual(
    await sql`
      select account_id, date_trunc('hour', uuid_time(message_id)) as hour, token_id, direction,
        status, type, count(*)::int as n,
        sum(case when charge_state in ('released', 'waived') then 0 else price end)::int as cost
      from messages where account_id = ${accountId} group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6`,
  );
  expect(
    await sql`
      select account_id, grain, since, token_id, direction, status, type, sum(messages)::int as n
      from message_count_sums where account_id = ${accountId}
      group by 1, 2, 3, 4, 5, 6, 7 having sum(messages) <> 0
      order by 1, 2, 3, 4, 5, 6, 7`,
  ).toEqual(
    await sql`
      select account_id, grain, wib_since(grain, uuid_time(message_id)) as since, token_id, direction,
        status, type, count(*)::int as n
      from messages cross join unnest(array['day', 'month']) as grain
      where account_id = ${accountId}
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7`,
  );
}
