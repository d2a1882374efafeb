import { queryOptions } from '@tanstack/react-query';
import { listExports } from '#contract/exports.ts';
import { perform } from '#web/api/act.ts';
import { exportsKey } from '#web/features/exports/queryKeys.ts';

/** The poll interval of a file's progress: the live stream reports only start and completion. */
const PROGRESS_MS = 1_500;

/** The account's files of the last 24 hours, newest first, and how many more can be made today. */
export const exportsQuery = queryOptions({
  queryKey: exportsKey,
  queryFn: ({ signal }) => perform(listExports, {}, { signal }),
  refetchInterval: ({ state: { data } }) =>
    data?.exports.some(({ status }) => status === 'waiting' || status === 'working')
      ? PROGRESS_MS
      : false,
});
