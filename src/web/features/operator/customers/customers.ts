import type { CustomerState, FoundRecord } from '#contract/operator/customers.ts';
import { navigate } from '#web/browser/router/navigation.ts';
import type { Search } from '#web/browser/router/routes.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

const PAGE = '/operator/pelanggan';

export const recordKinds = [
  'message',
  'token',
  'topup',
  'invoice',
] as const satisfies FoundRecord['kind'][];

export const goCustomers = (change: Search<typeof PAGE>, { top = false } = {}): void =>
  void navigate({ to: PAGE, change, resetScroll: top });

export const stateTone: Record<CustomerState, Tone> = {
  active: 'success',
  suspended: 'danger',
  frozen: 'warning',
  closing: 'warning',
  closed: 'neutral',
};
