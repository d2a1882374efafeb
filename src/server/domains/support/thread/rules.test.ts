import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usualHours } from '#tests/support/support-hours.ts';
import { newId } from '#server/infra/ids.ts';
import { type ThreadMessage, emptyThread } from './line.ts';
import { type NewThreadMessage, type Written, closed, reopened, withMessage } from './send.ts';

const START = Date.parse('2026-11-23T02:00:00Z');

const line = (side: 'customer' | 'operator', internal: boolean, at: Date): NewThreadMessage => ({
  message_id: newId(),
  side,
  user_id: newId(),
  author: null,
  internal,
  type: 'text',
  body: { text: 'Halo' },
  size_bytes: null,
  card: null,
  event: null,
  at,
});

const step = fc.constantFrom('customer', 'operator', 'note', 'close', 'reopen', 'auto', 'snooze');

function after({ thread, lines }: Written, done: string, at: Date): Written {
  const written = { thread, lines };
  const ending = { at, words: 'Ditutup', hours: usualHours };
  switch (done) {
    case 'customer':
    case 'operator':
      return withMessage(reopened(written, at, usualHours), line(done, false, at), usualHours);
    case 'note':
      return withMessage(written, line('operator', true, at), usualHours);
    case 'close':
      return closed(written, { ...ending, byItself: false });
    case 'auto':
      return closed(written, { ...ending, byItself: true });
    case 'snooze': {
      if (thread.status === 'closed') return written;
      return { lines, thread: { ...thread, status: 'snoozed', snoozed_until: at } };
    }
    default:
      return reopened(written, at, usualHours);
  }
}

/** Since when the customer waits, computed from the messages alone. */
function waitsSince(lines: readonly ThreadMessage[]): Date | null {
  let since: Date | null = null;
  for (const { side, internal, event, at } of lines) {
    if (side === 'customer') since ??= at;
    if ((side === 'operator' && !internal) || event === 'closed') since = null;
  }
  return since;
}

test('keeps positions, marks and waiting correct for any sequence of messages', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let written: Written = {
        thread: emptyThread('00000000-0000-7000-8000-000000000001', new Date(START)),
        lines: [],
      };
      steps.forEach((done, n) => {
        written = after(written, done, new Date(START + n * 60_000));
      });
      const { thread, lines } = written;
      expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, n) => n + 1));
      expect(thread.last_seq).toBe(lines.length);
      const shown = lines.filter(({ internal }) => !internal);
      expect(thread.shown_seq).toBe(shown.at(-1)?.seq ?? 0);
      expect(thread.waiting_since).toEqual(waitsSince(lines));
      const unread = (side: string, mark: number) =>
        shown.filter((one) => one.side === side && one.seq > mark).length;
      expect(thread.customer_unread).toBe(unread('operator', thread.customer_read));
      expect(thread.operator_unread).toBe(unread('customer', thread.operator_read));
      expect(thread.customer_read).toBeLessThanOrEqual(thread.shown_seq);
      // An answer is timed only if the customer waited for it.
      lines.forEach((one, n) => {
        const isAnswer = one.side === 'operator' && !one.internal;
        const waited = isAnswer && waitsSince(lines.slice(0, n)) !== null;
        expect(one.answer_seconds !== null).toBe(waited);
      });
      // No rating is requested for unanswered threads, or ones that were closed automatically.
      if (thread.asks_rating) {
        const before = lines.slice(0, thread.closed_seq - 1);
        const from = before.findLastIndex(({ event }) => event === 'closed') + 1;
        expect(before.slice(from).some((one) => one.side === 'operator' && !one.internal)).toBe(
          true,
        );
      }
      expect((thread.status === 'snoozed') === (thread.snoozed_until !== null)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
