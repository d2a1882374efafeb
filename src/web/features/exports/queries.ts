import { queryOptions } from '@tanstack/react-query';
import { listExports } from '#contract/exports.ts';
import { perform } from '#web/api/act.ts';
import { exportsKey } from '#web/features/exports/queryKeys.ts';

/** How often it is asked how far a file is: that one is begun or made comes by the live stream, what is between does not. */
const PROGRESS_MS = 1_500;

/** The account's files of the last 24 hours, the newest first. */
export const exportsQuery = queryOptions({
  queryKey: exportsKey,
  queryFn: async ({ signal }) => (await perform(listExports, {}, { signal })).exports,
  refetchInterval: ({ state: { data } }) =>
    data?.some(({ status }) => status === 'waiting' || status === 'working') ? PROGRESS_MS : false,
});
