import type { Broadcast, BroadcastState } from '#contract/operator/broadcasts.ts';
import { broadcastAudienceLabel } from '#contract/operator/broadcasts.ts';
import { formatNumber } from '#contract/base/money.ts';
import type { Tone } from '#web/ui/status/StatusChip.tsx';

export const broadcastTones: Record<BroadcastState, Tone> = {
  scheduled: 'info',
  shown: 'success',
  over: 'neutral',
  stopped: 'warning',
};

export const audienceWords = ({ audience, plan }: Pick<Broadcast, 'audience' | 'plan'>): string =>
  plan === null ? broadcastAudienceLabel[audience] : `Paket ${plan}`;

export const wayWords = ({
  by_push,
  by_message,
}: Pick<Broadcast, 'by_message' | 'by_push'>): string =>
  ['Spanduk', ...(by_push ? ['push'] : []), ...(by_message ? ['pesan'] : [])].join(', ');

export const deliveryWords = ({ people, waiting }: Broadcast['told']): string =>
  `${formatNumber(people - waiting)} dari ${formatNumber(people)} orang`;
