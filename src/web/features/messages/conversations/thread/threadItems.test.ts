import { expect, test } from 'vitest';
import type { ConversationMessage } from '#contract/messages.ts';
import { dayLabel, firstUnread, threadItems, type ThreadItem } from './threadItems.ts';

const now = new Date('2026-11-21T03:00:00Z');
const zone = 'Asia/Jakarta';

/** A message at a moment, as the server would send it. */
const said = (id: string, direction: 'out' | 'in', at: string) =>
  ({ id, direction, created_at: new Date(at) }) as ConversationMessage;

const thread = [
  said('m5', 'in', '2026-11-21T02:20:00Z'),
  said('m4', 'in', '2026-11-21T02:03:00Z'),
  said('m3', 'in', '2026-11-21T02:00:00Z'),
  said('m2', 'out', '2026-11-20T16:59:00Z'),
  said('m1', 'out', '2026-11-20T16:58:00Z'),
];
const input = { messages: thread, outgoing: [], unreadFrom: undefined, zone, now };
const shown = (items: readonly ThreadItem[]) =>
  items.map((item) => {
    if (item.kind === 'day') return `— ${item.label} —`;
    if (item.kind === 'unread') return '— unread —';
    return `${item.key}${item.first ? ' *' : ''}`;
  });

test('a thread is listed from the oldest, a line for each day of the person’s own zone', () => {
  expect(shown(threadItems(input))).toEqual([
    '— Kemarin —',
    'm1 *',
    'm2',
    '— Hari ini —',
    'm3 *',
    'm4',
    'm5 *',
  ]);
  // In Jayapura it was already the 21st.
  expect(shown(threadItems({ ...input, zone: 'Asia/Jayapura' }))[0]).toBe('— Hari ini —');
});

test('where the unread begin there is a line, and a new run', () => {
  const unreadFrom = firstUnread(thread, 2);
  expect(unreadFrom).toBe('m4');
  expect(shown(threadItems({ ...input, unreadFrom })).slice(4)).toEqual([
    'm3 *',
    '— unread —',
    'm4 *',
    'm5 *',
  ]);
  expect(firstUnread(thread, 0)).toBeUndefined();
  expect(firstUnread(thread, 50)).toBe('m3');
});

test('what is on its way stands last, also when this clock is behind', () => {
  const one = {
    id: 'o1',
    key: 'k',
    tokenId: 't',
    peer: '62811',
    text: 'Halo',
    at: Date.parse('2026-11-19T00:00:00Z'),
  };
  expect(shown(threadItems({ ...input, outgoing: [one] })).at(-1)).toBe('o1 *');
  const labels = threadItems({ ...input, outgoing: [one] }).filter(({ kind }) => kind === 'day');
  expect(labels).toHaveLength(2);
});

test('days have the names that people use', () => {
  expect(dayLabel('2026-11-21', '2026-11-21')).toBe('Hari ini');
  expect(dayLabel('2026-02-28', '2026-03-01')).toBe('Kemarin');
  expect(dayLabel('2026-08-05', '2026-11-21')).toBe('5 Agu 2026');
});
