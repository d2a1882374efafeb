import { Refusal } from '#contract/base/refusals.ts';
import { bankReference } from '#contract/base/text.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import { type OperatorTies, isSecondFor, userNames } from '#server/domains/accounts/accounts.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

export type Proposal = NonNullable<OperatorTopup['proposal']>;

export const UNKNOWN_OPERATOR = 'operator lain';

/** Limits of one operator per day: for one customer, and for all customers. */
export type Limits = Pick<Config, 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE'>;

/** Sums that an operator gave alone within a day: by customer, and in total. */
export type GivenAlone = { byAccount: Map<string, number>; total: number };

/** Whether an amount needs two operators, given the sums of one. */
export const needsTwo = (
  config: Limits,
  { accountId, amount }: { accountId: string; amount: number },
  { byAccount, total }: GivenAlone,
): boolean =>
  amount + (byAccount.get(accountId) ?? 0) > config.FOUR_EYES_ABOVE ||
  amount + total > config.FOUR_EYES_DAY_ABOVE;

/** Gifts of one operator within this time are summed, so that a large sum cannot be split. */
const WINDOW_MS = 86_400_000;

/**
 * Reads the sums that an operator gave alone: gifts by hand (`sum_unapproved_credits`); confirmations by a reference
 * that no line of another operator has shown since; and top-ups paid by statements that they imported, from the time a
 * line began to count. Lines that are set aside and imports of related operators prove nothing. Takes no locks; a
 * decision must hold `lockAlone`.
 */
export async function givenAlone(
  sql: Sql | Tx,
  { ties: { together, related }, at }: { ties: OperatorTies; at: Date },
): Promise<GivenAlone> {
  const since = new Date(at.getTime() - WINDOW_MS);
  const found = await sql<{ account_id: string; amount: number }[]>`
    select given.account_id, sum(given.amount)::bigint as amount from (
      select desk.o_account as account_id, desk.o_amount as amount
      from sum_unapproved_credits(${[...together]}::uuid[], ${since}) desk
      union all
      select d.account_id, t.received
      from topup_decisions d
      join topups t on t.account_id = d.account_id and t.topup_id = d.topup_id
      where d.operator_id = any (${[...together]}::uuid[]) and d.decision = 'confirmed'
        and d.proposed_by is null and d.at > ${since}
        and not exists (
          select from bank_lines l
          where l.account_id = d.account_id and l.topup_id = d.topup_id and l.amount = t.total
            and l.dismissed_at is null
            and (l.imported_by is null or l.imported_by <> all (${[...related]}::uuid[]))
        )
      union all
      select l.account_id, l.amount from bank_lines l
      where greatest(l.received_at, l.both_at) > ${since} and l.account_id is not null
        and (
          l.imported_by = any (${[...together]}::uuid[])
          or (l.both_by = any (${[...together]}::uuid[]) and l.imported_by = any (${[...related]}::uuid[]))
        )
        and not exists (
          select from topup_decisions d
          where d.account_id = l.account_id and d.topup_id = l.topup_id
        )
    ) given group by given.account_id`;
  return {
    byAccount: new Map(found.map(({ account_id, amount }) => [account_id, amount])),
    total: found.reduce((sum, { amount }) => sum + amount, 0),
  };
}

/** One decision at a time among operators with common sums; take it before every other lock. */
export const lockAlone = (tx: Tx, { together }: OperatorTies): PromiseLike<unknown> => tx`
  select pg_advisory_xact_lock(7206323, hashtext(id)) from (
    select id from unnest(${[...together]}::text[]) as id order by hashtext(id)
  ) ids`;

/** Whether a bank line proves the money to an operator: a file can be made up, so a related operator's does not. */
export const provesTo = ({ related }: OperatorTies, importedBy: string | null): boolean =>
  importedBy === null || !related.includes(importedBy);

type ProposalRow = {
  topup_id: string;
  operator_id: string;
  reference: string;
  reason: string;
  at: Date;
};

export async function proposalsOf(
  sql: Sql | Tx,
  topupIds: readonly string[],
  operatorId: string,
): Promise<ReadonlyMap<string, Proposal>> {
  const rows = await sql<ProposalRow[]>`
    select p.topup_id, p.operator_id, p.reference, p.reason, p.at
    from topup_proposals p join topups t using (account_id, topup_id)
    where p.topup_id = any(${[...topupIds]}::uuid[]) and t.status not in ('paid', 'rejected')`;
  const names = await userNames(
    sql,
    rows.map((row) => row.operator_id),
  );
  return new Map(
    rows.map(({ topup_id, operator_id, ...rest }) => [
      topup_id,
      { by: names.get(operator_id) ?? UNKNOWN_OPERATOR, mine: operator_id === operatorId, ...rest },
    ]),
  );
}

export async function countProposedFor(
  sql: Sql | Tx,
  { related, isNew }: OperatorTies,
): Promise<number> {
  if (isNew) return 0;
  const [found] = await sql<{ count: number }[]>`
    select count(*) as count from topup_proposals p join topups t using (account_id, topup_id)
    where t.status not in ('paid', 'rejected') and p.operator_id <> all(${[...related]}::uuid[])`;
  return found?.count ?? 0;
}

/**
 * Records a first proposal; a proposal of the same reference by another operator completes it. Another reference
 * replaces the earlier proposal. The caller has locked the top-up's row.
 *
 * @returns the proposer when it is completed now; undefined when it was only proposed.
 * @throws Refusal `topup_needs_another` when the proposer repeats it, `operator_not_independent` when this operator is
 *   not independent of the proposer.
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
    ties: OperatorTies;
    isAgain: boolean;
  },
): Promise<string | undefined> {
  const { accountId, topupId, operatorId, reference, reason, at, ties, isAgain } = proposed;
  const [before] = await tx<ProposalRow[]>`
    select topup_id, operator_id, reference, reason, at from topup_proposals
    where account_id = ${accountId} and topup_id = ${topupId} for update`;
  if (before && bankReference(before.reference) === bankReference(reference)) {
    if (before.operator_id !== operatorId) {
      if (isSecondFor(ties, before.operator_id)) return before.operator_id;
      throw new Refusal('operator_not_independent', {});
    }
    // An earlier attempt stored this proposal; compare `isDecided`.
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

/** Whether an earlier attempt stored this decision, whose commit was not acknowledged. */
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
  const names = await userNames(tx, [decided.operator_id]);
  throw new Refusal('topup_decided', { by: names.get(decided.operator_id) ?? UNKNOWN_OPERATOR });
}
