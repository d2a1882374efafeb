-- Removes from the outbox what was set aside of an account because it cannot be published, and names some
-- numbers; answers what it changed, message by message.
-- Called by count_set_aside; only the owner may call it. Locks the rows.
create or replace function take_set_aside(p_account uuid, p_peers text[])
returns table (
  kind text, message_id uuid, token_id uuid, type text, status text, status_before text, cost bigint,
  cost_before bigint
)
language plpgsql as $$
begin
  return query
  with gone as (
    delete from outbox o where o.account_id = p_account and o.tries > 0 and o.peers && p_peers
      returning o.*
  )
  select g.kind, i.*
  from gone g cross join lateral unnest(
    g.message_ids, g.token_ids, g.types, g.statuses, g.statuses_before, g.costs, g.costs_before
  ) as i(message_id, token_id, type, status, status_before, cost, cost_before)
  where g.types is not null;
end
$$;

revoke all on function take_set_aside from public;
