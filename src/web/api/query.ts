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

const SECOND_TRY_MS = 1_000;

/** At once after a definite no (the server repeats its answer to the same key), else after 1 s. */
const retryDelay = (_tries: number, error: Error): number =>
  isDefinite(error) ? 0 : SECOND_TRY_MS;

/** No refetch on focus, refetch on reconnect, one retry: as specified. */
export function makeQueryClient(): QueryClient {
  // The library believes in a network until it hears that there is none. A page that was loaded
  // without one would not notice that it is back.
  onlineManager.setOnline(navigator.onLine);
  // A session that ended elsewhere shows itself in any answer: ask who is there again.
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
        // Also what is seconds old: it may have changed while nobody could hear of it.
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
  return client;
}

type Variables<A extends Act> = { input: InputFor<A> | FormData; key: string };
type Options<A extends Act> = {
  /** After it was done. */
  onSuccess?: (answer: AnswerOf<A>, input: InputFor<A> | FormData) => void | Promise<void>;
  onError?: (error: Error) => void;
};

/**
 * A change by an act: `const send = useAct(sendMessage)`, then `send.mutate({ … })` or
 * `await send.perform({ … })`. Every call of these gets a key of its own, which its retry keeps: so
 * what is retried is done once. Where the password is wanted once more, the person is asked for it.
 *
 * The forms of signing in give a promise of the act, to keep the schemas off their first paint:
 * `useAct(async () => (await accountActs()).loginUser)`.
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
    // Asked to wait: a second later the answer could only be about what the first try used up. And
    // who would rather not give the password is not asked twice.
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
