import type { Tx } from '#server/infra/postgres/database.ts';

/**
 * Notes that an account has come into hands that only a code vouches for. From then on, by the
 * database's clock, other domains withhold for a day what could be used against its owner.
 *
 * Its row is locked before the moment is taken: whatever was being made under that lock stands before
 * it, and whatever waits for it comes after.
 */
export async function beginCoolDown(
  tx: Tx,
  accountId: string,
  cause: 'password_reset' | 'phone_changed',
): Promise<void> {
  await tx`select 1 from accounts where account_id = ${accountId} for no key update`;
  await tx`
    update accounts set cooling_since = clock_timestamp(), cooling_cause = ${cause}
    where account_id = ${accountId}`;
}
