import { queryOptions } from '@tanstack/react-query';
import { getTopup, listTopups, type Topup } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';
import { recentTopups } from '#web/features/saldo/topups/topups.ts';

/** The poll interval of a pending payment, in case no live event reports it. */
const LOOK_MS = 5_000;

/** One top-up; polled every 5 s until it is paid or closed. */
export const topupQuery = (id: string) =>
  queryOptions({
    queryKey: ['topups', id],
    queryFn: ({ signal }) => perform(getTopup, { topup_id: id }, { signal }),
    refetchInterval: ({ state }) => (waits(state.data) ? LOOK_MS : false),
  });

/** The page's list of top-ups: all pending ones, and the last of the others. */
export const recentTopupsQuery = queryOptions({
  queryKey: ['topups', 'recent'],
  queryFn: async ({ signal }) => {
    const [pending, newest] = await Promise.all([
      perform(listTopups, { status: 'pending' }, { signal }),
      perform(listTopups, {}, { signal }),
    ]);
    return recentTopups(pending.rows, newest.rows);
  },
  refetchInterval: ({ state }) => (state.data?.some(waits) ? LOOK_MS : false),
});

const waits = (topup: Topup | undefined): boolean =>
  topup?.status === 'pending' || topup?.status === 'review' || topup?.status === 'creating';
