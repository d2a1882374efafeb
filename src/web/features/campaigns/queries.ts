import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { type Campaign, getCampaign, listCampaigns } from '#contract/campaigns.ts';
import { perform } from '#web/api/act.ts';
import { campaignKey } from '#web/features/campaigns/queryKeys.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

/** The poll interval of a running campaign in a visible tab: no event carries its progress. */
const UNDER_WAY_MS = 1_000;

/** True while its figures change by themselves. */
export const isUnderWay = ({ status, becoming, messages }: Campaign): boolean =>
  status === 'running' ||
  becoming !== null ||
  messages.waiting > 0 ||
  messages.sent > messages.delivered;

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: [...campaignKey, id],
    queryFn: ({ signal }) => perform(getCampaign, { campaign_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? UNDER_WAY_MS : false),
  });

export function useCampaignChanged(): (campaign?: Campaign) => void {
  const client = useQueryClient();
  return (campaign) => {
    if (campaign) client.setQueryData(campaignQuery(campaign.id).queryKey, campaign);
    void client.invalidateQueries({ queryKey: listKey(listCampaigns) });
  };
}
