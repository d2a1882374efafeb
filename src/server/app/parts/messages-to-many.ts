import { type Campaigns, openCampaigns } from '#server/domains/campaigns/campaigns.ts';
import type { Media } from '#server/domains/media/media.ts';
import type { Messages } from '#server/domains/messages/messages.ts';
import type { Infra, Pools } from '#server/app/infra.ts';

/** Messages to many, placed as the public API places them. */
export const openMessagesToMany = (
  { config, now, report }: Infra,
  { tenantSql: sql, allAccountsSql }: Pools,
  { media, messages }: { media: Media; messages: Messages },
): Campaigns =>
  openCampaigns({
    sql,
    allAccountsSql,
    send: messages.api.send,
    uploads: media.uploads,
    adopt: media.library.adopt,
    pacePerSecond: () => config.LANE_PACE_PER_SECOND,
    now,
    report,
  });
