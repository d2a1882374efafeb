import { queryOptions } from '@tanstack/react-query';
import { writtenPeer } from '#contract/messages/peer.ts';
import { simulatedPhone } from '#contract/simulator.ts';
import { perform } from '#web/api/act.ts';

/** A phone looks for news this often while its page is in sight. */
const LOOK_MS = 1_500;

/** A simulated phone as it lies there: switches, links, lines. */
export const phoneQuery = (phone: string) =>
  queryOptions({
    queryKey: ['simulator', phone],
    queryFn: ({ signal }) => perform(simulatedPhone, { phone: writtenPeer(phone) }, { signal }),
    refetchInterval: LOOK_MS,
  });

/** What a number with a fixed outcome does, as the network says it; that never changes. */
export const outcomeQuery = (phone: string) =>
  queryOptions({
    queryKey: ['simulator-outcome', phone],
    queryFn: async ({ signal }) => {
      const { fixed_outcome } = await perform(
        simulatedPhone,
        { phone: writtenPeer(phone) },
        { signal },
      );
      return fixed_outcome;
    },
    staleTime: Infinity,
  });
