import { queryOptions } from '@tanstack/react-query';
import { homeSummary } from '#contract/messages.ts';
import { perform } from '#web/api/act.ts';

/** Everything that Beranda shows. */
export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => perform(homeSummary, {}, { signal }),
  // Coming back from a step of the checklist must show it done; live events do not report all of them.
  staleTime: 0,
  // What tries of a webhook come to is reported by no event: one that fails is looked at again.
  refetchInterval: ({ state: { data } }) =>
    data?.attention.some(({ reason }) => reason === 'webhook_erring') ? 60_000 : false,
});
