import { exactNumber } from '#contract/messages/peer.ts';
import { knownNumbers, optedOutOf, recordNames } from '#server/domains/messages/messages.ts';
import type { CampaignRef } from '#server/domains/campaigns/row.ts';
import { recipientStates } from '#server/domains/campaigns/row.ts';
import { variableKey } from '#contract/campaigns.ts';
import type { Tx } from '#server/infra/postgres/database.ts';
import { identifier, json } from '#server/infra/postgres/sql.ts';
import { type Recipient, numberJudge } from './judge.ts';

const ROWS_AT_ONCE = 5_000;

/**
 * Replaces the normalized number of a recipient if the account knows the number exactly as written: a spreadsheet may
 * have lost the `+` of a foreign number.
 *
 * @param seen the peers of earlier rows of the list; those of these rows are added
 */
export async function withKnownPeers<T extends Omit<Recipient, 'cells'>>(
  tx: Tx,
  accountId: string,
  recipients: readonly T[],
  seen = new Set<string>(),
): Promise<readonly T[]> {
  const exact = new Map<string, string>();
  for (const { written } of recipients) {
    const digits = exactNumber(written);
    if (digits !== undefined) exact.set(written, digits);
  }
  const known =
    exact.size === 0
      ? new Set<string>()
      : await knownNumbers(tx, accountId, [...new Set(exact.values())]);
  return recipients.map((one) => {
    const digits = exact.get(one.written);
    const peer = digits !== undefined && known.has(digits) ? digits : one.peer;
    const isDuplicate = peer !== null && seen.has(peer);
    if (peer !== null) seen.add(peer);
    return { ...one, peer, isDuplicate };
  });
}

const nameColumns = ['nama', 'nama lengkap', 'nama pelanggan', 'nama penerima', 'name'];

/** The position of the column with the recipients' names, from 0; -1 without one. */
function nameColumnOf(columns: readonly string[]): number {
  const keys = columns.map(variableKey);
  return keys.indexOf(nameColumns.find((name) => keys.includes(name)) ?? '');
}

/**
 * Stores the recipients of a new draft, and their names as contacts'. If one gets nothing, its state is the reason.
 *
 * @param columns the names of their cells
 */
export async function storeRecipients(
  tx: Tx,
  { accountId, campaignId }: CampaignRef,
  { recipients, columns }: { recipients: readonly Recipient[]; columns: readonly string[] },
): Promise<void> {
  const nameAt = nameColumnOf(columns);
  for (let from = 0; from < recipients.length; from += ROWS_AT_ONCE) {
    const some = recipients.slice(from, from + ROWS_AT_ONCE);
    // As JSON: PostgreSQL has no arrays of rows of different lengths.
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
  if (nameAt === -1) return;
  const names = recipients.map(({ peer, cells }) => ({ peer, name: cells[nameAt] ?? '' }));
  await recordNamesIn(tx, accountId, names);
}

/** All at once: the first row of a number names it, and contacts are locked in one order. */
const recordNamesIn = (
  tx: Tx,
  accountId: string,
  list: readonly { peer: string | null; name: string }[],
): Promise<void> => {
  const names = list.flatMap(({ peer, name }) => (peer === null ? [] : [{ peer, name }]));
  return recordNames(tx, accountId, 'list', names);
};

/**
 * Swaps the number column of a draft with another of its columns. All recipients need new judgement: call
 * `judgeRecipients` next.
 *
 * @param column position of the column among `columns`, from 1
 */
export async function swapNumberColumn(
  tx: Tx,
  { accountId, campaignId, columns }: CampaignRef & { columns: readonly string[] },
  column: number,
): Promise<void> {
  const nameAt = nameColumnOf(columns.with(column - 1, ''));
  const judge = numberJudge();
  const seen = new Set<string>();
  const named: { peer: string | null; name: string }[] = [];
  for (let last = 0; ;) {
    const rows = await tx<{ place: number; written: string; name: string }[]>`
      select place, coalesce(cells[${column}::int], '') as written,
        coalesce(cells[${nameAt + 1}::int], '') as name
      from campaign_recipients
      where account_id = ${accountId} and campaign_id = ${campaignId} and place > ${last}
      order by place limit ${ROWS_AT_ONCE}`;
    const read = rows.map(({ place, name, written }) => ({ place, name, ...judge(written) }));
    const judged = await withKnownPeers(tx, accountId, read, seen);
    await tx`
      update campaign_recipients r
      set cells[${column}::int] = r.written, written = i.written, peer = i.peer, state = i.state
      from unnest(
        ${judged.map(({ place }) => place)}::int[],
        ${judged.map(({ written }) => written)}::text[],
        ${judged.map(({ peer }) => peer)}::text[],
        ${judged.map(stateOf)}::text[]
      ) as i(place, written, peer, state)
      where r.account_id = ${accountId} and r.campaign_id = ${campaignId} and r.place = i.place`;
    if (nameAt !== -1) named.push(...judged.map(({ peer, name }) => ({ peer, name })));
    last = rows.at(-1)?.place ?? last;
    if (rows.length < ROWS_AT_ONCE) break;
  }
  await recordNamesIn(tx, accountId, named);
}

const stateOf = ({ peer, isDuplicate }: Omit<Recipient, 'cells'>) =>
  peer === null ? 'invalid' : isDuplicate ? 'duplicate' : 'waiting';

/**
 * Judges a draft's recipients again: those who opted out of its token, and those without a value for a variable that
 * has no fallback.
 *
 * @param needed positions, from 1, of the columns that must not be empty
 */
export async function judgeRecipients(
  tx: Tx,
  { accountId, campaignId, tokenId }: CampaignRef & { tokenId: string },
  needed: readonly number[],
): Promise<void> {
  const stopped = await optedOutOf(tx, { accountId, tokenId });
  // Subqueries that run once; a condition on lists would scan the whole list for each row.
  const judged = tx`
    case
      when peer in (select unnest(${stopped}::text[])) then 'opted_out'
      when exists (
        select from unnest(${[...needed]}::int[]) as n(at) where coalesce(cells[n.at], '') = ''
      ) then 'incomplete'
      else 'waiting'
    end`;
  // One scan: joined with itself, the table, which has no statistics yet, is scanned again for each row.
  await tx`
    update campaign_recipients set state = ${judged}
    where account_id = ${accountId} and campaign_id = ${campaignId}
      and state in ('waiting', 'opted_out', 'incomplete') and state <> ${judged}`;
  await recount(tx, { accountId, campaignId });
}

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
