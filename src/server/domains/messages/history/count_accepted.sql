-- Counts the accepted items of a batch: per token and day (its daily limit), and in the rollups.
-- Called by accept_batch under the wallet's lock; only the owner may call it. Locks the counts'
-- rows.
create or replace function count_accepted(
  p_account uuid, p_today date, p_id uuid[], p_token uuid[], p_type text[], p_price bigint[],
  p_ready timestamptz[], p_ok boolean[]
) returns void
language plpgsql as $$
begin
  insert into token_days as d (account_id, token_id, day, accepted)
    select p_account, i.token, p_today, count(*) from unnest(p_token, p_ok) as i(token, ok)
    where i.ok group by i.token order by i.token
    on conflict (account_id, token_id, day) do update set accepted = d.accepted + excluded.accepted;

  with change as materialized (
    select date_trunc('hour', uuid_time(i.id)) as hour, i.token,
      case when i.ready is null then 'queued' else 'scheduled' end as status, i.type,
      count(*) as messages, sum(i.price) as cost
    from unnest(p_id, p_token, p_type, p_price, p_ready, p_ok)
      as i(id, token, type, price, ready, ok)
    where i.ok group by 1, 2, 3, 4
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

revoke all on function count_accepted from public;
