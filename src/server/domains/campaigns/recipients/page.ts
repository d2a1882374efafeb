import { PAGE_SIZE, type InputOf, type PageOf } from '#contract/base/act.ts';
import type { listRecipients } from '#contract/campaigns.ts';
import type { CampaignRecipient, RecipientState } from '#contract/campaigns.ts';
import { shownPeer } from '#contract/messages/peer.ts';
import { refusalFrom } from '#contract/base/refusals.ts';
import { sentenceFor } from '#contract/language/indonesian.ts';
import { outcomesOf, shownNamesOf, type TokenPeer } from '#server/domains/messages/messages.ts';
import {
  readCampaign,
  recipientStates,
  type StoredCampaign,
} from '#server/domains/campaigns/row.ts';
import { type Sql, asAccount } from '#server/infra/postgres/database.ts';

export type StoredRecipient = {
  place: number;
  written: string;
  peer: string | null;
  cells: string[];
  state: RecipientState;
  message_id: string | null;
  refusal: unknown;
};

export function recipientsPage(
  sql: Sql,
  accountId: string,
  { campaign_id: campaignId, state, page = 0, sort_type }: InputOf<typeof listRecipients>,
): Promise<PageOf<CampaignRecipient>> {
  return asAccount(sql, accountId, async (tx) => {
    const campaign = await readCampaign(tx, { accountId, campaignId });
    const counted = state === undefined ? recipientStates : [state];
    let total = 0;
    for (const one of counted) total += campaign[one];
    const isLastFirst = sort_type === 'desc';
    const skipped = page * PAGE_SIZE;
    // Positions have no gaps, so a page of all recipients is a range.
    const which =
      state !== undefined
        ? tx`and state = ${state}`
        : isLastFirst
          ? tx`and place <= ${total - skipped}`
          : tx`and place > ${skipped}`;
    const found = await tx<StoredRecipient[]>`
      select place, written, peer, cells, state, message_id, refusal from campaign_recipients
      where account_id = ${accountId} and campaign_id = ${campaignId} ${which}
      order by place ${isLastFirst ? tx`desc` : tx`asc`}
      offset ${state === undefined ? 0 : skipped} limit ${PAGE_SIZE}`;
    const ids = found.flatMap(({ message_id }) => message_id ?? []);
    const outcomes = await outcomesOf(tx, accountId, ids);
    const names = await shownNamesOf(tx, accountId, peersOf(campaign, found));
    return {
      rows: found.map(({ message_id, peer, cells, refusal, ...rest }, at) => ({
        ...rest,
        peer: peer && shownPeer(peer),
        peer_name: names[at] ?? null,
        values: cells,
        reason: reasonOf(refusal),
        message: (message_id !== null && outcomes.get(message_id)) || null,
      })),
      total,
    };
  });
}

export const peersOf = (
  { token_id: tokenId }: StoredCampaign,
  recipients: readonly StoredRecipient[],
): TokenPeer[] => recipients.map(({ peer }) => ({ tokenId, peer }));

export function reasonOf(refusal: unknown): string | null {
  const known = refusal === null ? undefined : refusalFrom(refusal);
  return known ? sentenceFor(known) : null;
}
