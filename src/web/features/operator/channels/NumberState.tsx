import type { ConnectedNumber } from '#contract/operator/overview.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { statusTone } from '#web/features/tokens/tokens.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

/** A pause comes before a restriction: the number sends no message. */
export const NumberState = ({
  number: { status, restriction, paused },
}: {
  number: ConnectedNumber;
}) =>
  status === 'linked' && (restriction || paused) ? (
    <StatusChip tone="warning">{paused ? 'Dijeda' : 'Dibatasi'}</StatusChip>
  ) : (
    <StatusChip tone={statusTone[status]}>{tokenStatusLabel[status]}</StatusChip>
  );
