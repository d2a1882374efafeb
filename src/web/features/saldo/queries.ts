import { queryOptions } from '@tanstack/react-query';
import { getTopup, listTopups, type Topup } from '#contract/saldo.ts';
import { perform } from '#web/api/act.ts';
import { recentTopups } from '#web/features/saldo/topups/topups.ts';

/** How often a payment is looked for while one is waited for, should no live event report it. */
const LOOK_MS = 5_000;

/** One top-up; looked at every 5 s until it is paid or over. */
export const topupQuery = (id: string) =>
  queryOptions({
    queryKey: ['topups', id],
    queryFn: ({ signal }) => perform(getTopup, { topup_id: id }, { signal }),
    refetchInterval: ({ state }) => (waits(state.data) ? LOOK_MS : false),
  });

/** What the page lists of top-ups: all that wait to be paid, and the last of the others. */
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

/** Whether money is still awaited for it, by a transfer or by somebody who looks at one. */
const waits = (topup: Topup | undefined): boolean =>
  topup?.status === 'pending' || topup?.status === 'review' || topup?.status === 'creating';
