import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { announceChange } from './notify.ts';
import { type Thread, emptyThread, openThread, readThread, writeThread } from './row.ts';
import { isShown, transactionOf } from './transaction.ts';

/** One side has read up to a line. A mark only rises, up to the newest line that the side sees. */
export async function markRead(
  deps: SupportDeps,
  { accountId, side, seq }: { accountId: string; side: Viewer['side']; seq: number },
): Promise<Thread> {
  const which = { side, accountId };
  const found = await transactionOf(deps, which, (tx) => readThread(tx, accountId));
  // Most calls say what is known: they need no lock.
  if (!found) return emptyThread(accountId, deps.now());
  if (riseOf(found, side, seq) === undefined) return found;
  const thread = await transactionOf(deps, which, async (tx) => {
    const before = await openThread(tx, accountId, deps.now());
    const mark = riseOf(before, side, seq);
    if (mark === undefined) return before;
    const unread = await unreadAfter(tx, accountId, { side, mark });
    const after: Thread =
      side === 'customer'
        ? { ...before, customer_read: mark, customer_unread: unread }
        : { ...before, operator_read: mark, operator_unread: unread };
    await writeThread(tx, after);
    await announceChange(tx, after, isShown(before, after));
    return after;
  });
  deps.onNews();
  return thread;
}

/** Where the mark comes to stand; undefined when it does not rise. */
function riseOf(thread: Thread, side: Viewer['side'], seq: number): number | undefined {
  const [mark, newest] =
    side === 'customer'
      ? [thread.customer_read, thread.shown_seq]
      : [thread.operator_read, thread.last_seq];
  const next = Math.min(seq, newest);
  return next > mark ? next : undefined;
}

/** Lines of the other side behind the mark: those alone are looked at. */
async function unreadAfter(
  tx: Tx,
  accountId: string,
  { side, mark }: { side: Viewer['side']; mark: number },
): Promise<number> {
  const [found] = await tx<{ unread: number }[]>`
    select count(*) as unread from support_messages
    where account_id = ${accountId} and seq > ${mark} and not internal
      and side = ${side === 'customer' ? 'operator' : 'customer'}`;
  return found?.unread ?? 0;
}
