import { expect, test } from 'vitest';
import { paceOf } from './pace.ts';

test.for([
  [0, 6, 20],
  [2, 6, 20],
  [3, 10, 50],
  [7, 20, 150],
  [14, 30, 400],
  [29, 30, 400],
  [30, 60, 1_000],
  [400, 60, 1_000],
])(
  'after %i days a number may send %i a minute and begin %i chats a day',
  ([days, perMinute, newChatsPerDay]) => {
    const now = new Date('2026-11-24T00:00:00Z');
    const linked = new Date(now.getTime() - (days ?? 0) * 86_400_000);
    expect(paceOf(linked, now)).toEqual({ perMinute, newChatsPerDay });
  },
);

test('takes a number as young, not old, after the clock went back', () => {
  const now = new Date('2026-11-24T00:00:00Z');
  expect(paceOf(new Date(now.getTime() + 1_000), now)).toEqual({
    perMinute: 6,
    newChatsPerDay: 20,
  });
});
