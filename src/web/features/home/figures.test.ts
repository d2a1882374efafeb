import { expect, test } from 'vitest';
import { changeFrom, progressOf, reached } from './figures.ts';

test('read messages count as delivered and sent too', () => {
  const day = { sent: 4, delivered: 3, read: 2, failed: 1, received: 9 };
  expect(reached(day)).toEqual({ sent: 9, delivered: 5, read: 2, failed: 1 });
});

test('a change is a fraction of the value before, or null without one', () => {
  expect(changeFrom(8, 10)).toBe(0.25);
  expect(changeFrom(8, 6)).toBe(-0.25);
  expect(changeFrom(0, 6)).toBeNull();
});

test('the number comes first, then a message, then the saldo; a later one may be done before', () => {
  const none = { topped_up: false, has_token: false, linked: false, sent: false };
  expect(progressOf(none)).toEqual({ done: 0, next: 'linked' });
  expect(progressOf({ ...none, has_token: true })).toEqual({ done: 0, next: 'linked' });
  expect(progressOf({ ...none, linked: true, topped_up: true })).toEqual({ done: 2, next: 'sent' });
  expect(progressOf({ ...none, linked: true, sent: true }).next).toBe('topped_up');
  expect(progressOf({ topped_up: true, has_token: true, linked: true, sent: true })).toEqual({
    done: 3,
    next: undefined,
  });
});
