import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { unsent, type UnsentKind } from '#web/api/unsent.ts';

const loaders: Record<UnsentKind, () => Promise<(client: QueryClient) => () => void>> = {
  conversation: async () =>
    (await import('#web/features/messages/conversations/thread/sending.ts')).startConversations,
  support: async () => (await import('#web/features/support/sending.ts')).startSupport,
  inbox: async () => (await import('#web/features/operator/support/inbox.ts')).startInbox,
};

/** Sends messages waiting in this browser, stored or new; loads the sending code when there are any. */
export function useSending(kind: UnsentKind): void {
  const client = useQueryClient();
  useEffect(() => {
    let stopSending: (() => void) | undefined;
    let gone = false;
    const look = () => {
      if (stopSending || gone || !unsent.get().some((one) => one.kind === kind)) return;
      void loaders[kind]().then(
        (start) => void (gone || (stopSending ??= start(client))),
        // Without the code it looks again on reconnect.
        () => undefined,
      );
    };
    look();
    const stopLooking = unsent.subscribe(look);
    window.addEventListener('online', look);
    return () => {
      gone = true;
      stopLooking();
      window.removeEventListener('online', look);
      stopSending?.();
    };
  }, [kind, client]);
}
