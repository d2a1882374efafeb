import { Refusal } from '#contract/base/refusals.ts';
import { markFrom } from '#server/domains/campaigns/work/count.ts';
import {
  type CampaignRef,
  type StoredCampaign,
  readCampaign,
} from '#server/domains/campaigns/row.ts';
import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import { type Tx, asAccount } from '#server/infra/postgres/database.ts';
import { announce, lockCampaign } from './lock.ts';

/**
 * Starts a draft: the worker places it from now on, or from its time on.
 *
 * @throws Refusal `campaign_state` when it was started already; `campaign_incomplete`; `token_not_linked` while its token
 *   has no number to send with
 */
export const startDraft = (deps: CampaignDeps, ref: CampaignRef): Promise<StoredCampaign> =>
  changed(deps, ref, async (tx) => {
    const { accountId, campaignId } = ref;
    const draft = await lockCampaign(tx, ref);
    if (draft.status !== 'draft') throw new Refusal('campaign_state', {});
    if (draft.content === null) throw new Refusal('campaign_incomplete', { missing: 'content' });
    if (draft.waiting === 0) throw new Refusal('campaign_incomplete', { missing: 'recipients' });
    const { token } = await readCampaign(tx, ref);
    const isAble = token.status === 'linked' || token.status === 'disconnected';
    if (!isAble || token.isDeleted) throw new Refusal('token_not_linked', {});
    await markFrom(tx, accountId);
    await tx`
      update campaigns set status = 'running', started_at = ${deps.now()}
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  });

/** Has a campaign stand still, or end: what has not left is taken back by the worker. */
export const stopCampaign = (
  deps: CampaignDeps,
  ref: CampaignRef,
  becoming: 'paused' | 'cancelled',
): Promise<StoredCampaign> =>
  changed(deps, ref, async (tx) => {
    const { accountId, campaignId } = ref;
    const { status, becoming: already } = await lockCampaign(tx, ref);
    if (already === becoming || (already === 'cancelled' && becoming === 'paused')) return;
    const isUnderWay = status === 'running' || (status === 'paused' && becoming === 'cancelled');
    if (!isUnderWay) throw new Refusal('campaign_state', {});
    await tx`
      update campaigns set becoming = ${becoming}
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  });

/** Lets a campaign that stands still go on. */
export const resumeCampaignOf = (deps: CampaignDeps, ref: CampaignRef): Promise<StoredCampaign> =>
  changed(deps, ref, async (tx) => {
    const { accountId, campaignId } = ref;
    const { status, becoming } = await lockCampaign(tx, ref);
    if (status !== 'paused' || becoming !== null) throw new Refusal('campaign_state', {});
    await tx`
      update campaigns set status = 'running', pause_reason = null, rests_until = null
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
  });

async function changed(
  { sql, onStored }: CampaignDeps,
  ref: CampaignRef,
  work: (tx: Tx) => Promise<void>,
): Promise<StoredCampaign> {
  const stored = await asAccount(sql, ref.accountId, async (tx) => {
    await work(tx);
    await announce(tx, ref);
    return readCampaign(tx, ref);
  });
  onStored();
  return stored;
}
