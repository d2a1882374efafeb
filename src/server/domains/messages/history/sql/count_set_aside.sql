-- Erases what was set aside of events about some numbers, because it cannot be published, and counts what
-- it changed: otherwise they would be published later, or be missed in the counts.
-- Called while an account is erased. Locks the outbox rows, then the rollups.
create or replace function count_set_aside(p_account uuid, p_peers text[]) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  c_hour timestamptz[];
  c_token uuid[];
  c_direction text[];
  c_status text[];
  c_type text[];
  c_messages bigint[];
  c_cost bigint[];
begin
  select array_agg(date_trunc('hour', uuid_time(c.message_id))), array_agg(c.token_id),
      array_agg(case when c.kind = 'message.received' then 'in' else 'out' end), array_agg(s.status),
      array_agg(c.type), array_agg(s.messages), array_agg(s.cost)
    into c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost
    from take_set_aside(p_account, p_peers) c
    cross join lateral (values
      (c.status_before, -1::bigint, -c.cost_before), (c.status, 1::bigint, c.cost)
    ) as s(status, messages, cost)
    where c.type is not null and s.status is not null;
  if c_hour is not null then
    perform add_counts(
      array_fill(p_account, array[cardinality(c_hour)]), c_hour, c_token, c_direction, c_status, c_type,
      c_messages, c_cost
    );
  end if;
end
$$;

revoke all on function count_set_aside from public;
grant execute on function count_set_aside to kabari_app;
