import { civilDate, formatDate } from '#contract/base/time.ts';
import { startsRun } from '#web/ui/chat/chat.ts';
import { plusDays } from '#web/ui/date/dates.ts';

/** What somebody said, and where it stands in a thread; `body` is the subject's own. */
export type ThreadLine<Body> = {
  key: string;
  side: 'out' | 'in';
  at: Date;
  /** Who, where several write on one side. */
  by?: string | undefined;
  body: Body;
};

/** One line of a thread: what was said, or a divider. */
export type ThreadItem<Body> =
  | { kind: 'day'; key: string; label: string }
  | { kind: 'unread'; key: string }
  | { kind: 'line'; key: string; body: Body; first: boolean };

type ThreadInput<Body> = {
  /** Oldest first. */
  lines: readonly ThreadLine<Body>[];
  /** The first line that was unread when the thread was opened. */
  unreadFrom: string | undefined;
  zone: string;
  now: Date;
};

/** A thread as it is shown, oldest first: with a line for each day, and where the unread begin. */
export function threadItems<Body>(input: ThreadInput<Body>): ThreadItem<Body>[] {
  const { lines, unreadFrom, zone, now } = input;
  const items: ThreadItem<Body>[] = [];
  const today = civilDate(now, zone);
  let day = '';
  let before: ThreadLine<Body> | undefined;
  for (const line of lines) {
    const itsDay = civilDate(line.at, zone);
    // What is sent now never goes before what is already there, whatever this clock says.
    if (itsDay > day) {
      day = itsDay;
      before = undefined;
      items.push({ kind: 'day', key: `day ${day}`, label: dayLabel(day, today) });
    }
    const unread = line.key === unreadFrom;
    if (unread) items.push({ kind: 'unread', key: 'unread' });
    const { key, body } = line;
    items.push({ kind: 'line', key, body, first: startsRun(line, before) || unread });
    before = line;
  }
  return items;
}

/** `Hari ini`, `Kemarin`, else the date; days as `YYYY-MM-DD`. */
export function dayLabel(day: string, today: string): string {
  if (day === today) return 'Hari ini';
  if (day === plusDays(today, -1)) return 'Kemarin';
  return formatDate(`${day}T00:00:00Z`, 'UTC');
}
