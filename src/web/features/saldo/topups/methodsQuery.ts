import { queryOptions } from '@tanstack/react-query';
import { listTopupMethods } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

export const methodsQuery = queryOptions({
  queryKey: ['methods'],
  queryFn: ({ signal }) => perform(listTopupMethods, {}, { signal }),
  staleTime: 60_000,
});
