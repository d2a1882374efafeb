import { exactNumber } from '#contract/messages/peer.ts';
import { knownNumbers, optedOutOf } from '#server/domains/messages/messages.ts';
import type { CampaignRef } from '#server/domains/campaigns/row.ts';
import { recipientStates } from '#server/domains/campaigns/row.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { identifier, json } from '#server/infra/postgres/sql.ts';
import type { Recipient } from './judge.ts';

const ROWS_AT_ONCE = 5_000;

/**
 * The recipients of a list, where numbers that the account knows exactly as they are written win over the
 * normalisation: an export may have lost the `+` of a number abroad in a spreadsheet.
 */
export async function withKnownPeers(
  tx: Tx,
  accountId: string,
  recipients: readonly Recipient[],
): Promise<readonly Recipient[]> {
  const exact = new Map<string, string>();
  for (const { written } of recipients) {
    const digits = exactNumber(written);
    if (digits !== undefined) exact.set(written, digits);
  }
  if (exact.size === 0) return recipients;
  const known = await knownNumbers(tx, accountId, [...new Set(exact.values())]);
  if (known.size === 0) return recipients;
  const seen = new Set<string>();
  return recipients.map((one) => {
    const digits = exact.get(one.written);
    const peer = digits !== undefined && known.has(digits) ? digits : one.peer;
    const isDuplicate = peer !== null && seen.has(peer);
    if (peer !== null) seen.add(peer);
    return { ...one, peer, isDuplicate };
  });
}

/** Stores the recipients of a new draft. Those that get nothing are marked with the reason. */
export async function storeRecipients(
  tx: Tx,
  { accountId, campaignId }: CampaignRef,
  recipients: readonly Recipient[],
): Promise<void> {
  for (let from = 0; from < recipients.length; from += ROWS_AT_ONCE) {
    const some = recipients.slice(from, from + ROWS_AT_ONCE);
    // PostgreSQL has no lists of lists of different lengths: the cells of a line travel as JSON.
    await tx`
      insert into campaign_recipients (account_id, campaign_id, place, written, peer, cells, state)
      select ${accountId}, ${campaignId}, i.place, i.written, i.peer,
        array(select jsonb_array_elements_text(i.cells)), i.state
      from unnest(
        ${some.map((_, index) => from + index + 1)}::int[],
        ${some.map(({ written }) => written)}::text[],
        ${some.map(({ peer }) => peer)}::text[],
        ${some.map(({ cells }) => json(cells))}::jsonb[],
        ${some.map(stateOf)}::text[]
      ) as i(place, written, peer, cells, state)`;
  }
}

const stateOf = ({ peer, isDuplicate }: Recipient) =>
  peer === null ? 'invalid' : isDuplicate ? 'duplicate' : 'waiting';

/**
 * Judges the recipients of a draft anew that may be sent to: who has opted out of its token, and who lacks a value
 * of a variable that has nothing to fall back on.
 *
 * @param needed the places of the columns that must not be empty, from 1.
 */
export async function judgeRecipients(
  tx: Tx,
  { accountId, campaignId, tokenId }: CampaignRef & { tokenId: string },
  needed: readonly number[],
): Promise<void> {
  const stopped = await optedOutOf(tx, { accountId, tokenId });
  // Sub-queries that are asked once: of a condition of lists, each line would walk the whole list.
  const judged = tx`
    case
      when peer in (select unnest(${stopped}::text[])) then 'opted_out'
      when exists (
        select from unnest(${[...needed]}::int[]) as n(at) where coalesce(cells[n.at], '') = ''
      ) then 'incomplete'
      else 'waiting'
    end`;
  // In one walk: joined with itself the table, which nobody has counted yet, is walked anew for each of its lines.
  await tx`
    update campaign_recipients set state = ${judged}
    where account_id = ${accountId} and campaign_id = ${campaignId}
      and state in ('waiting', 'opted_out', 'incomplete') and state <> ${judged}`;
  await recount(tx, { accountId, campaignId });
}

/** Counts the recipients of a draft by their states. */
async function recount(tx: Tx, { accountId, campaignId }: CampaignRef): Promise<void> {
  const found = await tx<{ state: string; n: number }[]>`
    select state, count(*)::int as n from campaign_recipients
    where account_id = ${accountId} and campaign_id = ${campaignId} group by state`;
  const counts = new Map(found.map(({ state, n }) => [state, n]));
  const [first, ...others] = recipientStates.map(
    (state) => tx`${identifier(state)} = ${counts.get(state) ?? 0}`,
  );
  await tx`
    update campaigns set ${others.reduce((all, one) => tx`${all}, ${one}`, first ?? tx``)}
    where account_id = ${accountId} and campaign_id = ${campaignId}`;
}
