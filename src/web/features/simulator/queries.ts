import { queryOptions } from '@tanstack/react-query';
import { writtenPeer } from '#contract/messages/peer.ts';
import { simulatedPhone } from '#contract/simulator.ts';
import { perform } from '#web/api/act.ts';

const LOOK_MS = 1_500;

export const phoneQuery = (phone: string) =>
  queryOptions({
    queryKey: ['simulator', phone],
    queryFn: ({ signal }) => perform(simulatedPhone, { phone: writtenPeer(phone) }, { signal }),
    refetchInterval: LOOK_MS,
  });

/** The outcome of a fixed number, as defined by the network; it never changes. */
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
