import { WEBHOOK_LIMITS } from '#contract/webhooks/webhook.ts';
import { untilNone } from '#server/infra/account-data.ts';
import type { Sql, Tx } from '#server/infra/postgres/database.ts';

/** A webhook whose first deliveries are to be forgotten: those that are old, or all, where it was removed. */
type Prunable = { accountId: string; webhookId: string; isGone: boolean };

/**
 * Forgets deliveries after 30 days with their tries, and what is left of webhooks that are gone, a few thousand
 * rows at a time. What still waits is forgotten too: the event itself is erased by then.
 */
export async function pruneDeliveries(allAccountsSql: Sql): Promise<void> {
  for (const prunable of await findPrunable(allAccountsSql)) {
    await untilNone((limit) => forgetFirst(allAccountsSql, prunable, limit));
  }
  // A lane in which nothing waits any more goes when it is claimed.
  await allAccountsSql`
    delete from webhook_lanes l
    where not exists (
      select from webhooks w where w.account_id = l.account_id and w.webhook_id = l.webhook_id)`;
}

const old = (sql: Sql | Tx) =>
  sql`clock_timestamp() - make_interval(days => ${WEBHOOK_LIMITS.keptDays})`;

/** Looks at the first delivery of each webhook. */
const findPrunable = (all: Sql): Promise<Prunable[]> =>
  all<Prunable[]>`
    with recursive known (account_id, webhook_id, at) as (
      (select account_id, webhook_id, at from webhook_deliveries
        order by account_id, webhook_id, position limit 1)
      union all
      select next.* from known k cross join lateral (
        select d.account_id, d.webhook_id, d.at from webhook_deliveries d
        where (d.account_id, d.webhook_id) > (k.account_id, k.webhook_id)
        order by d.account_id, d.webhook_id, d.position limit 1
      ) next
    )
    select k.account_id as "accountId", k.webhook_id as "webhookId", w.webhook_id is null as "isGone"
    from known k left join webhooks w on w.webhook_id = k.webhook_id
    where w.webhook_id is null or k.at < ${old(all)}`;

/** Forgets those of a webhook's first deliveries that are to be: positions rise with the time of their events. */
export async function forgetFirst(
  sql: Sql | Tx,
  { accountId, webhookId, isGone }: Prunable,
  limit: number,
): Promise<number> {
  const { count } = await sql`
    with gone as (
      delete from webhook_deliveries where ctid = any(array(
        select first.ctid from (
          select d.ctid, d.at from webhook_deliveries d
          where d.account_id = ${accountId} and d.webhook_id = ${webhookId}
          order by d.position limit ${limit}
        ) first ${isGone ? sql`` : sql`where first.at < ${old(sql)}`}))
      returning account_id, delivery_id
    ), tries as (
      delete from webhook_attempts a using gone
        where a.account_id = gone.account_id and a.delivery_id = gone.delivery_id
    )
    select from gone`;
  return count;
}
