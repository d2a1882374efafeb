import { Refusal } from '#contract/base/refusals.ts';
import { bankReference } from '#contract/base/text.ts';
import type { OperatorTopup } from '#contract/operator/payments.ts';
import {
  type OperatorTies,
  isSecondFor,
  namesOfPeople,
} from '#server/domains/accounts/accounts.ts';
import type { Config } from '#server/infra/config.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** What one operator proposed, as another sees it. */
export type Proposal = NonNullable<OperatorTopup['proposal']>;

/** Who is gone is still somebody. */
export const SOMEBODY = 'operator lain';

/** Limits of one operator within a day: for one customer, and for all customers. */
export type Limits = Pick<Config, 'FOUR_EYES_ABOVE' | 'FOUR_EYES_DAY_ABOVE'>;

/** Sums that an operator gave alone within a day, of every kind: by customer, and in all. */
export type GivenAlone = { byAccount: Map<string, number>; total: number };

/** Whether an amount takes two operators, with what one gave alone before. */
export const needsTwo = (
  config: Limits,
  { accountId, amount }: { accountId: string; amount: number },
  { byAccount, total }: GivenAlone,
): boolean =>
  amount + (byAccount.get(accountId) ?? 0) > config.FOUR_EYES_ABOVE ||
  amount + total > config.FOUR_EYES_DAY_ABOVE;

/** Gifts of one operator add up for this long, so that a large sum cannot be split. */
const TOGETHER_MS = 86_400_000;

/**
 * Reads what an operator gave alone: gifts by hand (`given_by_desk`); confirmations by a reference that no line of
 * another operator has shown since; and top-ups paid by statements that they imported, from when a line began to count.
 * A line that was set aside shows nothing, and neither do the imports of related operators. Locks nothing; where it
 * decides, it is called under `lockAlone`.
 */
export async function givenAlone(
  sql: Sql | Tx,
  { ties: { together, related }, at }: { ties: OperatorTies; at: Date },
): Promise<GivenAlone> {
  const since = new Date(at.getTime() - TOGETHER_MS);
  const found = await sql<{ account_id: string; amount: number }[]>`
    select given.account_id, sum(given.amount)::bigint as amount from (
      select desk.o_account as account_id, desk.o_amount as amount
      from given_by_desk(${[...together]}::uuid[], ${since}) desk
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

/** One decision at a time of operators whose sums count together; before every other lock of the transaction. */
export const lockAlone = (tx: Tx, { together }: OperatorTies): PromiseLike<unknown> => tx`
  select pg_advisory_xact_lock(7206323, hashtext(id)) from (
    select id from unnest(${[...together]}::text[]) as id order by hashtext(id)
  ) ids`;

/** Whether a bank line shows the money to an operator: a file can be made up, so that of a relative shows nothing. */
export const showsTo = ({ related }: OperatorTies, importedBy: string | null): boolean =>
  importedBy === null || !related.includes(importedBy);

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

/** Counts the proposed confirmations that an operator may complete. */
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
 * The first of two presses is recorded; the same reference by another operator completes it. Another
 * reference is a new proposal in place of the former. The top-up's row is locked.
 *
 * @returns who proposed what is completed now; undefined when it was only proposed.
 * @throws Refusal `topup_needs_another` when who proposed it presses again, `operator_not_independent` when this
 *   operator is no second person for it.
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
    /** Whether it is tried again by itself. */
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
