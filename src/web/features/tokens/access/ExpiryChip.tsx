import { CalendarClock } from 'lucide-react';
import { civilDate } from '#contract/base/time.ts';
import type { Token } from '#contract/tokens.ts';
import { expiryOf } from '#web/features/tokens/access/labels.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function ExpiryChip({ token }: { token: Token }) {
  const state = expiryOf(token, civilDate(new Date()));
  if (state !== 'over' && state !== 'soon') return null;
  return (
    <StatusChip tone={state === 'over' ? 'danger' : 'warning'} icon={<CalendarClock size={14} />}>
      {state === 'over' ? 'Habis masa berlaku' : 'Segera habis'}
    </StatusChip>
  );
}
