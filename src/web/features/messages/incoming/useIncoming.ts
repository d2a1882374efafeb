import { isolated } from '#contract/base/names.ts';
import { useQueryClient } from '@tanstack/react-query';
import { goTo } from '#web/browser/router/navigation.ts';
import { useEffect } from 'react';
import type { LiveKind } from '#contract/events.ts';
import { startLive, type LiveAlert } from '#web/live/live.ts';
import type { News, SupportNews } from '#web/live/news.ts';
import type { LivePatches } from '#web/live/patches.ts';
import { showNotice } from '#web/browser/tab/notifications.ts';
import { readySound, soundFor, type Sounded, wasTouched } from '#web/browser/sound.ts';
import { userQuery } from '#web/api/user.ts';
import { onWorkerMessage, type PushMessage } from '#web/browser/push/workerMessages.ts';
import { isSeen } from '#web/features/messages/conversations/thread/seen.ts';
import { nameAndNumberOf } from '#contract/messages/peer.ts';
import { announce } from '#web/ui/announce/announce.ts';
import { storageSet, storageGet } from '#web/browser/storage.ts';
import { toast } from '#web/ui/toast/toasts.ts';
import { uuidOf } from '#contract/base/ids.ts';

/** An older message is not new: it came while the connection was down. */
const NEWS_MS = 60_000;

/** When an id was made, in milliseconds, by the server's clock: UUIDv7 begins with it. */
function madeAt(messageId: string): number {
  const uuid = uuidOf('message', messageId) ?? '';
  return Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16);
}

export const isNews = (messageId: string, serverNow: number): boolean =>
  serverNow - madeAt(messageId) < NEWS_MS;

const messageNews: News<'message.received'> = {
  kind: 'message.received',
  idOf: ({ id }) => id,
  isNews: ({ id }, serverNow) => isNews(id, serverNow),
  noticeOf: (message) => ({
    tag: message.id,
    title: nameAndNumberOf(message),
    body: 'Pesan baru',
    url: conversationUrl(message),
  }),
  isSeenAt: (url) => {
    const conversation = conversationAt(url);
    return conversation !== undefined && isSeen(conversation);
  },
};

const STREAM_MS = 1_500;
/** A push without a message id refers to something the stream brought within this time. */
const RECENT_MS = 10_000;
/** Older ids are unlikely to be reported twice. */
const SEEN_IDS_MAX = 200;

/** The configuration of one side of the app; always the same object. */
type Followed = {
  patches: readonly LivePatches[];
  support: SupportNews;
  /** Whether to report messages, too: operators have none. */
  messages: boolean;
};

export function useIncoming(userId: string, followed: Followed): void {
  const client = useQueryClient();
  useEffect(() => {
    const { patches, support, messages } = followed;
    const choice = () => client.getQueryData(userQuery.queryKey);
    const sound = (id: string) =>
      void soundFor(id || String(Date.now()), choice).then(notifyBlockedSound);
    const seenIds = new Set<string>();
    const reportedAt = new Map<string, number>();
    const isNew = (id: string) => {
      if (seenIds.has(id)) return false;
      if (seenIds.size >= SEEN_IDS_MAX) seenIds.clear();
      seenIds.add(id);
      return true;
    };
    const wasReported = (url: string) => Date.now() - (reportedAt.get(url) ?? 0) < RECENT_MS;
    const alertOf = <Kind extends LiveKind>(news: News<Kind>): LiveAlert<Kind> => ({
      ...news,
      onEvent: (event) => {
        const id = news.idOf(event);
        const { title, url } = news.noticeOf(event);
        isNew(id);
        reportedAt.set(url, Date.now());
        if (!document.hidden) announce(`Pesan baru dari ${isolated(title)}`);
        sound(id);
        return news.isSeenAt(url);
      },
      onUnseen: (event) => {
        const notice = news.noticeOf(event);
        void showNotice({ ...notice, onOpen: () => void goTo(notice.url) });
      },
    });
    // A push for a visible tab: the stream reports it better, unless it is down.
    const late = new Set<ReturnType<typeof setTimeout>>();
    const notify = ({ id, title, body, url }: PushMessage) => {
      announce(title);
      sound(id);
      if (messageNews.isSeenAt(url) || support.isSeenAt(url)) return;
      void showNotice({ tag: id, title, body, url, onOpen: () => void goTo(url) });
    };
    const stopPushes = onWorkerMessage('push', (word) => {
      const { id, url, shown } = word;
      if (shown) return wasReported(url) ? undefined : sound(id);
      // Not about something the stream brings.
      if (id === '' && !support.isAbout(url)) return notify(word);
      const timer = setTimeout(() => {
        late.delete(timer);
        if (id === '' ? !wasReported(url) : isNew(id)) notify(word);
      }, STREAM_MS);
      late.add(timer);
    });
    const stops = [
      readySound(choice),
      stopPushes,
      startLive({
        client,
        userId,
        patches,
        alerts: [...(messages ? [alertOf(messageNews)] : []), alertOf(support)],
      }),
      () => late.forEach(clearTimeout),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, followed, userId]);
}

const NAME = 'sound-held';

/**
 * Reports, once in a tab, that the browser blocks sounds until the page is touched: when the tab is looked at, and only
 * if it is still so.
 */
export function notifyBlockedSound(sounded: Sounded | undefined): void {
  if (sounded !== 'refused' || storageGet('tab', NAME) !== undefined) return;
  if (!document.hidden) return say();
  const seen = () => {
    if (document.hidden) return;
    document.removeEventListener('visibilitychange', seen);
    say();
  };
  document.addEventListener('visibilitychange', seen);
}

function say(): void {
  if (wasTouched() || storageGet('tab', NAME) !== undefined) return;
  storageSet('tab', NAME, '1');
  toast('Browser menahan bunyi pesan baru sampai Anda menyentuh halaman ini atau menekan tombol.');
}

type Conversation = { token_id: string; peer: string };

export const conversationUrl = ({ token_id, peer }: Conversation): string =>
  `/message-history?${new URLSearchParams({ view: 'percakapan', open: token_id, peer })}`;

/** The conversation that an address shows; `undefined` for any other page. */
export function conversationAt(path: string): Conversation | undefined {
  const [before, query] = path.split('?', 2);
  const params = new URLSearchParams(query?.split('#', 1)[0]);
  const [token_id, peer] = [params.get('open'), params.get('peer')];
  return before === '/message-history' && token_id && peer ? { token_id, peer } : undefined;
}
