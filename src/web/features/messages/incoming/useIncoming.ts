import { useQueryClient } from '@tanstack/react-query';
import { goTo } from '#web/browser/router/navigation.ts';
import { useEffect } from 'react';
import { startLive } from '#web/live/live.ts';
import type { EventOf, LivePatches } from '#web/live/patches.ts';
import { isNews } from '#web/features/messages/incoming/news.ts';
import { showNotice } from '#web/browser/tab/notifications.ts';
import { readySound, soundFor } from '#web/browser/sound.ts';
import { userQuery } from '#web/api/user.ts';
import { onWorkerMessage, type PushMessage } from '#web/browser/push/workerMessages.ts';
import { notifyBlockedSound } from './blockedSound.ts';
import { isSeen } from '#web/features/messages/conversations/thread/seen.ts';
import { startOutgoing } from '#web/features/messages/conversations/thread/outgoing.ts';
import { conversationUrl, conversationAt } from '#web/features/messages/incoming/pushedMessage.ts';
import { nameOf } from '#web/features/messages/labels.ts';
import { announce } from '#web/ui/announce/announce.ts';

type Received = EventOf<'message.received'>;

const alertFacts = {
  kind: 'message.received',
  idOf: ({ id }: Received) => id,
  isNews: ({ id }: Received, serverNow: number) => isNews(id, serverNow),
} as const;

/** So long the live stream has to bring what a push was faster with. */
const STREAM_MS = 1_500;
/** More of them are not about to be reported twice. */
const SEEN_IDS_MAX = 200;

/**
 * Follows the account's events while somebody is signed in: data, sound, notices, waiting sends.
 *
 * @param patches how features keep their queries current; always the same list.
 */
export function useIncoming(userId: string, patches: readonly LivePatches[]): void {
  const client = useQueryClient();
  useEffect(() => {
    const choice = () => client.getQueryData(userQuery.queryKey);
    const sound = (id: string) =>
      void soundFor(id || String(Date.now()), choice).then(notifyBlockedSound);
    const seenIds = new Set<string>();
    const isNew = (id: string) => {
      if (seenIds.has(id)) return false;
      if (seenIds.size >= SEEN_IDS_MAX) seenIds.clear();
      seenIds.add(id);
      return true;
    };
    const onMessage = (message: Received) => {
      isNew(message.id);
      if (!document.hidden) announce(`Pesan baru dari ${nameOf(message)}`);
      sound(message.id);
      return isSeen(message);
    };
    const onUnseen = (message: Received) => {
      const url = conversationUrl(message);
      void showNotice({
        tag: message.id,
        title: nameOf(message),
        body: 'Pesan baru',
        url,
        onOpen: () => void goTo(url),
      });
    };
    // A push for a tab that somebody looks at: the stream reports it better, unless it is down.
    const late = new Set<ReturnType<typeof setTimeout>>();
    const notify = ({ id, title, body, url }: PushMessage) => {
      const conversation = conversationAt(url);
      announce(title);
      sound(id);
      if (conversation && isSeen(conversation)) return;
      void showNotice({ tag: id, title, body, url, onOpen: () => void goTo(url) });
    };
    const stopPushes = onWorkerMessage('push', (word) => {
      const { id, shown } = word;
      if (shown) return sound(id);
      // Not about a message: no stream brings that.
      if (id === '') return notify(word);
      const timer = setTimeout(() => {
        late.delete(timer);
        if (isNew(id)) notify(word);
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
        alert: { ...alertFacts, onEvent: onMessage, onUnseen },
      }),
      startOutgoing(client),
      () => late.forEach(clearTimeout),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, patches, userId]);
}
