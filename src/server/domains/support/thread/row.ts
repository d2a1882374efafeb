import { Refusal } from '#contract/base/refusals.ts';
import type { SupportSide, SupportStatus } from '#contract/events.ts';
import type { Fragment, Sql, Tx } from '#server/infra/postgres/database.ts';

/** A row of `support_threads`. */
export type Thread = {
  account_id: string;
  status: SupportStatus;
  assignee: string | null;
  snoozed_until: Date | null;
  last_seq: number;
  shown_seq: number;
  customer_read: number;
  operator_read: number;
  customer_unread: number;
  operator_unread: number;
  waiting_since: Date | null;
  answered_seq: number;
  closed_seq: number;
  asks_rating: boolean;
  score: number | null;
  last_at: Date;
  last_side: SupportSide;
  last_preview: string;
};

export const threadColumns = (sql: Sql | Tx): Fragment => sql`
  t.account_id, t.status, t.assignee, t.snoozed_until, t.last_seq, t.shown_seq, t.customer_read,
  t.operator_read, t.customer_unread, t.operator_unread, t.waiting_since, t.answered_seq, t.closed_seq,
  t.asks_rating, t.score, t.last_at, t.last_side, t.last_preview`;

/** An account's thread before its first line: closed, and empty. */
export const emptyThread = (accountId: string, at: Date): Thread => ({
  account_id: accountId,
  status: 'closed',
  assignee: null,
  snoozed_until: null,
  last_seq: 0,
  shown_seq: 0,
  customer_read: 0,
  operator_read: 0,
  customer_unread: 0,
  operator_unread: 0,
  waiting_since: null,
  answered_seq: 0,
  closed_seq: 0,
  asks_rating: false,
  score: null,
  last_at: at,
  last_side: 'system',
  last_preview: '',
});

/** An account's thread as it stands; undefined before its first line. */
export async function readThread(sql: Sql | Tx, accountId: string): Promise<Thread | undefined> {
  const [row] = await sql<Thread[]>`
    select ${threadColumns(sql)} from support_threads t where t.account_id = ${accountId}`;
  return row;
}

/** The same, locked until the transaction ends: nobody else writes a line meanwhile. */
async function lockThread(tx: Tx, accountId: string): Promise<Thread | undefined> {
  const [row] = await tx<Thread[]>`
    select ${threadColumns(tx)} from support_threads t where t.account_id = ${accountId} for update`;
  return row;
}

/** Locks the thread, and makes it when it is the first line that is to be written. */
export async function openThread(tx: Tx, accountId: string, at: Date): Promise<Thread> {
  const known = await lockThread(tx, accountId);
  if (known) return known;
  await tx`
    insert into support_threads (account_id, status, last_at, last_side, last_preview)
    values (${accountId}, 'closed', ${at}, 'system', '') on conflict do nothing`;
  // Of two that make it at once, the second finds it here.
  return existingThread(tx, accountId);
}

/**
 * Locks a thread that has been begun.
 *
 * @throws Refusal `not_found`.
 */
export async function existingThread(tx: Tx, accountId: string): Promise<Thread> {
  const thread = await lockThread(tx, accountId);
  if (!thread) throw new Refusal('not_found', { what: 'Percakapan' });
  return thread;
}

/** Writes a thread that this transaction has locked. */
export async function writeThread(tx: Tx, thread: Thread): Promise<void> {
  await tx`
    update support_threads set status = ${thread.status}, assignee = ${thread.assignee},
      snoozed_until = ${thread.snoozed_until}, last_seq = ${thread.last_seq},
      shown_seq = ${thread.shown_seq}, customer_read = ${thread.customer_read},
      operator_read = ${thread.operator_read}, customer_unread = ${thread.customer_unread},
      operator_unread = ${thread.operator_unread}, waiting_since = ${thread.waiting_since},
      answered_seq = ${thread.answered_seq}, closed_seq = ${thread.closed_seq},
      asks_rating = ${thread.asks_rating}, score = ${thread.score}, last_at = ${thread.last_at},
      last_side = ${thread.last_side}, last_preview = ${thread.last_preview}
    where account_id = ${thread.account_id}`;
}
