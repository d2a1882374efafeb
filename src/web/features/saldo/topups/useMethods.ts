import { useQuery, queryOptions } from '@tanstack/react-query';
import { recentTopupsQuery } from '#web/features/saldo/queries.ts';
import { lastMethodOf } from '#web/features/saldo/topups/methods.ts';
import { listTopupMethods } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

/** The payment methods, and the last used one, which is known together with them so that nothing moves later. */
export function useMethods() {
  const offer = useQuery(methodsQuery);
  const recent = useQuery(recentTopupsQuery);
  return {
    ...offer.data,
    last: lastMethodOf(recent.data ?? []),
    isPending: offer.isPending || recent.isPending,
    error: offer.error,
    refetch: offer.refetch,
  };
}

export type Methods = ReturnType<typeof useMethods>;

const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: ({ signal }) => perform(listTopupMethods, {}, { signal }),
  staleTime: 60_000,
});
