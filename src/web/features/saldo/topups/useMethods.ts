import { useQuery } from '@tanstack/react-query';
import { recentTopupsQuery } from '#web/features/saldo/queries.ts';
import { lastMethodOf } from '#web/features/saldo/topups/methods.ts';
import { methodsQuery } from '#web/features/saldo/topups/methodsQuery.ts';

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
