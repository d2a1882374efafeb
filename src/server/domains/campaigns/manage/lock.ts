import { publicId } from '#contract/base/ids.ts';
import { appendEvent } from '#server/domains/events/events.ts';
import { type CampaignRef, type StoredCampaign, notFound } from '#server/domains/campaigns/row.ts';
import type { Tx } from '#server/infra/postgres/database.ts';

/** What is known of a campaign by its row alone. */
export type LockedCampaign = Pick<
  StoredCampaign,
  | 'token_id'
  | 'name'
  | 'status'
  | 'becoming'
  | 'content'
  | 'number_column'
  | 'columns'
  | 'starts_at'
  | 'pace'
  | 'waiting'
  | 'placed'
>;

/** Reads a campaign; nobody changes it until the transaction ends. @throws Refusal `not_found` */
export async function lockCampaign(
  tx: Tx,
  { accountId, campaignId }: CampaignRef,
): Promise<LockedCampaign> {
  const [row] = await tx<LockedCampaign[]>`
    select token_id, name, status, becoming, content, number_column, columns, starts_at, pace,
      waiting, placed
    from campaigns where account_id = ${accountId} and campaign_id = ${campaignId} for update`;
  if (!row) throw notFound();
  return row;
}

/** Tells open pages that a campaign has changed. */
export const announce = (tx: Tx, { accountId, campaignId }: CampaignRef): Promise<void> =>
  appendEvent(tx, {
    accountId,
    kind: 'campaign.changed',
    data: { campaign_id: publicId('campaign', campaignId) },
  });
