import { Refusal } from '#contract/base/refusals.ts';
import { bankReference } from '#contract/base/text.ts';
import type { OperatorTopup } from '#contract/operator/money/topups.ts';
import { namesOfPeople } from '#server/domains/accounts/accounts.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** What one operator proposed, as another sees it. */
export type Proposal = NonNullable<OperatorTopup['proposal']>;

/** Who is gone is still somebody. */
export const SOMEBODY = 'operator lain';

/**
 * Whether a top-up takes two operators, where no bank line of exactly its total is there that came from
 * elsewhere than the operator's own import.
 *
 * @param total with what the operator vouched for alone for its customer before (`vouchedAlone`).
 */
export const needsTwo = (config: Pick<Config, 'FOUR_EYES_ABOVE'>, total: number): boolean =>
  total > config.FOUR_EYES_ABOVE;

/** What one operator vouched for alone counts together for this long: a large sum is not cut into small ones. */
const TOGETHER_MS = 86_400_000;

/**
 * What one operator vouched for alone within a day, by the accounts it was for: confirmations by a reference
 * whose line has not come from anywhere else, and top-ups paid by statements that they imported.
 */
export async function vouchedAlone(
  sql: Sql | Tx,
  { operatorId, accountIds, at }: { operatorId: string; accountIds: readonly string[]; at: Date },
): Promise<ReadonlyMap<string, number>> {
  if (accountIds.length === 0) return new Map();
  const asked = [...new Set(accountIds)];
  const since = new Date(at.getTime() - TOGETHER_MS);
  const found = await sql<{ account_id: string; sum: number }[]>`
    select account_id, sum(received)::bigint as sum from (
      select d.account_id, t.received
      from topup_decisions d join topups t using (account_id, topup_id)
      where d.account_id = any(${asked}::uuid[]) and d.operator_id = ${operatorId}
        and d.decision = 'confirmed' and d.proposed_by is null and d.at > ${since}
        and not exists (
          select from bank_lines l
          where l.account_id = d.account_id and l.topup_id = d.topup_id and l.amount = t.total
            and l.imported_by is distinct from ${operatorId}
        )
      union all
      select l.account_id, l.amount from bank_lines l
      where l.account_id = any(${asked}::uuid[]) and l.imported_by = ${operatorId}
        and l.received_at > ${since}
        and not exists (
          select from topup_decisions d
          where d.account_id = l.account_id and d.topup_id = l.topup_id
        )
    ) vouched group by account_id`;
  return new Map(found.map(({ account_id, sum }) => [account_id, sum]));
}

type ProposalRow = {
  topup_id: string;
  operator_id: string;
  reference: string;
  reason: string;
  at: Date;
};

/** The proposals of those top-ups that still wait for a decision. */
export async function proposalsOf(
  sql: Sql | Tx,
  topupIds: readonly string[],
  operatorId: string,
): Promise<ReadonlyMap<string, Proposal>> {
  const rows = await sql<ProposalRow[]>`
    select p.topup_id, p.operator_id, p.reference, p.reason, p.at
    from topup_proposals p join topups t using (account_id, topup_id)
    where p.topup_id = any(${[...topupIds]}::uuid[]) and t.status not in ('paid', 'rejected')`;
  const names = await namesOfPeople(
    sql,
    rows.map((row) => row.operator_id),
  );
  return new Map(
    rows.map(({ topup_id, operator_id, ...rest }) => [
      topup_id,
      { by: names.get(operator_id) ?? SOMEBODY, mine: operator_id === operatorId, ...rest },
    ]),
  );
}

/**
 * The first of two presses is recorded; the same reference by another operator completes it. Another
 * reference is a new proposal in place of the former. The top-up's row is locked.
 *
 * @returns who proposed what is completed now; undefined when it was only proposed.
 * @throws Refusal `topup_needs_another` when who proposed it presses again.
 */
export async function proposeFirst(
  tx: Tx,
  proposed: {
    accountId: string;
    topupId: string;
    operatorId: string;
    reference: string;
    reason: string;
    at: Date;
    /** Whether it is tried again by itself. */
    isAgain: boolean;
  },
): Promise<string | undefined> {
  const { accountId, topupId, operatorId, reference, reason, at, isAgain } = proposed;
  const [before] = await tx<ProposalRow[]>`
    select topup_id, operator_id, reference, reason, at from topup_proposals
    where account_id = ${accountId} and topup_id = ${topupId} for update`;
  if (before && bankReference(before.reference) === bankReference(reference)) {
    if (before.operator_id !== operatorId) return before.operator_id;
    // This very proposal stands already, as `isDecided` says of a decision.
    if (isAgain && before.at.getTime() === at.getTime()) return undefined;
    throw new Refusal('topup_needs_another', {});
  }
  await tx`
    insert into topup_proposals (account_id, topup_id, operator_id, reference, reason, at)
    values (${accountId}, ${topupId}, ${operatorId}, ${reference}, ${reason}, ${at})
    on conflict (account_id, topup_id) do update set
      operator_id = excluded.operator_id, reference = excluded.reference,
      reason = excluded.reason, at = excluded.at`;
  return undefined;
}

/** Whether this very decision stands already: its commit was not heard of, and it is tried again. */
export async function isDecided(
  tx: Tx,
  decision: { accountId: string; topupId: string; operatorId: string; at: Date },
): Promise<boolean> {
  const { accountId, topupId, operatorId, at } = decision;
  const decided = await tx`
    select from topup_decisions
    where account_id = ${accountId} and topup_id = ${topupId} and operator_id = ${operatorId}
      and at = ${at}`;
  return decided.length > 0;
}

/** @throws Refusal `topup_decided` when another operator has decided about the locked top-up. */
export async function decidedBefore(
  tx: Tx,
  { accountId, topupId, operatorId }: { accountId: string; topupId: string; operatorId: string },
): Promise<void> {
  const [decided] = await tx<{ operator_id: string }[]>`
    select operator_id from topup_decisions
    where account_id = ${accountId} and topup_id = ${topupId} and operator_id <> ${operatorId}`;
  if (!decided) return;
  const names = await namesOfPeople(tx, [decided.operator_id]);
  throw new Refusal('topup_decided', { by: names.get(decided.operator_id) ?? SOMEBODY });
}
