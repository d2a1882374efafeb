import { campaignKey } from '#web/features/campaigns/queryKeys.ts';
import { keyIsAbout, type LivePatches } from '#web/live/patches.ts';

const campaigns = keyIsAbout('campaigns', 'campaign_');

export const campaignPatches: LivePatches = {
  follows: (key) => campaigns(key) || key[0] === campaignKey[0],
  on: {
    'token.changed': (_event, cache) => cache.refetch(campaignKey),
    'campaign.changed': ({ campaign_id: id }, cache) => {
      cache.refetch([...campaignKey, id]);
      cache.refetch(campaigns);
    },
  },
};
