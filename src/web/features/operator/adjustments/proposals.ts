import type { AdjustmentStatus } from '#contract/operator/books.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const proposalTone: Record<AdjustmentStatus, Tone> = {
  pending: 'warning',
  done: 'success',
  refused: 'danger',
  withdrawn: 'neutral',
  expired: 'neutral',
};
