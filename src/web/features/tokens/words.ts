import type { ChannelName, TokenStatus } from '#contract/tokens.ts';
import type { Tone } from '#web/ui/StatusChip.tsx';

/** How a token reaches phones, in the interface's words. */
export const channelLabel: Record<ChannelName, string> = { simulator: 'Simulator' };

export const statusTone: Record<TokenStatus, Tone> = {
  unlinked: 'neutral',
  linking: 'info',
  linked: 'success',
  disconnected: 'danger',
  suspended: 'warning',
};
