import { queryOptions } from '@tanstack/react-query';
import { getExport, listSessions } from '#contract/people.ts';
import { perform } from '#web/api/act.ts';

/** The poll interval of the sessions: they end elsewhere, and are used. */
const SESSIONS_MS = 15_000;
const EXPORT_MS = 1_500;

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await perform(listSessions, {}, { signal })).rows,
  refetchInterval: SESSIONS_MS,
});

export const exportQuery = queryOptions({
  queryKey: ['my_export'],
  queryFn: ({ signal }) => perform(getExport, {}, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.export?.status === 'waiting' || data?.export?.status === 'working' ? EXPORT_MS : false,
});
