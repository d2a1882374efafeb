-- Hands the next messages of lanes to their owner, in order, and marks them `sending` under the lane's
-- epoch; lanes of any number of accounts in one call. At most one message per phone is on its way: later
-- ones to the same phone wait for it, unless it is only scheduled, or they are more urgent. p_urgent:
-- only one-time codes (priority 0). p_nth tells the lanes apart in the answer.
-- o_unsure_ms is null for what certainly has not left; else how much longer a receipt of an earlier
-- try is to be awaited. A row without o_id says what else there is to know of a lane, in o_state: `lost`
-- (another worker has it: nothing was handed out), `away` (its token no longer sends from p_from, or
-- its account is suspended), `drained` (beside what is on its way, nothing waits in it, also not for later).
-- Called by the owner of lanes. Locks the lanes (key share), then the rows it takes.
create or replace function claim_messages(
  p_nth int[], p_account uuid[], p_token uuid[], p_epoch bigint[], p_limit int[], p_urgent boolean[],
  p_from text[]
) returns table (
  o_nth int, o_state text, o_id uuid, o_peer text, o_type text, o_body jsonb, o_secret text,
  o_attempt int, o_unknowns int, o_expired boolean, o_unsure_ms int
)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off
set random_page_cost = 0 set cpu_index_tuple_cost = 1 as $$
declare
  v_now timestamptz;
  v_owned text[] := (owned_lanes(p_account, p_token, p_epoch)).owned;
begin
  v_now := clock_timestamp();
  return query
  with lane as materialized (
    select i.nth, i.account, i.token, i.epoch, i.max, i.urgent, case
        when (lane_key(i.token, i.epoch) = any (v_owned)) is not true then 'lost'
        when (t.phone = i.phone and t.status = 'linked' and t.deleted_at is null
          and not t.account_suspended) is not true then 'away' end as state
    from unnest(p_nth, p_account, p_token, p_epoch, p_limit, p_urgent, p_from)
      as i(nth, account, token, epoch, max, urgent, phone)
    left join lateral (
      select * from tokens k where k.account_id = i.account and k.token_id = i.token limit 1
    ) t on true
  ), next as (
    select lane.nth, lane.account, lane.epoch, due.message_id
    from lane cross join lateral (
      select d.message_id from dispatch d
      where d.account_id = lane.account and d.token_id = lane.token
        and d.state in ('ready', 'unknown') and d.ready_at <= v_now
        and d.priority <= case when lane.urgent then 0 else 2 end
        and not exists (
          select from dispatch e
          where e.account_id = lane.account and e.token_id = lane.token and e.peer = d.peer
            and e.message_id < d.message_id and e.priority <= d.priority
            and not (e.state = 'ready' and e.attempt = 0 and e.ready_at > v_now)
        )
      order by d.priority, d.message_id limit lane.max for update skip locked
    ) due
    where lane.state is null
  ), taken as materialized (
    update dispatch d
      set state = 'sending', epoch = n.epoch, attempt = d.attempt + 1, tried_at = v_now
      from next n where d.account_id = n.account and d.message_id = n.message_id
      returning n.nth, d.account_id, d.message_id, d.secret, d.attempt, d.unknowns, d.priority,
        coalesce(d.expires_at <= v_now, false) as expired, case when d.unsure_until is not null
          then greatest(0, extract(epoch from d.unsure_until - v_now) * 1000)::int end as unsure_ms
  )
  select * from (
    select t.nth, null::text, t.message_id, m.peer, m.type, m.body, t.secret, t.attempt, t.unknowns,
      t.expired, t.unsure_ms
    from taken t
    cross join lateral (
      select * from messages x where x.account_id = t.account_id and x.message_id = t.message_id limit 1
    ) m
    order by t.nth, t.priority, t.message_id
  ) handed
  union all
  select l.nth, coalesce(l.state, 'drained'), null, null, null, null, null, null, null, null, null
  from lane l
  left join lateral (
    -- Never more than one row beyond those that were taken or are on their way.
    select d.message_id from dispatch d
    where d.account_id = l.account and d.token_id = l.token and d.state <> 'sending'
      and d.message_id <> all (array(select t.message_id from taken t where t.nth = l.nth))
    order by d.priority, d.message_id limit 1
  ) more on l.state is null
  where l.state is not null or more.message_id is null;
end
$$;

revoke all on function claim_messages from public;
grant execute on function claim_messages to kabari_app;
