import { expect, test } from 'vitest';
import { figuresOf, percentOf, segmentsOf } from './counts.ts';

test('counts a read message as delivered and sent too, and a delivered one as sent', () => {
  expect(figuresOf({ sent: 4, delivered: 3, read: 2, failed: 1, received: 9 })).toEqual({
    accepted: 10,
    scheduled: 0,
    waiting: 0,
    sent: 9,
    delivered: 5,
    read: 2,
    failed: 1,
    cancelled: 0,
    expired: 0,
    received: 9,
  });
});

test('counts every outbound message as accepted, and one of a later time not as waiting', () => {
  const counts = { scheduled: 1, accepted: 2, queued: 3, sending: 4, cancelled: 5, expired: 6 };
  expect(figuresOf(counts)).toMatchObject({ waiting: 9, scheduled: 1, accepted: 21, sent: 0 });
});

test('counts a status that lags behind as 0', () => {
  expect(figuresOf({ sent: -1, read: 3 })).toMatchObject({ sent: 3, delivered: 3, read: 3 });
});

test('the segments of a bar have each sent message once', () => {
  expect(segmentsOf({ sent: 9, delivered: 5, read: 2 })).toEqual({
    sent: 4,
    delivered: 3,
    read: 2,
  });
});

test('a share is 100% only for all, and never 0% for some', () => {
  expect(percentOf(10, 12)).toBe('83%');
  expect(percentOf(999, 1000)).toBe('99%');
  expect(percentOf(12, 12)).toBe('100%');
  expect(percentOf(1, 1000)).toBe('<1%');
  expect(percentOf(0, 12)).toBe('0%');
  expect(percentOf(0, 0)).toBeNull();
});
