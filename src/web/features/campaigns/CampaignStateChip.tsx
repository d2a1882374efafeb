import type { Campaign } from '#contract/campaigns.ts';
import { stateOf } from '#web/features/campaigns/labels.ts';
import { StatusChip } from '#web/ui/status/StatusChip.tsx';

export function CampaignStateChip({ campaign }: { campaign: Campaign }) {
  const { label, tone } = stateOf(campaign, new Date());
  return <StatusChip tone={tone}>{label}</StatusChip>;
}
