import { queryOptions, useQueryClient } from '@tanstack/react-query';
import {
  type Campaign,
  getCampaign,
  listCampaigns,
  OPEN_CAMPAIGNS_MAX,
} from '#contract/campaigns.ts';
import { perform } from '#web/api/act.ts';
import { fullListQuery } from '#web/api/lists/fullList.ts';
import { campaignKey } from '#web/features/campaigns/queryKeys.ts';
import { listKey } from '#web/ui/table/list/useList.ts';

/** The poll interval of a running campaign in a visible tab: no event carries its progress. */
const UNDER_WAY_MS = 1_000;

/** True while its figures change by themselves: the counts of its messages follow a moment after it is done. */
export const isUnderWay = ({ status, becoming, messages, recipients }: Campaign): boolean => {
  const { waiting, sent, delivered, failed, cancelled, expired } = messages;
  return (
    status === 'running' ||
    becoming !== null ||
    waiting > 0 ||
    sent > delivered ||
    waiting + sent + failed + cancelled + expired < recipients.placed
  );
};

export const campaignQuery = (id: string) =>
  queryOptions({
    queryKey: [...campaignKey, id],
    queryFn: ({ signal }) => perform(getCampaign, { campaign_id: id }, { signal }),
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? UNDER_WAY_MS : false),
  });

/** Whether the account has as many unfinished campaigns as it may. */
export const campaignsFullQuery = fullListQuery(listCampaigns, OPEN_CAMPAIGNS_MAX, {
  status: 'open',
});

export function useCampaignChanged(): (campaign?: Campaign) => void {
  const client = useQueryClient();
  return (campaign) => {
    if (campaign) client.setQueryData(campaignQuery(campaign.id).queryKey, campaign);
    void client.invalidateQueries({ queryKey: listKey(listCampaigns) });
  };
}
