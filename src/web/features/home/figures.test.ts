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

test('the first open step comes next, even when a later one is done', () => {
  const none = { topped_up: false, has_token: false, linked: false, sent: false };
  expect(progressOf(none)).toEqual({ done: 0, next: 'topped_up' });
  expect(progressOf({ ...none, has_token: true })).toEqual({ done: 1, next: 'topped_up' });
  expect(progressOf({ topped_up: true, has_token: true, linked: true, sent: true })).toEqual({
    done: 4,
    next: undefined,
  });
});
