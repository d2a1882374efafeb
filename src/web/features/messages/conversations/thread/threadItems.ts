import type { ConversationMessage } from '#contract/messages.ts';
import { civilDate, formatDate } from '#contract/base/time.ts';
import type { Outgoing } from '#web/features/messages/conversations/thread/outgoing.ts';
import { startsRun } from '#web/ui/chat/chat.ts';
import { plusDays } from '#web/ui/date/dates.ts';

/** One line of a thread: a message, one that is on its way, or a divider. */
export type ThreadItem =
  | { kind: 'day'; key: string; label: string }
  | { kind: 'unread'; key: string }
  | { kind: 'message'; key: string; message: ConversationMessage; first: boolean }
  | { kind: 'outgoing'; key: string; one: Outgoing; first: boolean };

type ThreadInput = {
  /** Newest first, as they are stored. */
  messages: readonly ConversationMessage[];
  outgoing: readonly Outgoing[];
  /** The first message that was unread when the thread was opened. */
  unreadFrom: string | undefined;
  zone: string;
  now: Date;
};

/** A thread as it is shown, oldest first: with a line for each day, and where the unread begin. */
export function threadItems({
  messages,
  outgoing,
  unreadFrom,
  zone,
  now,
}: ThreadInput): ThreadItem[] {
  const items: ThreadItem[] = [];
  const today = civilDate(now, zone);
  let day = '';
  let before: { side: 'out' | 'in'; at: Date } | undefined;
  const place = (said: { side: 'out' | 'in'; at: Date }): boolean => {
    const itsDay = civilDate(said.at, zone);
    // What is sent now never goes before what is already there, whatever this clock says.
    if (itsDay > day) {
      day = itsDay;
      before = undefined;
      items.push({ kind: 'day', key: `day ${day}`, label: dayLabel(day, today) });
    }
    const first = startsRun(said, before);
    before = said;
    return first;
  };
  for (const message of messages.toReversed()) {
    const unread = message.id === unreadFrom;
    const first = place({ side: message.direction, at: message.created_at });
    if (unread) items.push({ kind: 'unread', key: 'unread' });
    items.push({ kind: 'message', key: message.id, message, first: first || unread });
  }
  for (const one of outgoing) {
    const first = place({ side: 'out', at: new Date(one.at) });
    items.push({ kind: 'outgoing', key: one.id, one, first });
  }
  return items;
}

/** `Hari ini`, `Kemarin`, else the date; days as `YYYY-MM-DD`. */
export function dayLabel(day: string, today: string): string {
  if (day === today) return 'Hari ini';
  if (day === plusDays(today, -1)) return 'Kemarin';
  return formatDate(`${day}T00:00:00Z`, 'UTC');
}

/**
 * Where the unread begin: the n-th incoming message from the newest.
 *
 * @param messages newest first
 */
export function firstUnread(
  messages: readonly ConversationMessage[],
  unread: number,
): string | undefined {
  const incoming = messages.filter(({ direction }) => direction === 'in');
  return unread > 0 ? incoming[Math.min(unread, incoming.length) - 1]?.id : undefined;
}
