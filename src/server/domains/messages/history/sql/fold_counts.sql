-- Folds what the events of accounts changed into their rollups, up to the newest event, so that the tail
-- that readers add (pending_counts) stays short. Answers how many changes were folded.
-- Called by the folding job, and before counts are taken back. Accounts that another call is folding are
-- left out, unless p_waits. Why messages failed is counted beside them, in failure_counts: of the few that
-- did, the timeline is read. Locks the accounts' marks, then the rollups.
create or replace function fold_counts(p_account uuid[], p_waits boolean default false) returns bigint
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
set random_page_cost = 0 set cpu_index_tuple_cost = 1 as $$
declare
  v_account uuid[];
  v_from bigint[];
  v_count bigint;
  c_account uuid[];
  c_hour timestamptz[];
  c_token uuid[];
  c_direction text[];
  c_status text[];
  c_type text[];
  c_messages bigint[];
  c_cost bigint[];
begin
  -- Only what is missing: an insert of what stands would wait for whoever is folding it.
  insert into count_marks (account_id, position) select i, 0 from unnest(p_account) as i
    where not exists (select from count_marks m where m.account_id = i)
      and exists (select from message_changes e where e.account_id = i)
    order by i on conflict do nothing;
  if p_waits then
    perform 1 from count_marks where account_id = any (p_account) order by account_id for update;
  end if;
  with open as (
    select account_id, position from count_marks where account_id = any (p_account)
    order by account_id for update skip locked
  )
  select array_agg(account_id), array_agg(position) into v_account, v_from from open;

  with event as materialized (
    select e.* from unnest(v_account, v_from) as m(account, position)
    join message_changes e on e.account_id = m.account and e.position > m.position
  ), marked as (
    update count_marks m set position = e.newest
      from (select account_id, max(position) as newest from event group by account_id) e
      where m.account_id = e.account_id
  ), failed as (
    -- By the timeline: a message that was sent after all does not know any more why it had failed.
    select e.account_id, date_trunc('hour', uuid_time(e.message_id)) as hour, e.token_id,
      coalesce(x.detail, 'rejected') as failure,
      sum(case when e.status = 'failed' then 1 else -1 end) as messages
    from event e left join lateral (
      select detail from message_events s
      where s.account_id = e.account_id and s.message_id = e.message_id and s.kind = 'failed'
      order by s.n desc limit 1
    ) x on true
    where e.type is not null and (e.status = 'failed') <> (coalesce(e.status_before, '') = 'failed')
    group by 1, 2, 3, 4
  ), caused as (
    insert into failure_counts as u (account_id, hour, token_id, failure, messages)
    select account_id, hour, token_id, failure, messages from failed where messages <> 0
    on conflict (account_id, hour, token_id, failure) do update
      set messages = u.messages + excluded.messages
  )
  select count(*), array_agg(e.account_id), array_agg(date_trunc('hour', uuid_time(e.message_id))),
      array_agg(e.token_id),
      array_agg(case when e.kind = 'message.received' then 'in' else 'out' end),
      array_agg(s.status), array_agg(e.type), array_agg(s.messages), array_agg(s.cost)
    into v_count, c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost
    from event e cross join lateral (values
      (e.status_before, -1::bigint, -e.cost_before), (e.status, 1::bigint, e.cost)
    ) as s(status, messages, cost)
    where e.type is not null and s.status is not null;
  if v_count > 0 then
    perform add_counts(
      c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost
    );
  end if;
  return v_count;
end
$$;

revoke all on function fold_counts from public;
grant execute on function fold_counts to kabari_app;
