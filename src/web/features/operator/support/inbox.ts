import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { SupportDoing } from '#contract/events.ts';
import {
  countInbox,
  deleteCanned,
  getInboxThread,
  inboxMessages,
  listCanned,
  listInbox,
  type OperatorThread,
  readInbox,
  saveCanned,
  sendInbox,
  typeInbox,
} from '#contract/operator/support.ts';
import type { SupportSubject } from '#contract/support.ts';
import { perform, performWithReauth } from '#web/api/act.ts';
import { hrefOf, navigate, type How } from '#web/browser/router/navigation.ts';
import type { Search } from '#web/browser/router/routes.ts';
import { createStore } from '#web/browser/store.ts';
import { isLookedAt } from '#web/browser/tab/lookedAt.ts';
import { startSupportOutbox, type SupportPort } from '#web/features/support/support.ts';
import type { Replies } from '#web/ui/chat/replies/stored.ts';
import { boxOf, focusNextBox } from '#web/ui/chat/thread/boxFocus.ts';

const PAGE = '/operator/layanan';

type Change = Search<typeof PAGE>;

export const goInbox = (change: Change, how: How = {}): void =>
  void navigate({ to: PAGE, change, resetScroll: false, ...how });

export const threadUrl = (accountId: string): string =>
  hrefOf({ to: PAGE, search: { open: accountId } });

/** The customer whose thread an address shows; `undefined` for any other page. */
export function threadAt(url: string): string | undefined {
  const [path, query] = url.split('?', 2);
  if (path !== PAGE) return undefined;
  return new URLSearchParams(query?.split('#', 1)[0]).get('open') ?? undefined;
}

export function customerUrl(
  accountId: string,
  about?: { type: SupportSubject; id: string },
): string {
  const params = new URLSearchParams({ open: accountId });
  if (about) params.set(about.type, about.id);
  return `/operator/pelanggan?${params}`;
}

/** The customer whose thread is on this tab's screen; `undefined` for none. */
export const openThread = createStore<string | undefined>(() => undefined);

/** True while this customer's thread is shown in this tab and the tab is being looked at. */
export const isSeen = (accountId: string): boolean =>
  openThread.get() === accountId && isLookedAt();

/** Focuses the box of a thread, now or once it is open. */
export function focusBox(accountId: string): void {
  if (openThread.get() === accountId) boxOf(document)?.focus();
  else focusNextBox();
}

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

/** Sends answers and notes to customers. @returns the stop function */
export const startInbox = (client: QueryClient): (() => void) =>
  startSupportOutbox(client, 'inbox', async ({ input, key }, { thread, body }) => {
    const internal = body.internal ? ('1' as const) : undefined;
    const line = await performWithReauth(sendInbox, {
      input: { account_id: thread, ...input, internal },
      key,
    });
    refreshThread(client, thread);
    return line;
  });

export const tellDoing = (accountId: string, doing: SupportDoing): Promise<unknown> =>
  perform(typeInbox, { account_id: accountId, doing });

type Writing = {
  client: QueryClient;
  thread: OperatorThread | undefined;
  internal: boolean;
};

export const inboxPort = (
  accountId: string,
  { client, thread, internal }: Writing,
): SupportPort => ({
  key: accountId,
  side: 'operator',
  accountId,
  messages: (start, signal) => perform(inboxMessages, { account_id: accountId, start }, { signal }),
  thread,
  read: async (seq) => showThread(client, await perform(readInbox, { account_id: accountId, seq })),
  typing: () => tellDoing(accountId, internal ? 'note' : 'answer'),
  hrefOf: ({ type, id }) => customerUrl(accountId, { type, id }),
});
