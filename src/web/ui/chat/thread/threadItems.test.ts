import { expect, test } from 'vitest';
import { dayLabel, threadItems, type ThreadItem, type ThreadLine } from './threadItems.ts';

const now = new Date('2026-11-21T03:00:00Z');
const zone = 'Asia/Jakarta';

const said = (key: string, side: 'out' | 'in', at: string): ThreadLine<string> => ({
  key,
  side,
  at: new Date(at),
  body: key,
});

const lines = [
  said('m1', 'out', '2026-11-20T16:58:00Z'),
  said('m2', 'out', '2026-11-20T16:59:00Z'),
  said('m3', 'in', '2026-11-21T02:00:00Z'),
  said('m4', 'in', '2026-11-21T02:03:00Z'),
  said('m5', 'in', '2026-11-21T02:20:00Z'),
];
const input = { lines, ended: true, unreadFrom: undefined, zone, now };
const shown = (items: readonly ThreadItem<string>[]) =>
  items.map((item) => {
    if (item.kind === 'day') return `— ${item.label} —`;
    if (item.kind === 'unread') return '— unread —';
    return `${item.key}${item.first ? ' *' : ''}`;
  });

test('lists a thread from the oldest, with a divider for each day in the person’s time zone', () => {
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

test('starts the unread lines with a divider and a new run', () => {
  expect(shown(threadItems({ ...input, unreadFrom: 'm4' })).slice(4)).toEqual([
    'm3 *',
    '— unread —',
    'm4 *',
    'm5 *',
  ]);
});

test('keeps visible lines unchanged when older ones arrive', () => {
  const part = (first: number, ended = false) =>
    threadItems({ ...input, lines: lines.slice(first), ended });
  for (const [first, before] of [
    [3, 2],
    [2, 1],
    [1, 0],
  ] as const) {
    const had = part(first);
    expect(part(before).slice(-had.length)).toEqual(had);
  }
  const had = part(0);
  expect(shown(had)).toEqual(['m2', '— Hari ini —', 'm3 *', 'm4', 'm5 *']);
  expect(part(0, true).slice(-had.length)).toEqual(had);
});

test('puts pending lines last, also when this clock is behind', () => {
  const late = said('o1', 'out', '2026-11-19T00:00:00Z');
  const items = threadItems({ ...input, lines: [...lines, late] });
  expect(shown(items).at(-1)).toBe('o1 *');
  expect(items.filter(({ kind }) => kind === 'day')).toHaveLength(2);
});

test('uses common names of days', () => {
  expect(dayLabel('2026-11-21', '2026-11-21')).toBe('Hari ini');
  expect(dayLabel('2026-02-28', '2026-03-01')).toBe('Kemarin');
  expect(dayLabel('2026-08-05', '2026-11-21')).toBe('5 Agu 2026');
});
