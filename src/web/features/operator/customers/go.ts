import type { FoundRecord } from '#contract/operator/customers.ts';
import { navigate } from '#web/browser/router/navigation.ts';

export const recordKinds = [
  'message',
  'token',
  'topup',
  'invoice',
] as const satisfies FoundRecord['kind'][];

type Field =
  | 'page'
  | 'sort_by'
  | 'sort_type'
  | 'q'
  | 'state'
  | 'plan'
  | 'saldo'
  | 'open'
  | (typeof recordKinds)[number];

export const go = (
  change: { [K in Field]?: string | number | undefined },
  { replace = false, top = false } = {},
) =>
  void navigate({
    to: '/operator/pelanggan',
    change: change as Record<string, never>,
    resetScroll: top,
    replace,
  });
