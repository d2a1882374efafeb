import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useUser } from '#web/api/user.ts';
import { showCount } from '#web/browser/tab/tabTitle.ts';
import {
  countsKey,
  countsQuery,
  inboxKey,
  isSeen,
  threadAt,
  threadKey,
  threadUrl,
} from '#web/features/operator/support/inbox.ts';
import { notePresence, noteWritten } from '#web/features/operator/support/presence.ts';
import { linesKey } from '#web/features/support/support.ts';
import { onLiveEvent } from '#web/live/listeners.ts';
import type { SupportNews } from '#web/live/news.ts';
import {
  type CacheChanges,
  isRecord,
  keyIsAbout,
  keyStarts,
  type LivePatches,
} from '#web/live/patches.ts';
import { ShortCount } from '#web/ui/status/CountBadge.tsx';

/** Runs the inbox's live updates on every page of an operator; renders nothing. */
export function InboxLive() {
  usePresences();
  return <WaitingTitle />;
}

function usePresences(): void {
  const me = useUser().id;
  useEffect(() => {
    const stopTyping = onLiveEvent('support.typing', ({ account_id, user_id, name, doing }) => {
      if (user_id === null || user_id === me) return;
      notePresence({ accountId: account_id, userId: user_id, name, doing: doing ?? 'answer' });
    });
    const stopLines = onLiveEvent('support.message', ({ account_id, side, name }) => {
      if (side === 'operator') noteWritten(account_id, name);
    });
    return () => {
      stopTyping();
      stopLines();
    };
  }, [me]);
}

/** The number of waiting customers, for the menu's badge; renders nothing for none. */
export function WaitingCount() {
  const { data } = useQuery(countsQuery);
  return <ShortCount count={data?.waiting ?? 0} of="menunggu jawaban" />;
}

/** Shows the same in the tab's title and on the app's icon; renders nothing. */
function WaitingTitle() {
  const { data } = useQuery(countsQuery);
  const total = data?.waiting ?? 0;
  useEffect(() => showCount(total), [total]);
  useEffect(() => () => showCount(0), []);
  return null;
}

/** An older message is not new: it came while the connection was down. */
const NEWS_MS = 60_000;

/** The tag of a browser's notices about a customer's thread: pushes have the same. */
export const noticeTag = (accountId: string): string => `support-${accountId}`;

export const inboxNews: SupportNews = {
  kind: 'support.message',
  idOf: ({ id }) => id,
  isNews: ({ side, at }, serverNow) => side === 'customer' && serverNow - at.getTime() < NEWS_MS,
  noticeOf: ({ account_id, name }) => ({
    tag: noticeTag(account_id),
    title: name,
    body: 'Menulis ke layanan pelanggan',
    url: threadUrl(account_id),
  }),
  isSeenAt: (url) => {
    const accountId = threadAt(url);
    return accountId !== undefined && isSeen(accountId);
  },
  isAbout: (url) => threadAt(url) !== undefined,
};

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
