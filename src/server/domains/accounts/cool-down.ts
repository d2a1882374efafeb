import type { Tx } from '#server/infra/postgres/database.ts';

/**
 * Records that the account was recovered with a one-time code only. For a day from then, by the
 * database's clock, other domains refuse what a thief could use against its owner.
 *
 * The row is locked before the clock is read: what was created under that lock counts as before, what
 * waits for it as after.
 */
export async function beginCoolDown(
  tx: Tx,
  accountId: string,
  cause: 'password_reset' | 'phone_changed',
): Promise<void> {
  await tx`select 1 from accounts where account_id = ${accountId} for no key update`;
  await tx`
    update accounts set cooling_since = statement_timestamp(), cooling_cause = ${cause}
    where account_id = ${accountId}`;
}
