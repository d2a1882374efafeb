import { queryOptions } from '@tanstack/react-query';
import { listChannels, getConnection, getCloud } from '#contract/channels.ts';
import { perform } from '#web/api/act.ts';

/** A first call of Meta's is reported by no event. */
const AWAITED_MS = 4_000;
/** Receipts and time connected are reported by no event either. */
const HEALTH_MS = 30_000;

/** The channels that tokens may use here, with their prices. */
export const channelsQuery = queryOptions({
  queryKey: ['channels'],
  queryFn: async ({ signal }) => (await perform(listChannels, {}, { signal })).channels,
});

/** How a token's number stands; null where there is nothing to tell. */
export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id, 'connection'],
    queryFn: ({ signal }) => perform(getConnection, { token_id: id }, { signal }),
    refetchInterval: HEALTH_MS,
  });

/** A token's number of the Cloud API; null while it has none. */
export const cloudQuery = (id: string) =>
  queryOptions({
    queryKey: ['tokens', id, 'cloud'],
    queryFn: ({ signal }) => perform(getCloud, { token_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data && data.verified_at === null ? AWAITED_MS : HEALTH_MS,
  });
