import { queryOptions } from '@tanstack/react-query';
import { homeSummary } from '#contract/messages.ts';
import { perform } from '#web/api/act.ts';

export const homeQuery = queryOptions({
  queryKey: ['home'],
  queryFn: ({ signal }) => perform(homeSummary, {}, { signal }),
  // After a step of the checklist it must show as done, and live events do not report every step.
  staleTime: 0,
  // No event reports the result of webhook attempts: a failing one is polled.
  refetchInterval: ({ state: { data } }) =>
    data?.attention.some(({ reason }) => reason === 'webhook_erring') ? 60_000 : false,
});
