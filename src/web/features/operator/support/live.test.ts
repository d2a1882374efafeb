import { expect, test } from 'vitest';
import type { QueryKey } from '@tanstack/react-query';
import type { LiveEvent } from '#contract/events.ts';
import { inboxPatches, withMarks } from './live.tsx';

const marks = { status: 'open', customer_read: 7, operator_read: 5 } as const;

test('a thread’s read marks rise with events and never fall with a late one', () => {
  const thread = { account_id: 'acc_1', status: 'closed', customer_read: 4, operator_read: 9 };
  expect(withMarks(thread, marks)).toEqual({ ...thread, status: 'open', customer_read: 7 });
  expect(withMarks(undefined, marks)).toBeUndefined();
});

test('a message refetches its own thread, the queue and the counts, but no other thread', () => {
  const asked: unknown[] = [];
  const cache = {
    update: () => undefined,
    refetch: (queries: unknown) => void asked.push(queries),
    isFetching: () => false,
  };
  const event = { kind: 'support.message', account_id: 'acc_1' } as Extract<
    LiveEvent,
    { kind: 'support.message' }
  >;
  inboxPatches.on['support.message']?.(event, cache);
  expect(asked).toEqual([
    ['support', 'lines', 'acc_1'],
    ['operator_support_get', 'acc_1'],
    ['operator_support_list'],
    ['operator_support_counts'],
  ]);
});

test('after a gap all of the inbox is refetched; in the background only the counts', () => {
  const { follows, inBackground } = inboxPatches;
  const keys: QueryKey[] = [
    ['operator_support_list', {}],
    ['operator_support_get', 'acc_1'],
    ['support', 'lines', 'acc_1'],
  ];
  expect(keys.map(follows)).toEqual([true, true, true]);
  expect(follows(['operator_topup_list', {}])).toBe(false);
  expect(keys.map((key) => inBackground?.(key))).toEqual([false, false, false]);
  expect(inBackground?.(['operator_support_counts'])).toBe(true);
});
