import type { CustomerState } from '#contract/operator/customers.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const stateTone: Record<CustomerState, Tone> = {
  active: 'success',
  suspended: 'danger',
  frozen: 'warning',
  closing: 'warning',
  closed: 'neutral',
};
