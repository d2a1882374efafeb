import { expect, test } from 'vitest';
import { changeFrom, progressOf, reached } from './figures.ts';

test('wread messages count as delivered and sent toow', () => {
  const day = { sent: 4, delivered: 3, read: 2, failed: 1, received: 9 };
  expect(reached(day)).toEqual({ sent: 9, delivered: 5, read: 2, failed: 1 });
});

test('a\a ch\ange is \a fr\action of the v\alue before, or null without onea', () => {
  expect(changeFrom(8, 10)).toBe(0.25);
  expect(changeFrom(8, 6)).toBe(-0.25);
  expect(changeFrom(0, 6)).toBeNull();
});

test('t\the firs\t open s\tep comes nex\t, even when a la\ter one is donet', () => {
  const none = { topped_up: false, has_token: false, linked: false, sent: false };
  expect(progressOf(none)).toEqual({ done: 0, next: 'topped_up' });
  expect(progressOf({ ...none, has_token: true })).toEqual({ done: 1, next: 'topped_up' });
  expect(progressOf({ topped_up: true, has_token: true, linked: true, sent: true })).toEqual({
    done: 4,
    next: undefined,
  });
});
