import { RECIPIENTS_MAX } from '#contract/campaigns/campaign.ts';
import { queuedBulk, takeBack } from '#server/domains/messages/messages.ts';
import type { CampaignDeps } from '#server/domains/campaigns/deps.ts';
import { announce } from '#server/domains/campaigns/manage/lock.ts';
import type { Claimed } from './place.ts';
import { placeOfRef, refsOf } from './refs.ts';

/**
 * Has a campaign stand still, or end, as it was asked to: what has not left is taken back. When it goes on, those
 * recipients are placed anew, under another reference; when it ends, they get none, as all that still wait.
 */
export async function finishBecoming(deps: CampaignDeps, claimed: Claimed): Promise<void> {
  const { allAccountsSql, now, onStored } = deps;
  const { accountId, campaignId, owner, becoming } = claimed;
  if (becoming === null) return;
  await allAccountsSql.begin(async (tx) => {
    const [still] = await tx`
      select from campaigns
      where account_id = ${accountId} and campaign_id = ${campaignId} and owner = ${owner} for update`;
    if (!still) return;
    // In this transaction: what is taken back is written down, or stays where it is.
    const queued = await queuedBulk(tx, claimed, refsOf(campaignId));
    // Its own alone: anybody with a key of the account may have placed another under such a reference.
    const places = queued.map(({ ref }) => placeOfRef(ref)).filter((at) => at <= RECIPIENTS_MAX);
    const own = await tx<{ id: string }[]>`
      select message_id as id from campaign_recipients
      where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'placed'
        and place = any (${places}::int[]) and message_id = any (${queued.map(({ id }) => id)}::uuid[])`;
    const ids = own.map(({ id }) => id);
    const taken = ids.length === 0 ? [] : await takeBack(tx, accountId, ids);
    const state = becoming === 'paused' ? 'waiting' : 'cancelled';
    const { count: back } = await tx`
      update campaign_recipients set state = ${state}, taken_back = taken_back + 1,
        message_id = ${becoming === 'paused' ? null : tx`message_id`}
      where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'placed'
        and place = any (${places}::int[]) and message_id = any (${[...taken]}::uuid[])`;
    const ended =
      becoming === 'paused'
        ? 0
        : (
            await tx`
              update campaign_recipients set state = 'cancelled'
              where account_id = ${accountId} and campaign_id = ${campaignId} and state = 'waiting'`
          ).count;
    await tx`
      update campaigns set becoming = null, owner = null, status = ${becoming}, rests_until = null,
        pause_reason = ${becoming === 'paused' ? 'wanted' : null},
        placed = placed - ${back}, taken_back = taken_back + ${back},
        waiting = waiting + ${becoming === 'paused' ? back : -ended},
        cancelled = cancelled + ${becoming === 'paused' ? 0 : back + ended},
        ended_at = ${becoming === 'paused' ? null : now()}
      where account_id = ${accountId} and campaign_id = ${campaignId}`;
    await announce(tx, claimed);
  });
  onStored();
}
