import { queryOptions } from '@tanstack/react-query';
import { getExport, listSessions } from '#contract/people.ts';
import { perform } from '#web/api/act.ts';

/** Sessions end elsewhere, and are used: the list is looked at again this often. */
const SESSIONS_MS = 15_000;
/** An archive that is being made is looked at this often. */
const EXPORT_MS = 1_500;

/** The person's sessions, this one first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await perform(listSessions, {}, { signal })).rows,
  refetchInterval: SESSIONS_MS,
});

/** The newest archive of everything the account holds, or null. */
export const exportQuery = queryOptions({
  queryKey: ['my_export'],
  queryFn: async ({ signal }) => (await perform(getExport, {}, { signal })).export,
  refetchInterval: ({ state: { data } }) =>
    data?.status === 'waiting' || data?.status === 'working' ? EXPORT_MS : false,
});
