import { sweepHits } from '#server/infra/acts/limits.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * Removes what has ended: codes a day after they were asked for, sessions beyond any use, used
 * captchas that expired, and counters whose window is two days gone. Safe to repeat and to run on
 * two nodes.
 *
 * Ended sessions stay for 30 days: the places they tell of are where their people are known.
 */
export async function sweepAccounts(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from otp_challenges where created_at < clock_timestamp() - interval '1 day'`;
  await allAccountsSql`delete from sessions where created_at < clock_timestamp() - interval '31 days'`;
  await allAccountsSql`delete from password_grants where expires_at < clock_timestamp()`;
  await allAccountsSql`delete from known_devices where seen_at < clock_timestamp() - interval '400 days'`;
  await allAccountsSql`delete from captchas_used where expires_at < clock_timestamp() - interval '1 hour'`;
  await sweepHits(allAccountsSql);
}
