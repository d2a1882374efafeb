import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { User } from '#contract/accounts.ts';
import { choosesFirstScreen } from '#web/app/routes/firstScreen.ts';
import { address, navigate } from '#web/browser/router/navigation.ts';
import { usePath } from '#web/browser/router/Router.tsx';
import { sessionToken } from '#web/browser/session.ts';
import { useStore } from '#web/browser/store.ts';
import { unreadQuery } from '#web/features/messages/queries.ts';

/** The longest wait for the unread count; Beranda is shown after it. */
const WAIT_MS = 2_000;

/**
 * Opens the conversations instead of Beranda at the start of a visit, if there are unread messages. A person who opens
 * Beranda later stays there.
 *
 * @returns whether the page must wait for the choice
 */
export function useFirstScreen(user: User | undefined): boolean {
  const atHome = usePath() === '/';
  const chooses = useStore(choosesFirstScreen) && atHome;
  const hasMessages = user?.role !== 'operator' && !user?.suspension;
  // Requested together with the user: the choice delays nothing.
  const enabled = chooses && hasMessages && sessionToken() !== '';
  const { data, isPending } = useQuery({ ...unreadQuery, enabled });
  const waits = enabled && isPending;
  const goes = enabled && (data?.total ?? 0) > 0;
  const isKnown = user !== undefined;
  useEffect(() => {
    if (!isKnown) return;
    const close = () => choosesFirstScreen.set(false);
    if (waits) {
      const timer = setTimeout(close, WAIT_MS);
      return () => clearTimeout(timer);
    }
    if (!goes) return close();
    // Otherwise it is already on its way.
    if (address.get().pathname !== '/') return;
    void navigate({ to: '/message-history', search: { view: 'percakapan' }, replace: true });
  }, [isKnown, waits, goes]);
  return isKnown && chooses && hasMessages;
}
