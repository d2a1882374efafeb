import type { SupportEvent } from '#contract/support.ts';
import { newId } from '#server/infra/ids.ts';
import type { OpeningHours } from '#server/domains/support/hours.ts';
import { workingSeconds } from '#server/domains/support/hours.ts';
import { type Line, previewOf } from './line.ts';
import type { Thread } from './row.ts';

/** A line that is about to be written: its place and what it answers follow from the thread. */
export type NewLine = Omit<Line, 'seq' | 'answer_seconds'>;

/** A thread, and the lines that it got on the way there. */
export type Written = { thread: Thread; lines: readonly Line[] };

/** A line of the system's own about what happened. */
export const eventLine = (
  event: SupportEvent,
  words: string,
  { at, internal = false }: { at: Date; internal?: boolean },
): NewLine => ({
  message_id: newId(),
  side: 'system',
  user_id: null,
  author: null,
  internal,
  type: 'text',
  body: { text: words },
  size_bytes: null,
  card: null,
  event,
  at,
});

/** The thread after one more line, and the line with its place. */
export function withLine({ thread, lines }: Written, given: NewLine, hours: OpeningHours): Written {
  const seq = thread.last_seq + 1;
  const isAnswer = given.side === 'operator' && !given.internal;
  const answer_seconds =
    isAnswer && thread.waiting_since !== null
      ? workingSeconds(hours, thread.waiting_since, given.at)
      : null;
  const line: Line = { ...given, seq, answer_seconds };
  const next: Thread = {
    ...thread,
    last_seq: seq,
    ...(!given.internal && {
      shown_seq: seq,
      last_at: given.at,
      last_side: given.side,
      last_preview: previewOf(given),
    }),
    ...readBy(thread, given, seq),
    ...(given.side === 'customer' && { waiting_since: thread.waiting_since ?? given.at }),
    ...(isAnswer && { waiting_since: null, answered_seq: seq }),
  };
  return { thread: next, lines: [...lines, line] };
}

/** Who writes has read what stands above; the other side has one more to read. */
function readBy(thread: Thread, { side, internal }: NewLine, seq: number): Partial<Thread> {
  switch (side) {
    case 'customer':
      return {
        customer_read: seq,
        customer_unread: 0,
        operator_unread: thread.operator_unread + 1,
      };
    case 'operator':
      return {
        operator_read: seq,
        operator_unread: 0,
        ...(!internal && { customer_unread: thread.customer_unread + 1 }),
      };
    default:
      return {};
  }
}

/**
 * The thread open again, when it is not: with a line that says so, which customers do not see of a thread that
 * was only put off, nor of one that begins.
 */
export function reopened(written: Written, at: Date, hours: OpeningHours): Written {
  const { thread } = written;
  if (thread.status === 'open') return written;
  const open = { ...written, thread: { ...thread, status: 'open' as const, snoozed_until: null } };
  if (thread.last_seq === 0) return open;
  const internal = thread.status === 'snoozed';
  return withLine(open, eventLine('reopened', 'Percakapan dibuka lagi', { at, internal }), hours);
}

/** The thread closed, with a line that says so. What was closed already stays as it is. */
export function closed(
  written: Written,
  {
    at,
    words,
    hours,
    byItself,
  }: { at: Date; words: string; hours: OpeningHours; byItself: boolean },
): Written {
  const { thread } = written;
  if (thread.status === 'closed') return written;
  const after = withLine(written, eventLine('closed', words, { at }), hours);
  const isAnswered = thread.answered_seq > thread.closed_seq;
  return {
    ...after,
    thread: {
      ...after.thread,
      status: 'closed',
      snoozed_until: null,
      waiting_since: null,
      closed_seq: after.thread.last_seq,
      // Nobody is asked how an answer was that never came, nor long after everything was said.
      asks_rating: isAnswered && !byItself,
      score: null,
    },
  };
}
