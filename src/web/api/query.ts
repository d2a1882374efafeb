import {
  MutationCache,
  onlineManager,
  QueryCache,
  QueryClient,
  useMutation,
  type UseMutationOptions,
} from '@tanstack/react-query';
import type { Act, InputFor } from '#contract/base/act.ts';
import type { AnswerOf } from '#web/api/answer.ts';
import { lazyApi } from '#web/api/lazyApi.ts';
import { isAbort, isDefinite, refusalCode } from '#web/api/errors.ts';
import { newIdempotencyKey } from '#web/api/idempotencyKey.ts';
import { onServerBack } from '#web/api/server.ts';

const SECOND_TRY_MS = 1_000;

/** Immediately after a definite refusal (the server repeats its answer to the same key), else after 1 s. */
const retryDelay = (_tries: number, error: Error): number =>
  isDefinite(error) ? 0 : SECOND_TRY_MS;

/**
 * The query client: no refetch on focus, refetch on reconnect, one retry, as specified. A server that was away is a
 * reconnect.
 */
export function makeQueryClient(): QueryClient {
  // The library assumes a network until an `offline` event. A page loaded offline would miss the reconnect.
  onlineManager.setOnline(navigator.onLine);
  // A session that ended elsewhere shows up in any answer: fetch the user again.
  const onError = (error: Error) => {
    if (refusalCode(error) === 'not_signed_in') void client.resetQueries({ queryKey: ['user'] });
  };
  const client = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => query.queryKey[0] === 'user' || onError(error),
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        refetchOnWindowFocus: false,
        // Even data that is seconds old may have changed while offline.
        refetchOnReconnect: 'always',
        retry: 1,
        retryDelay,
        staleTime: 15_000,
        networkMode: 'offlineFirst',
        throwOnError: false,
      },
      mutations: { retry: 1, retryDelay, networkMode: 'offlineFirst' },
    },
  });
  onServerBack(() => client.getQueryCache().onOnline());
  return client;
}

type Variables<A extends Act> = { input: InputFor<A> | FormData; key: string };
type Options<A extends Act> = {
  onSuccess?: (answer: AnswerOf<A>, input: InputFor<A> | FormData) => void | Promise<void>;
  onError?: (error: Error) => void;
};

/**
 * A change by an act: `const send = useAct(sendMessage)`, then `send.mutate({ … })` or `await send.perform({ … })`.
 * Each call gets an idempotency key that its retry reuses, so a retried change happens once. Asks for the password if
 * the server requires it.
 *
 * The sign-in forms pass a promise of the act to keep the schemas out of their first paint: `useAct(async () => (await
 * accountActs()).loginUser)`.
 */
export function useAct<A extends Act>(
  which: A | (() => Promise<A>),
  { onSuccess, onError }: Options<A> = {},
) {
  const options: UseMutationOptions<AnswerOf<A>, Error, Variables<A>> = {
    mutationFn: async (variables) => {
      const [{ performWithReauth }, known] = await Promise.all([
        lazyApi(),
        typeof which === 'function' ? which() : which,
      ]);
      return performWithReauth(known, variables);
    },
    // No retry after a rate limit (a retry would only count against it) or after a cancelled password prompt.
    retry: (tries, error) =>
      tries < 1 && !isAbort(error) && refusalCode(error) !== 'too_many_requests',
  };
  if (onSuccess) options.onSuccess = (answer, { input }) => onSuccess(answer, input);
  if (onError) options.onError = onError;
  const { mutate, mutateAsync, isPending, error, data, reset } = useMutation(options);
  return {
    mutate: (input: InputFor<A> | FormData) => mutate({ input, key: newIdempotencyKey() }),
    perform: (input: InputFor<A> | FormData) => mutateAsync({ input, key: newIdempotencyKey() }),
    busy: isPending,
    error,
    data,
    reset,
  };
}
