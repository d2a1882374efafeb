import { WEBHOOK_LIMITS } from '#contract/webhooks/webhook.ts';
import { untilNone } from '#server/infra/account-data.ts';
import type { Sql } from '#server/infra/postgres/database.ts';

/**
 * Forgets deliveries and tries after 30 days, and what is left of webhooks that are gone, a few thousand rows
 * at a time. What still waits is forgotten too: the event itself is erased by then.
 */
export async function pruneDeliveries(allAccountsSql: Sql): Promise<void> {
  const days = WEBHOOK_LIMITS.keptDays;
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from webhook_attempts where ctid = any(array(
        select ctid from webhook_attempts
        where at < clock_timestamp() - make_interval(days => ${days}) limit ${limit}))`;
    return count;
  });
  await untilNone(async (limit) => {
    const { count } = await allAccountsSql`
      delete from webhook_deliveries where ctid = any(array(
        select ctid from webhook_deliveries
        where at < clock_timestamp() - make_interval(days => ${days}) limit ${limit}))`;
    return count;
  });
  await pruneOrphans(allAccountsSql);
}

/** Lanes and deliveries of webhooks that were removed. A lane in which nothing waits any more goes when it is claimed. */
async function pruneOrphans(allAccountsSql: Sql): Promise<void> {
  const gone = await allAccountsSql<{ account_id: string; webhook_id: string }[]>`
    with recursive known (account_id, webhook_id) as (
      (select account_id, webhook_id from webhook_deliveries order by account_id, webhook_id limit 1)
      union all
      select next.* from known k cross join lateral (
        select d.account_id, d.webhook_id from webhook_deliveries d
        where (d.account_id, d.webhook_id) > (k.account_id, k.webhook_id)
        order by d.account_id, d.webhook_id limit 1
      ) next
    )
    select account_id, webhook_id from known k
    where not exists (select from webhooks w where w.webhook_id = k.webhook_id)`;
  for (const { account_id: accountId, webhook_id: webhookId } of gone) {
    await untilNone(async (limit) => {
      const { count } = await allAccountsSql`
        with old as (
          delete from webhook_deliveries where ctid = any(array(
            select ctid from webhook_deliveries
            where account_id = ${accountId} and webhook_id = ${webhookId} limit ${limit}))
          returning account_id, delivery_id
        ), tries as (
          delete from webhook_attempts a using old
            where a.account_id = old.account_id and a.delivery_id = old.delivery_id
        )
        select from old`;
      return count;
    });
  }
  await allAccountsSql`
    delete from webhook_lanes l
    where not exists (
      select from webhooks w where w.account_id = l.account_id and w.webhook_id = l.webhook_id)`;
}
