import { queryOptions } from '@tanstack/react-query';
import { saldoUsage } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

/** Often enough for a chart of days; refetching with every message would be wasted. */
const LOOK_MS = 60_000;

export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => perform(saldoUsage, {}, { signal }),
  refetchInterval: LOOK_MS,
});
