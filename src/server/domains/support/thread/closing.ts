import { Refusal } from '#contract/base/refusals.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { type Thread, existingThread } from './row.ts';
import { closed, eventLine, reopened, withLine } from './rules.ts';
import { transactionOf, writeAll } from './transaction.ts';

type Which = { accountId: string; side: Viewer['side'] };

const unwritten = (thread: Thread) => ({ thread, lines: [] });

/** Closes a thread: the customer's question is settled. What is closed already stays so. */
export async function closeThread(
  deps: SupportDeps,
  { accountId, side }: Which,
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

/** Opens a thread again that was closed or put off. */
export async function reopenThread(deps: SupportDeps, { accountId, side }: Which): Promise<Thread> {
  const thread = await transactionOf(deps, { side, accountId }, async (tx) => {
    const before = await existingThread(tx, accountId);
    const written = reopened(unwritten(before), deps.now(), deps.hours());
    if (written.lines.length > 0) await writeAll(tx, deps, { before, written });
    return written.thread;
  });
  deps.onNews();
  return thread;
}

/**
 * Rates the last closing, once; a second rating of it changes nothing.
 *
 * @throws Refusal `support_not_closed`.
 */
export async function rateThread(
  deps: SupportDeps,
  accountId: string,
  { score, comment = '' }: { score: number; comment?: string | undefined },
): Promise<Thread> {
  const thread = await transactionOf(deps, { side: 'customer', accountId }, async (tx) => {
    const before = await existingThread(tx, accountId).catch(refuseUnbegun);
    if (before.status !== 'closed') throw new Refusal('support_not_closed', {});
    if (before.score !== null) return before;
    const at = deps.now();
    await tx`
      insert into support_ratings (account_id, closed_seq, score, comment, at)
      values (${accountId}, ${before.closed_seq}, ${score}, ${comment}, ${at})`;
    const words = `Dinilai ${score} dari 5${comment === '' ? '' : `: ${comment}`}`;
    const line = eventLine('rated', words, { at });
    const rated = withLine(unwritten({ ...before, score }), line, deps.hours());
    await writeAll(tx, deps, { before, written: rated });
    return rated.thread;
  });
  deps.onNews();
  return thread;
}

/** A thread that was never begun was not closed either. */
function refuseUnbegun(error: unknown): never {
  if (error instanceof Refusal) throw new Refusal('support_not_closed', {});
  throw error;
}
