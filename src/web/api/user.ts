import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { SignedIn, User } from '#contract/accounts.ts';
import { accountActs, lazyApi } from '#web/api/lazyApi.ts';
import { isUnanswered, refusalCode } from '#web/api/errors.ts';
import {
  forgetSessionToken,
  saveSessionToken,
  sessionToken,
  takeRedirect,
} from '#web/browser/session.ts';

const RETRY_MS_MIN = 2_000;
const RETRY_MS_MAX = 30_000;

/** Delay before the next attempt after so many failures: 2, 4, 8, 16, then 30 s. */
export const retryMs = (failures: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failures - 1));

/**
 * The signed-in user: fetched once, never stale. Without a token there is no request. While the server is unreachable
 * it retries by itself, and immediately on reconnect.
 */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }): Promise<User> => {
    if (sessionToken() === '') throw new Error('not signed in');
    const [{ perform }, { checkToken }] = await Promise.all([lazyApi(), accountActs()]);
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
  refetchInterval: ({ state: { status, error, errorUpdateCount } }) =>
    status === 'error' && isUnreached(error) ? retryMs(errorUpdateCount) : false,
});

/** There is a session but the server is unreachable: no reason to sign out. */
const isUnreached = (error: Error | null): boolean => sessionToken() !== '' && isUnanswered(error);

/**
 * The sign-in state: `asking` at first; `unreached` if there is a session but the server is unreachable; then `known`
 * or `nobody`.
 */
export type AuthState = {
  state: 'asking' | 'unreached' | 'known' | 'nobody';
  user: User | undefined;
  error: Error | null;
  retry: () => void;
};

export function useAuthState(): AuthState {
  const client = useQueryClient();
  const { data: user, status, error, fetchStatus, errorUpdateCount } = useQuery(userQuery);
  // Also during a retry, so that the screen does not change meanwhile.
  const waits = sessionToken() !== '' && (fetchStatus === 'paused' || errorUpdateCount > 0);
  const unreached = status === 'error' ? isUnreached(error) : waits;
  const retry = () => void client.resetQueries({ queryKey: userQuery.queryKey });
  if (user) return { state: 'known', user, error, retry };
  if (unreached) return { state: 'unreached', user, error, retry };
  const nobody = status === 'error' || sessionToken() === '';
  return { state: nobody ? 'nobody' : 'asking', user, error, retry };
}

/**
 * The signed-in user, for components inside the signed-in layout.
 *
 * @throws Error outside of it (a bug).
 */
export function useUser(): User {
  // If the session ends during a render, the layout removes the page right after.
  const user = useQuery(userQuery).data ?? lastSeen;
  if (!user) throw new Error('useUser: used outside the signed-in layout');
  return user;
}

let lastSeen: User | undefined;

/** The user as last fetched, for parts outside of the page's React root. */
export const lastSeenUser = (): User | undefined => lastSeen;

/** Sets up this tab after a sign-in; navigation is up to `useArrival`. */
export function enterSession(client: QueryClient, signedIn: SignedIn): void {
  saveSessionToken(signedIn.token);
  lastSeen = signedIn.user;
  client.setQueryData(userQuery.queryKey, signedIn.user);
}

const signOutTasks = new Set<() => Promise<unknown>>();

/**
 * Runs a task before the session ends, while the server still accepts it; failures are ignored.
 *
 * @returns the unregister function
 */
export function beforeSignOut(task: () => Promise<unknown>): () => void {
  signOutTasks.add(task);
  return () => signOutTasks.delete(task);
}

/** Ends the session: in this browser always, on the server if it is reachable. */
export async function signOut(): Promise<void> {
  await Promise.allSettled([...signOutTasks].map((task) => task()));
  try {
    const [{ perform }, { logoutUser }] = await Promise.all([lazyApi(), accountActs()]);
    await perform(logoutUser, {});
  } catch {
    // Unreachable: the server's session expires by itself.
  }
  forgetSessionToken();
  takeRedirect();
  // A full page load clears all data from memory.
  window.location.assign('/auth/login');
}
