import { queryOptions } from '@tanstack/react-query';
import { listExports } from '#contract/exports/exports.ts';
import { perform } from '#web/api/act.ts';
import { exportsKey } from '#web/features/exports/queryKeys.ts';

/** The account's files of the last 24 hours, the newest first; their progress comes by the live stream. */
export const exportsQuery = queryOptions({
  queryKey: exportsKey,
  queryFn: async ({ signal }) => (await perform(listExports, {}, { signal })).exports,
});
