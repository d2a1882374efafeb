import { countsKey, inboxKey, threadKey } from '#web/features/operator/support/queries.ts';
import { linesKey } from '#web/features/support/support.ts';
import {
  isRecord,
  keyIsAbout,
  keyStarts,
  type CacheChanges,
  type LivePatches,
} from '#web/live/patches.ts';

const inbox = keyIsAbout('operator_support', 'operator_support_');
const lines = keyStarts(linesKey('').slice(0, -1));

function refetchQueue({ refetch }: CacheChanges): void {
  refetch(inboxKey);
  refetch(countsKey);
}

type Marks = { status: string; customer_read: number; operator_read: number };

/** A cached thread with its status and read marks updated by an event; marks never fall. */
export function withMarks(data: unknown, { status, customer_read, operator_read }: Marks): unknown {
  if (!isRecord(data)) return data;
  const risen = (name: string, mark: number) => Math.max(Number(data[name] ?? 0), mark);
  return {
    ...data,
    status,
    customer_read: risen('customer_read', customer_read),
    operator_read: risen('operator_read', operator_read),
  };
}

export const inboxPatches: LivePatches = {
  follows: (key) => inbox(key) || lines(key),
  inBackground: keyStarts(countsKey),
  on: {
    'support.message': ({ account_id }, cache) => {
      cache.refetch(linesKey(account_id));
      cache.refetch(threadKey(account_id));
      refetchQueue(cache);
    },
    'support.changed': ({ account_id, ...marks }, cache) => {
      cache.update((data) => withMarks(data, marks), keyStarts(threadKey(account_id)));
      // The event lacks the assignee and the start of the wait.
      cache.refetch(threadKey(account_id));
      refetchQueue(cache);
    },
  },
};
