-- Adds to the counts of messages, per hour in rollups, per day and month in rollup_sums; negative numbers
-- take back. Index by index: whose, when, and what of.
-- Called by fold_counts, count_set_aside and erase_notices; only the owner may call it. Locks the rollups
-- in the order of their keys.
create or replace function add_counts(
  p_account uuid[], p_hour timestamptz[], p_token uuid[], p_direction text[], p_status text[],
  p_type text[], p_messages bigint[], p_cost bigint[]
) returns void
language plpgsql as $$
begin
  with change as materialized (
    select account, hour, token, direction, status, type, sum(messages)::bigint as messages,
      sum(cost)::bigint as cost
    from unnest(p_account, p_hour, p_token, p_direction, p_status, p_type, p_messages, p_cost)
      as i(account, hour, token, direction, status, type, messages, cost)
    group by 1, 2, 3, 4, 5, 6 having sum(messages) <> 0 or sum(cost) <> 0
    order by 1, 2, 3, 4, 5, 6
  ), rolled as (
    insert into rollups as u (account_id, hour, token_id, direction, status, type, messages, cost)
    select account, hour, token, direction, status, type, messages, cost from change
    on conflict (account_id, hour, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages, cost = u.cost + excluded.cost
  )
  insert into rollup_sums as u (account_id, grain, since, token_id, direction, status, type, messages)
    select account, grain, wib_since(grain, hour), token, direction, status, type, sum(messages)
    from change cross join unnest(array['day', 'month']) as grain group by 1, 2, 3, 4, 5, 6, 7
    having sum(messages) <> 0 order by 1, 2, 3, 4, 5, 6, 7
    on conflict (account_id, grain, since, token_id, direction, status, type) do update
      set messages = u.messages + excluded.messages;
end
$$;

revoke all on function add_counts from public;
