import type { Sql } from '#server/infra/postgres/database.ts';

type Figure = { labels?: Record<string, string>; value: number };

/** Webhooks by how they stand: well, failing, paused, or off, and who or what switched them off. */
export async function countWebhooks(allAccountsSql: Sql): Promise<Figure[]> {
  const found = await allAccountsSql<{ state: string; value: number }[]>`
    select case
        when state = 'off' then 'off: ' || off_reason
        when paused_until > clock_timestamp() then 'paused'
        when failing_since is not null then 'failing'
        else 'well' end as state,
      count(*)::int as value
    from webhooks group by 1 order by 1`;
  return found.map(({ state, value }) => ({ labels: { state }, value }));
}

/** How long the webhook that has waited longest might have been sent to: high where a worker is missing. */
export const webhookLagSeconds = (allAccountsSql: Sql): Promise<Figure[]> =>
  allAccountsSql<Figure[]>`
    select coalesce(greatest(0, extract(epoch from clock_timestamp() - min(due_at))), 0)::float8 as value
    from webhooks where due_at is not null`;
