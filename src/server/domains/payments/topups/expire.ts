import { type Sql, retrying } from '#server/infra/postgres/database.ts';

/** Top-ups closed in one transaction. */
const BATCH = 500;

/**
 * Expires bank transfers after their time, and frees amounts after their reservation. Those with a slip or a
 * proposal wait for an operator instead, in review. What goes through a gateway is expired by its poller, which
 * asks the gateway before.
 *
 * A job calls it every minute; any number of nodes may.
 *
 * @returns how many were closed, those in review among them, and how many amounts were freed.
 */
export async function expireTopups({
  allAccountsSql,
  now,
}: {
  allAccountsSql: Sql;
  now: () => Date;
}): Promise<{ expired: number; freed: number }> {
  const at = now();
  let expired = 0;
  for (let closedNow = BATCH; closedNow === BATCH; expired += closedNow) {
    closedNow = await retrying(async () => {
      const done = await allAccountsSql`
        update topups set status = due.next from (
          select account_id, topup_id, case when exists (
              select from topup_proofs p
              where p.account_id = topups.account_id and p.topup_id = topups.topup_id
            ) or exists (
              select from topup_proposals p
              where p.account_id = topups.account_id and p.topup_id = topups.topup_id
            ) then 'review' else 'expired' end as next
          from topups
          where status = 'pending' and provider = 'bank' and expires_at <= ${at}
          order by expires_at limit ${BATCH} for update skip locked
        ) due
        where topups.account_id = due.account_id and topups.topup_id = due.topup_id`;
      return done.count;
    });
  }
  const freed = await allAccountsSql`delete from reserved_transfers where reserved_until <= ${at}`;
  return { expired, freed: freed.count };
}
