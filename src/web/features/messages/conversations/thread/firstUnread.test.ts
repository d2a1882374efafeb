import { expect, test } from 'vitest';
import { firstUnread } from './firstUnread.ts';

test('unread messages begin at the n-th incoming message from the newest', () => {
  const thread = [
    { id: 'm4', direction: 'in' },
    { id: 'm3', direction: 'out' },
    { id: 'm2', direction: 'in' },
    { id: 'm1', direction: 'in' },
  ] as const;
  expect(firstUnread(thread, 2)).toBe('m2');
  expect(firstUnread(thread, 0)).toBeUndefined();
  expect(firstUnread(thread, 50)).toBe('m1');
});
