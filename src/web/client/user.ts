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
      return await perform(checkToken, {}, { signal });
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
  const { data } = useQuery(userQuery);
  if (!data) throw new Error('useUser: nobody is signed in here');
  return data;
}

/** What this tab must know after somebody signed in; then go where `useArrival` says. */
export function enterSession(client: QueryClient, signedIn: SignedIn): void {
  saveSessionToken(signedIn.token);
  client.setQueryData(userQuery.queryKey, signedIn.user);
}

/** Ends the session, on the server when it can be reached, and in this browser in any case. */
export async function signOut(): Promise<void> {
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
