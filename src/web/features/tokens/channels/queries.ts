import { queryOptions } from '@tanstack/react-query';
import { listChannels, getConnection, getCloud } from '#contract/channels.ts';
import { perform } from '#web/api/act.ts';

/** No event reports a first call by Meta. */
const AWAITED_MS = 4_000;
/** No event reports receipts and uptime either. */
const HEALTH_MS = 30_000;

export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: async ({ signal }) => (await perform(listChannels, {}, { signal })).channels,
});

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id, 'connection'],
    queryFn: ({ signal }) => perform(getConnection, { token_id: id }, { signal }),
    refetchInterval: HEALTH_MS,
  });

export const cloudQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id, 'cloud'],
    queryFn: ({ signal }) => perform(getCloud, { token_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data && data.verified_at === null ? AWAITED_MS : HEALTH_MS,
  });
