import { civilDate, formatDate, instantIn } from '#contract/base/time.ts';
import { startsRun } from '#web/ui/chat/chat.ts';
import { plusDays } from '#web/ui/date/dates.ts';

/** A message of a thread; the feature defines `body`. */
export type ThreadLine<Body> = {
  key: string;
  side: 'out' | 'in';
  at: Date;
  by?: string | undefined;
  body: Body;
};

export type ThreadItem<Body> =
  | { kind: 'day'; key: string; label: string }
  | { kind: 'unread'; key: string }
  | { kind: 'line'; key: string; body: Body; first: boolean; day: string };

type ThreadInput<Body> = {
  /** Oldest first. */
  lines: readonly ThreadLine<Body>[];
  ended: boolean;
  /** The first line that was unread when the thread was opened. */
  unreadFrom: string | undefined;
  zone: string;
  now: Date;
};

/**
 * The items of a thread, oldest first, with dividers for days and for the unread lines.
 *
 * While there are older lines, the first one is omitted: its rendering depends on the one before it, and visible items
 * must not change when that arrives.
 */
export function threadItems<Body>(input: ThreadInput<Body>): ThreadItem<Body>[] {
  const { lines, ended, unreadFrom, zone, now } = input;
  const items: ThreadItem<Body>[] = [];
  const today = civilDate(now, zone);
  let day = '';
  let nextDay = -Infinity;
  let label = '';
  let before: ThreadLine<Body> | undefined;
  for (const line of lines) {
    const isHeld = !ended && before === undefined;
    // A pending line never precedes existing ones, even if this clock is behind.
    const isNewDay = line.at.getTime() >= nextDay;
    if (isNewDay) {
      day = civilDate(line.at, zone);
      nextDay = instantIn(plusDays(day, 1), '00:00', zone).getTime();
      label = dayLabel(day, today);
      if (!isHeld) items.push({ kind: 'day', key: `day ${day}`, label });
    }
    const unread = line.key === unreadFrom;
    if (unread && !isHeld) items.push({ kind: 'unread', key: 'unread' });
    const { key, body } = line;
    const first = isNewDay || unread || startsRun(line, before);
    if (!isHeld) items.push({ kind: 'line', key, body, first, day: label });
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
