import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { startLive, type Received } from '#web/client/live.ts';
import { showNotice } from '#web/client/notices.ts';
import { readySound, soundFor } from '#web/client/sound.ts';
import { isSeen } from '#web/features/messages/conversations/seen.ts';
import { startOutgoing } from '#web/features/messages/conversations/outgoing.ts';
import { nameOf } from '#web/features/messages/words.ts';
import { announce } from '#web/ui/announce.ts';

/** Follows the account's events while somebody is signed in: data, sound, notices, waiting sends. */
export function useLive(userId: string): void {
  const client = useQueryClient();
  const router = useRouter();
  useEffect(() => {
    const open = ({ token_id, peer }: Received) =>
      void router.navigate({
        to: '/message-history',
        search: { view: 'percakapan', open: token_id, peer },
      });
    const onMessage = (message: Received) => {
      if (!document.hidden) announce(`Pesan baru dari ${nameOf(message)}`);
      void soundFor(message.id);
      return isSeen(message);
    };
    const onUnseen = (message: Received) =>
      showNotice({
        tag: message.id,
        title: nameOf(message),
        body: 'Pesan baru',
        onOpen: () => open(message),
      });
    const stops = [
      readySound(),
      startLive(client, userId, { onMessage, onUnseen }),
      startOutgoing(client),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, router, userId]);
}
