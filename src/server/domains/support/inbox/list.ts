import { type InputOf, PAGE_SIZE, type PageOf, type OutputOf } from '#contract/base/act.ts';
import { publicId } from '#contract/base/ids.ts';
import type { InboxFilter, InboxRow, countInbox, listInbox } from '#contract/operator/support.ts';
import {
  accountNames,
  customersByPrefix,
  operatorNames,
  type CustomerFacts,
  customerFacts,
} from '#server/domains/accounts/accounts.ts';
import type { SupportDeps } from '#server/domains/support/deps.ts';
import { type Thread, threadColumns, statusAt } from '#server/domains/support/thread/line.ts';
import { type OpeningHours, waitedMinutes } from '#server/domains/support/hours.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';
import { Refusal } from '#contract/base/refusals.ts';

const FOUND_MAX = 500;

type ListQuery = InputOf<typeof listInbox> & { operatorId: string };

/** A page of the inbox. Snoozed threads are open again from their time on. */
export async function inboxPage(
  { allAccountsSql: sql, now, hours }: SupportDeps,
  { filter = 'open', q = '', page = 0, sort_by, sort_type, operatorId }: ListQuery,
): Promise<PageOf<InboxRow>> {
  const at = now();
  const matches =
    q === ''
      ? matchesFilter(sql, filter, { at, operatorId })
      : sql`t.account_id = any(${await accountsMatching(sql, q)}::uuid[])`;
  const isWaiting = filter === 'waiting' && q === '' && sort_by === undefined;
  const order = isWaiting
    ? sql`t.waiting_since, t.account_id`
    : sort_type === 'asc'
      ? sql`t.last_at, t.account_id`
      : sql`t.last_at desc, t.account_id`;
  const [threads, [counted]] = await Promise.all([
    sql<Thread[]>`
      select ${threadColumns(sql)} from support_threads t where t.last_seq > 0 and ${matches}
      order by ${order} limit ${PAGE_SIZE} offset ${page * PAGE_SIZE}`,
    sql<{ total: number }[]>`
      select count(*) as total from support_threads t where t.last_seq > 0 and ${matches}`,
  ]);
  const [names, operators] = await Promise.all([
    accountNames(
      sql,
      threads.map(({ account_id }) => account_id),
    ),
    operatorNames(
      sql,
      threads.flatMap(({ assignee }) => assignee ?? []),
    ),
  ]);
  return {
    rows: threads.map((thread) =>
      rowOf(thread, { at, names, operators, operatorId, hours: hours() }),
    ),
    total: counted?.total ?? 0,
  };
}

const isOpen = (sql: Sql, at: Date): Fragment => sql`
  (t.status = 'open' or (t.status = 'snoozed' and t.snoozed_until <= ${at}))`;

function matchesFilter(
  sql: Sql,
  filter: InboxFilter,
  { at, operatorId }: { at: Date; operatorId: string },
): Fragment {
  switch (filter) {
    case 'waiting':
      return sql`t.waiting_since is not null and ${isOpen(sql, at)}`;
    case 'mine':
      return sql`t.assignee = ${operatorId} and ${isOpen(sql, at)}`;
    case 'open':
      return isOpen(sql, at);
    case 'snoozed':
      return sql`t.status = 'snoozed' and t.snoozed_until > ${at}`;
    case 'closed':
      return sql`t.status = 'closed'`;
  }
}

/**
 * Accounts whose name or number begins with the text, or whose messages contain all its words, the last one by its
 * beginning.
 */
async function accountsMatching(sql: Sql, q: string): Promise<string[]> {
  const words = q.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const query = words.map((word) => `'${word}':*`).join(' & ');
  const [byName, byWords] = await Promise.all([
    customersByPrefix(sql, q, FOUND_MAX),
    query === ''
      ? []
      : sql<{ account_id: string }[]>`
          select search_support as account_id from search_support(${query}, ${FOUND_MAX})`,
  ]);
  return [...new Set([...byName, ...byWords.map(({ account_id }) => account_id)])];
}

type Names = ReadonlyMap<string, string>;

export const assigneeOf = (
  assignee: string | null,
  operators: Names,
  operatorId: string,
): InboxRow['assignee'] =>
  assignee === null
    ? null
    : {
        id: publicId('user', assignee),
        name: operators.get(assignee) ?? 'Operator',
        mine: assignee === operatorId,
      };

function rowOf(
  thread: Thread,
  context: { at: Date; names: Names; operators: Names; operatorId: string; hours: OpeningHours },
): InboxRow {
  const { account_id, waiting_since, last_side, last_preview, last_at, operator_unread } = thread;
  const status = statusAt(thread, context.at);
  return {
    account_id: publicId('account', account_id),
    account_name: context.names.get(account_id) ?? '',
    status,
    waiting_since,
    waited_minutes: waitedMinutes(context.hours, waiting_since, context.at),
    snoozed_until: status === 'snoozed' ? thread.snoozed_until : null,
    assignee: assigneeOf(thread.assignee, context.operators, context.operatorId),
    last: { side: last_side, preview: last_preview, at: last_at },
    unread: operator_unread,
  };
}

export async function inboxCounts(
  { allAccountsSql: sql, now }: SupportDeps,
  operatorId: string,
): Promise<OutputOf<typeof countInbox>> {
  const at = now();
  const open = isOpen(sql, at);
  const [found] = await sql<OutputOf<typeof countInbox>[]>`
    select count(*) filter (where t.waiting_since is not null and ${open}) as waiting,
      count(*) filter (where t.assignee = ${operatorId} and ${open}) as mine,
      count(*) filter (where ${open}) as open,
      count(*) filter (where not ${open}) as snoozed,
      min(t.waiting_since) filter (where ${open}) as oldest
    from support_threads t where t.status in ('open', 'snoozed') and t.last_seq > 0`;
  return found ?? { waiting: 0, mine: 0, open: 0, snoozed: 0, oldest: null };
}

/** The number of customers who wait for an answer, and the start of the longest wait. */
export async function supportFigures(
  allAccountsSql: Sql,
): Promise<{ waiting: number; oldest: Date | null }> {
  const [found] = await allAccountsSql<{ waiting: number; oldest: Date | null }[]>`
    select count(*) as waiting, min(waiting_since) as oldest from support_threads
    where waiting_since is not null`;
  return found ?? { waiting: 0, oldest: null };
}

/** @throws Refusal `not_found`, also for the installation's own account. */
export async function findCustomer(sql: Sql | Tx, accountId: string): Promise<CustomerFacts> {
  const found = await customerFacts(sql, accountId);
  if (!found) throw new Refusal('not_found', { what: 'Pelanggan' });
  return found;
}
