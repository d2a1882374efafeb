import type { SupportStatus, SupportThread } from '#contract/support.ts';
import { answeringOperators } from '#server/domains/accounts/accounts.ts';
import type { SupportDeps, Viewer } from '#server/domains/support/deps.ts';
import { supportHours } from '#server/domains/support/hours.ts';
import type { Thread } from './row.ts';

/** The status as customers see it: that an operator has put a thread off is nobody else's matter. */
export const shownStatus = ({ status }: Pick<Thread, 'status'>): SupportStatus =>
  status === 'snoozed' ? 'open' : status;

/** The status at an instant: what was put off until then is open, also before the job has said so. */
export const statusAt = (
  { status, snoozed_until }: Pick<Thread, 'status' | 'snoozed_until'>,
  at: Date,
): SupportStatus =>
  status === 'snoozed' && snoozed_until !== null && snoozed_until <= at ? 'open' : status;

/** How a thread stands for one side. */
export async function viewThread(
  deps: SupportDeps,
  thread: Thread,
  side: Viewer['side'],
): Promise<SupportThread> {
  const now = deps.now();
  const { assignee } = thread;
  const [usual, answering] = await Promise.all([
    deps.usualAnswer(),
    assignee === null ? [] : answeringOperators(deps.allAccountsSql),
  ]);
  const seen =
    side === 'customer'
      ? {
          status: shownStatus(thread),
          last_seq: thread.shown_seq,
          operator_read: Math.min(thread.operator_read, thread.shown_seq),
          unread: thread.customer_unread,
        }
      : {
          status: statusAt(thread, now),
          last_seq: thread.last_seq,
          operator_read: thread.operator_read,
          unread: thread.operator_unread,
        };
  return {
    ...seen,
    customer_read: thread.customer_read,
    // Nobody is said to look after it who has left, or does something else now.
    operator: answering.find(({ user_id }) => user_id === assignee)?.name ?? null,
    usual_answer_seconds: usual,
    hours: supportHours(deps.hours(), now),
    rating: {
      due: thread.status === 'closed' && thread.asks_rating && thread.score === null,
      score: thread.score,
    },
  };
}
