import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useStore } from '#web/browser/store.ts';
import { usePath } from '#web/browser/router/Router.tsx';
import { unsent, type UnsentKind } from '#web/api/unsent.ts';

const loaders: Record<UnsentKind, () => Promise<(client: QueryClient) => () => void>> = {
  conversation: async () =>
    (await import('#web/features/messages/conversations/thread/sending.ts')).startConversations,
  support: async () => (await import('#web/features/support/sending.ts')).startSupport,
  inbox: async () => (await import('#web/features/operator/support/inbox.ts')).startInbox,
};

const pages: Record<UnsentKind, string> = {
  conversation: '/message-history',
  support: '/customer-service',
  inbox: '/operator/layanan',
};

/**
 * Sends messages waiting in this browser, stored or new; loads the sending code when there are any. On their page it is
 * there before: the tab that a message is written in is the first to send it, because it has the file at hand.
 */
export function useSending(kind: UnsentKind): void {
  const client = useQueryClient();
  const isOnPage = usePath() === pages[kind];
  const isAnyUnsent = useStore(unsent).some((one) => one.kind === kind);
  const [isNeeded, setNeeded] = useState(false);
  if ((isOnPage || isAnyUnsent) && !isNeeded) setNeeded(true);
  useEffect(() => {
    if (!isNeeded) return undefined;
    let stop: (() => void) | undefined;
    let gone = false;
    const load = () =>
      void loaders[kind]().then(
        (start) => void (gone || (stop ??= start(client))),
        () => undefined,
      );
    load();
    // Without a network the code may be missing.
    window.addEventListener('online', load);
    return () => {
      gone = true;
      window.removeEventListener('online', load);
      stop?.();
    };
  }, [kind, client, isNeeded]);
}
