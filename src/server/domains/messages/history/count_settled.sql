-- Moves the counts of messages from their old status to the new one; what is given back, or waived,
-- costs nothing. Called by settle_batch under the wallet's lock; only the owner may call it. Locks
-- the rollups' rows.
create or replace function count_settled(
  p_account uuid, m_id uuid[], m_token uuid[], m_type text[], m_old text[], m_next text[],
  m_price bigint[], m_before text[], m_charge text[]
) returns void
language plpgsql as $$
begin
  with change as materialized (
    select d.hour, d.token, d.status, d.type, sum(d.n) as messages,
      sum(case when d.charge in ('released', 'waived') then 0 else d.n * d.price end) as cost
    from (
      select date_trunc('hour', uuid_time(i.id)) as hour, i.token, i.type, i.price, s.*
      from unnest(m_id, m_token, m_type, m_old, m_next, m_price, m_before, m_charge)
        as i(id, token, type, old, next, price, before, charge)
      cross join lateral (values (i.old, -1, i.before), (i.next, 1, coalesce(i.charge, i.before)))
        as s(status, n, charge)
      where i.old <> i.next
    ) d
    group by 1, 2, 3, 4
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select p_account, hour, token, 'out', status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  )
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select p_account, grain, wib_since(grain, hour), token, 'out', status, type, sum(messages)
    from change cross join unnest(array['day', 'month']) as grain group by 2, 3, 4, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages;
end
$$;

revoke all on function count_settled from public;
