import type { Suspension } from '#contract/accounts.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';
import { newId } from '#server/infra/ids.ts';

/** A suspension or reinstatement by an operator, with the reason that users read. */
type AccountChange = {
  accountId: string;
  becomes: 'suspended' | 'active';
  reason: string;
  operatorId: string;
  at: Date;
};

/**
 * Suspends a customer's account or reinstates it, and records the operator and the reason. A suspension ends all its
 * sessions; users who sign in again read the reason, and can reach customer support. Without a change of state nothing
 * happens. Call `sessions.evict` with the sessions after COMMIT.
 *
 * @returns the ended sessions; `undefined` if nothing was changed.
 */
export async function changeAccount(
  tx: Tx,
  { accountId, becomes, reason, operatorId, at }: AccountChange,
): Promise<string[] | undefined> {
  const [changed] = await tx`
    update accounts set status = ${becomes}
    where account_id = ${accountId} and not is_system
      and status = ${becomes === 'active' ? 'suspended' : 'active'} returning 1`;
  if (!changed) return undefined;
  await tx`
    insert into account_suspensions (account_id, suspension_id, becomes, reason, operator_id, at)
    values (${accountId}, ${newId()}, ${becomes}, ${reason}, ${operatorId}, ${at})`;
  if (becomes === 'active') return [];
  const ended = await tx<{ id: string }[]>`
    update sessions set revoked_at = statement_timestamp()
    where account_id = ${accountId} and revoked_at is null returning session_id as id`;
  return ended.map(({ id }) => id);
}

export async function suspensionOf(
  sql: Sql | Tx,
  accountId: string,
): Promise<Suspension | undefined> {
  const [row] = await sql<{ reason: string; at: Date }[]>`
    select reason, at from account_suspensions
    where account_id = ${accountId} and becomes = 'suspended' order by suspension_id desc limit 1`;
  return row && { reason: row.reason, at: row.at.toISOString() };
}

type SuspensionStep = Omit<AccountChange, 'accountId'>;

const STEPS_MAX = 10;

export async function suspensionSteps(sql: Sql, accountId: string): Promise<SuspensionStep[]> {
  const found = await sql<SuspensionStep[]>`
    select becomes, reason, operator_id as "operatorId", at from account_suspensions
    where account_id = ${accountId} order by suspension_id desc limit ${STEPS_MAX}`;
  return [...found];
}
