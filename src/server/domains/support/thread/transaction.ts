import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { accountNames } from '#server/domains/accounts/accounts.ts';
import { type Sql, type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { writeLine, shownStatus } from './line.ts';
import { announceChange, announceLines, notifyOtherSide } from './notify.ts';
import { type Thread, writeThread } from './row.ts';
import type { Written } from './rules.ts';

/** One transaction as the side sees it: a customer's own account, or all. */
export const transactionOf = <T>(
  { sql, allAccountsSql }: Pick<SupportDeps, 'sql' | 'allAccountsSql'>,
  { side, accountId }: { side: Viewer['side']; accountId: string },
  work: (tx: Tx) => Promise<T>,
): Promise<T> =>
  side === 'customer' ? asAccount(sql, accountId, work) : allAccountsSql.begin(work);

/**
 * Writes what a thread became in the transaction that has locked it, with its lines, events and notices: all of
 * it, or nothing.
 */
export async function writeAll(
  tx: Tx,
  deps: Pick<SupportDeps, 'systemAccountId'>,
  { before, written }: { before: Thread; written: Written },
): Promise<void> {
  const { thread, lines } = written;
  const accountId = thread.account_id;
  const name = await nameOf(tx, accountId);
  await writeThread(tx, thread);
  for (const line of lines) await writeLine(tx, accountId, line);
  await announceLines(tx, { accountId, name }, lines);
  if (isChanged(before, thread)) await announceChange(tx, thread, isShown(before, thread));
  for (const line of lines) {
    if (line.side === 'system' || line.internal) continue;
    await notifyOtherSide(tx, deps, { accountId, name, line });
  }
}

export async function nameOf(sql: Sql | Tx, accountId: string): Promise<string> {
  return (await accountNames(sql, [accountId])).get(accountId) ?? '';
}

/** What tabs cannot tell from the lines that they are told of. */
const isChanged = (before: Thread, after: Thread): boolean =>
  before.status !== after.status ||
  before.assignee !== after.assignee ||
  before.score !== after.score ||
  before.customer_read !== after.customer_read ||
  before.operator_read !== after.operator_read ||
  before.snoozed_until?.getTime() !== after.snoozed_until?.getTime();

/** What changed that customers see: not that an operator has read or written a note. */
export const isShown = (before: Thread, after: Thread): boolean =>
  shownStatus(before) !== shownStatus(after) ||
  before.assignee !== after.assignee ||
  before.score !== after.score ||
  before.customer_read !== after.customer_read ||
  Math.min(before.operator_read, before.shown_seq) !==
    Math.min(after.operator_read, after.shown_seq);
