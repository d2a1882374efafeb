import { sweepHits } from '#server/infra/acts.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * Removes what has expired: codes a day after they were requested, old sessions, used captchas, and
 * counters whose window ended two days ago. Safe to repeat and to run on two nodes.
 *
 * Ended sessions stay for 30 days: sign-in recognises people by the addresses of their sessions.
 */
export async function sweepAccounts(allAccountsSql: Sql): Promise<void> {
  await allAccountsSql`delete from otp_challenges where created_at < statement_timestamp() - interval '1 day'`;
  await allAccountsSql`delete from second_factor_challenges where expires_at < statement_timestamp()`;
  await allAccountsSql`delete from sessions where created_at < statement_timestamp() - interval '31 days'`;
  await allAccountsSql`delete from password_grants where expires_at < statement_timestamp()`;
  await allAccountsSql`delete from known_devices where seen_at < clock_timestamp() - interval '400 days'`;
  await allAccountsSql`delete from captchas_used where expires_at < statement_timestamp() - interval '1 hour'`;
  await sweepHits(allAccountsSql);
}
