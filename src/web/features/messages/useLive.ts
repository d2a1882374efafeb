import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { formatPhone } from '#contract/phone.ts';
import { startLive, type Received } from '#web/client/live.ts';
import { showNotice } from '#web/client/notices.ts';
import { readySound, soundFor } from '#web/client/sound.ts';
import { isSeen } from '#web/features/messages/conversations/seen.ts';
import { startOutgoing } from '#web/features/messages/conversations/outgoing.ts';
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
    const onMessage = (message: Received, leads: boolean) => {
      const from = message.peer_name ?? formatPhone(message.peer);
      if (!document.hidden) announce(`Pesan baru dari ${from}`);
      void soundFor(message.id);
      // Who has the conversation before their eyes needs no notice of it.
      if (!leads || isSeen(message)) return;
      showNotice({
        tag: message.id,
        title: from,
        body: 'Pesan baru',
        onOpen: () => open(message),
      });
    };
    const stops = [readySound(), startLive(client, userId, { onMessage }), startOutgoing(client)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [client, router, userId]);
}
