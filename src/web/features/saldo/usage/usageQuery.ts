import { queryOptions } from '@tanstack/react-query';
import { saldoUsage } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';

/** Often enough for a chart of days; asking at every message would be for nothing. */
const LOOK_MS = 60_000;

/** What went out by day, and at which pace. */
export const usageQuery = queryOptions({
  queryKey: ['usage'],
  queryFn: ({ signal }) => perform(saldoUsage, {}, { signal }),
  refetchInterval: LOOK_MS,
});
