import { queryOptions, useQuery, type QueryClient } from '@tanstack/react-query';
import type { SignedIn, User } from '#contract/accounts.ts';
import { accountActs, calls } from '#web/client/calls.ts';
import { refusalCode } from '#web/client/errors.ts';
import {
  forgetSessionToken,
  saveSessionToken,
  sessionToken,
  takeRedirect,
} from '#web/client/session.ts';

/** Who is signed in: asked once, never stale by itself. Without a token there is nobody to ask. */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }): Promise<User> => {
    if (sessionToken() === '') throw new Error('nobody is signed in');
    const [{ perform }, { checkToken }] = await Promise.all([calls(), accountActs()]);
    try {
      lastSeen = await perform(checkToken, {}, { signal });
      return lastSeen;
    } catch (error) {
      if (refusalCode(error) === 'not_signed_in') forgetSessionToken();
      throw error;
    }
  },
  staleTime: Infinity,
  gcTime: Infinity,
  retry: (tries) => tries < 1 && sessionToken() !== '',
  refetchOnWindowFocus: false,
  refetchOnReconnect: true,
});

/**
 * The person who is signed in. For what stands inside the signed-in layout, where there is one.
 *
 * @throws Error outside of it: our bug.
 */
export function useUser(): User {
  // A session that ends while a page is being made: the layout takes that page away in a moment.
  const user = useQuery(userQuery).data ?? lastSeen;
  if (!user) throw new Error('useUser: nobody is signed in here');
  return user;
}

let lastSeen: User | undefined;

/** What this tab must know after somebody signed in; then go where `useArrival` says. */
export function enterSession(client: QueryClient, signedIn: SignedIn): void {
  saveSessionToken(signedIn.token);
  lastSeen = signedIn.user;
  client.setQueryData(userQuery.queryKey, signedIn.user);
}

/** Ends the session, on the server when it can be reached, and in this browser in any case. */
export async function signOut(): Promise<void> {
  // While the session lives: afterwards the server would not listen.
  await import('#web/client/push.ts').then(({ leavePush }) => leavePush()).catch(() => undefined);
  try {
    const [{ perform }, { logoutUser }] = await Promise.all([calls(), accountActs()]);
    await perform(logoutUser, {});
  } catch {
    // Out of reach: the session ends by itself; here it ends now.
  }
  forgetSessionToken();
  takeRedirect();
  // A fresh page: nothing of what was shown stays in memory.
  window.location.assign('/auth/login');
}
