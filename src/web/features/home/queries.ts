import { queryOptions } from '@tanstack/react-query';
import { homeSummary } from '#contract/messages.ts';
import { perform } from '#web/api/act.ts';

/** Everything that Beranda shows. */
export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => perform(homeSummary, {}, { signal }),
  // Coming back from a step of the checklist must show it done; live events do not report all of them.
  staleTime: 0,
});
