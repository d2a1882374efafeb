import type { AdjustmentStatus } from '#contract/operator/books.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

/** The colour of a proposal's status; its label says the same. */
export const proposalTone: Record<AdjustmentStatus, Tone> = {
  pending: 'warning',
  done: 'success',
  refused: 'danger',
  withdrawn: 'neutral',
  expired: 'neutral',
};
