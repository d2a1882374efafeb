import { Refusal } from '#contract/base/refusals.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import {
  type Thread,
  existingThread,
  emptyThread,
  openThread,
  readThread,
  writeThread,
} from './line.ts';
import {
  closed,
  eventMessage,
  reopened,
  withMessage,
  transactionOf,
  writeAll,
  isShown,
} from './send.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { announceChange } from './notify.ts';

type ThreadRef = { accountId: string; side: Viewer['side'] };

const unwritten = (thread: Thread) => ({ thread, lines: [] });

export async function closeThread(
  deps: SupportDeps,
  { accountId, side }: ThreadRef,
  words: string,
): Promise<Thread> {
  const thread = await transactionOf(deps, { side, accountId }, async (tx) => {
    const before = await existingThread(tx, accountId);
    const ending = { at: deps.now(), words, hours: deps.hours(), byItself: false };
    const written = closed(unwritten(before), ending);
    if (written.lines.length > 0) await writeAll(tx, deps, { before, written });
    return written.thread;
  });
  deps.onNews();
  return thread;
}

export async function reopenThread(
  deps: SupportDeps,
  { accountId, side }: ThreadRef,
): Promise<Thread> {
  const thread = await transactionOf(deps, { side, accountId }, async (tx) => {
    const before = await existingThread(tx, accountId);
    const written = reopened(unwritten(before), deps.now(), deps.hours());
    if (written.lines.length > 0) await writeAll(tx, deps, { before, written });
    return written.thread;
  });
  deps.onNews();
  return thread;
}

/** Rates the last closing, once; a second rating of it changes nothing. @throws Refusal `support_not_closed`. */
export async function rateThread(
  deps: SupportDeps,
  accountId: string,
  { score, comment = '' }: { score: number; comment?: string | undefined },
): Promise<Thread> {
  const thread = await transactionOf(deps, { side: 'customer', accountId }, async (tx) => {
    const before = await existingThread(tx, accountId).catch(refuseMissing);
    if (before.status !== 'closed') throw new Refusal('support_not_closed', {});
    if (before.score !== null) return before;
    const at = deps.now();
    await tx`
      insert into support_ratings (account_id, closed_seq, score, comment, at)
      values (${accountId}, ${before.closed_seq}, ${score}, ${comment}, ${at})`;
    const words = `Dinilai ${score} dari 5${comment === '' ? '' : `: ${comment}`}`;
    const line = eventMessage('rated', words, { at });
    const rated = withMessage(unwritten({ ...before, score }), line, deps.hours());
    await writeAll(tx, deps, { before, written: rated });
    return rated.thread;
  });
  deps.onNews();
  return thread;
}

/** A thread that does not exist was not closed either. */
function refuseMissing(error: unknown): never {
  if (error instanceof Refusal) throw new Refusal('support_not_closed', {});
  throw error;
}

/** Marks a thread as read by one side. A mark only rises, up to the newest message that the side can see. */
export async function markRead(
  deps: SupportDeps,
  { accountId, side, seq }: { accountId: string; side: Viewer['side']; seq: number },
): Promise<Thread> {
  const which = { side, accountId };
  const found = await transactionOf(deps, which, (tx) => readThread(tx, accountId));
  // Most calls change nothing and need no lock.
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

function riseOf(thread: Thread, side: Viewer['side'], seq: number): number | undefined {
  const [mark, newest] =
    side === 'customer'
      ? [thread.customer_read, thread.shown_seq]
      : [thread.operator_read, thread.last_seq];
  const next = Math.min(seq, newest);
  return next > mark ? next : undefined;
}

/** Counts messages of the other side after the mark, and reads only those. */
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
