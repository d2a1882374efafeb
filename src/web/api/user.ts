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

/** Until the next try after so many failures: 2, 4, 8, 16, then 30 s. */
export const retryMs = (failures: number): number =>
  Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** (failures - 1));

/**
 * Who is signed in: asked once, never stale by itself. Without a token there is nobody to ask. While the
 * server cannot be reached it is asked again by itself; at once when the network returns.
 */
export const userQuery = queryOptions({
  queryKey: ['user'],
  queryFn: async ({ signal }): Promise<User> => {
    if (sessionToken() === '') throw new Error('nobody is signed in');
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

/** A session stands, only the server could not be asked about it: no reason to sign anybody out. */
const isUnreached = (error: Error | null): boolean => sessionToken() !== '' && isUnanswered(error);

/**
 * What is known of who is signed in: `asking` at first; `unreached` while a session stands and the
 * server cannot be asked about it; then `known`, or `nobody`.
 */
export type AuthState = {
  state: 'asking' | 'unreached' | 'known' | 'nobody';
  user: User | undefined;
  error: Error | null;
  /** Asks again now. */
  retry: () => void;
};

/** Follows who is signed in. */
export function useAuthState(): AuthState {
  const client = useQueryClient();
  const { data: user, status, error, fetchStatus, errorUpdateCount } = useQuery(userQuery);
  // Also while it is tried once more: what stands on the screen stays there meanwhile.
  const waits = sessionToken() !== '' && (fetchStatus === 'paused' || errorUpdateCount > 0);
  const unreached = status === 'error' ? isUnreached(error) : waits;
  const retry = () => void client.resetQueries({ queryKey: userQuery.queryKey });
  if (user) return { state: 'known', user, error, retry };
  if (unreached) return { state: 'unreached', user, error, retry };
  // Without a token there is nobody to wait for.
  const nobody = status === 'error' || sessionToken() === '';
  return { state: nobody ? 'nobody' : 'asking', user, error, retry };
}

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

const signOutTasks = new Set<() => Promise<unknown>>();

/**
 * Has something done before the session ends, while the server still listens; what fails is passed over.
 *
 * @returns takes it back
 */
export function beforeSignOut(task: () => Promise<unknown>): () => void {
  signOutTasks.add(task);
  return () => signOutTasks.delete(task);
}

/** Ends the session, on the server when it can be reached, and in this browser in any case. */
export async function signOut(): Promise<void> {
  // While the session lives: afterwards the server would not listen.
  await Promise.allSettled([...signOutTasks].map((task) => task()));
  try {
    const [{ perform }, { logoutUser }] = await Promise.all([lazyApi(), accountActs()]);
    await perform(logoutUser, {});
  } catch {
    // Out of reach: the session ends by itself; here it ends now.
  }
  forgetSessionToken();
  takeRedirect();
  // A fresh page: nothing of what was shown stays in memory.
  window.location.assign('/auth/login');
}
