import { queryOptions } from '@tanstack/react-query';
import { saldoSummary } from '#contract/saldo-summary.ts';
import { perform } from '#web/api/act.ts';

/** The balance of the signed-in account; live events keep it current. */
export const saldoQuery = queryOptions({
  queryKey: [saldoSummary.name],
  queryFn: ({ signal }) => perform(saldoSummary, {}, { signal }),
});
