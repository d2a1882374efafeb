import { queryOptions, type QueryClient } from '@tanstack/react-query';
import {
  countInbox,
  deleteCanned,
  getInboxThread,
  listCanned,
  listInbox,
  saveCanned,
  type OperatorThread,
} from '#contract/operator/support.ts';
import { perform } from '#web/api/act.ts';
import type { Replies } from '#web/ui/chat/replies/stored.ts';

/** The poll interval of the queue: no event reports the passing of time. */
export const LOOK_MS = 60_000;

export const countsKey = [countInbox.name] as const;
export const inboxKey = [listInbox.name] as const;
export const threadKey = (accountId: string) => [getInboxThread.name, accountId] as const;

export const countsQuery = queryOptions({
  queryKey: countsKey,
  queryFn: ({ signal }) => perform(countInbox, {}, { signal }),
  refetchInterval: LOOK_MS,
});

export const threadQuery = (accountId: string) =>
  queryOptions({
    queryKey: threadKey(accountId),
    queryFn: ({ signal }) => perform(getInboxThread, { account_id: accountId }, { signal }),
  });

export const cannedReplies: Replies = {
  list: listCanned,
  save: saveCanned,
  remove: deleteCanned,
  words: {
    title: 'Jawaban siap pakai',
    one: 'jawaban',
    person: 'nama pelanggan',
    others: 'Operator lain tidak dapat memakainya lagi.',
  },
};

export function showThread(client: QueryClient, thread: OperatorThread): void {
  client.setQueryData(threadKey(thread.account_id), thread);
  refreshQueue(client);
}

export function refreshQueue(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: inboxKey });
  void client.invalidateQueries({ queryKey: countsKey });
}

export function refreshThread(client: QueryClient, accountId: string): void {
  void client.invalidateQueries({ queryKey: threadKey(accountId) });
  refreshQueue(client);
}
