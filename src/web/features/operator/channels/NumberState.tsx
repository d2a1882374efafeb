import type { ConnectedNumber } from '#contract/operator/channels.ts';
import { tokenStatusLabel } from '#contract/tokens.ts';
import { statusTone } from '#web/features/tokens/tokens.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

/** How a number stands, in a word: that it is restricted counts more than that it is connected. */
export const NumberState = ({
  number: { status, restriction, paused },
}: {
  number: ConnectedNumber;
}) =>
  status === 'linked' && (restriction || paused) ? (
    <StatusChip tone="warning">{restriction ? 'Dibatasi' : 'Dijeda'}</StatusChip>
  ) : (
    <StatusChip tone={statusTone[status]}>{tokenStatusLabel[status]}</StatusChip>
  );
