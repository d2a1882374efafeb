-- Key of a lane under an epoch, as used by owned_lanes and renew_lanes.
create or replace function lane_key(p_token uuid, p_epoch bigint) returns text
language sql immutable parallel safe as $$ select p_token || '.' || p_epoch $$;

-- The lanes among these that are still owned under these epochs, each as lane_key(token, epoch): a process may also
-- pass a former epoch of its own. `complete`: all of them are owned. A null epoch names no lane. Called by the
-- functions that change messages of lanes; only the owner may call it. Holds a key share lock on those lanes, so that
-- no worker claims one until the transaction ends, while accepting may still wake them.
create or replace function owned_lanes(
  p_account uuid[], p_token uuid[], p_epoch bigint[], out owned text[], out complete boolean
)
language sql as $$
  with wanted as materialized (
    select distinct i.account, i.token, i.epoch
    from unnest(p_account, p_token, p_epoch) as i(account, token, epoch) where i.epoch is not null
  )
  select array_agg(f.key), count(f.key) = (select count(*) from wanted)
  from (
    select lane_key(l.token_id, l.epoch) as key
    from wanted w
    join lanes l on l.account_id = w.account and l.token_id = w.token and l.epoch = w.epoch
    order by l.account_id, l.token_id for key share of l
  ) f
$$;

revoke all on function owned_lanes from public;

-- Fences out a worker that has lost its lane: raises LN001 unless p_epoch is the lane's present one. Called by the
-- functions that change a lane's messages; only the owner may call it. Holds a key share lock on the lane, so that no
-- worker claims it until the transaction ends.
create or replace function fence_lane(p_account uuid, p_token uuid, p_epoch bigint) returns void
language plpgsql as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = p_token and epoch = p_epoch
    for key share;
  if not found then
    raise exception 'lane lost' using errcode = 'LN001';
  end if;
end
$$;

revoke all on function fence_lane from public;

-- Claims an account's lanes that still have work and no living owner. Every claim raises the epoch. Called by every
-- worker that has room, for the lanes it saw due. Locks the lanes it claims; skips those that others hold, or whose
-- messages an owner is changing.
create or replace function claim_account_lanes(
  p_account uuid, p_token uuid[], p_owner uuid, p_lease interval
) returns table (o_token uuid, o_epoch bigint)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
  update lanes l
    set owner = p_owner, epoch = l.epoch + 1, lease_until = v_now + p_lease
    from (
      select token_id from lanes
      where account_id = p_account and token_id = any (p_token) and ready_at <= v_now
        and (lease_until is null or lease_until < v_now)
      order by token_id for update skip locked
    ) due
    where l.account_id = p_account and l.token_id = due.token_id
    returning l.token_id, l.epoch;
end
$$;

revoke all on function claim_account_lanes from public;
grant execute on function claim_account_lanes to kabari_app;

-- Recovers the messages that a dead owner was sending, which may have left. They are sent again with the same id if the
-- channel knows ids beforehand and their time is not over, else left as unknown until p_wait_ms have passed for a
-- receipt. Returns their number. p_token and p_epoch are null for a whole account whose lanes were fenced (it is
-- closed); else the call is fenced itself. Called by a lane's new owner, and while an account is erased. Locks the lane
-- (share), then the rows. Raises LN001 when the lane was lost.
create or replace function recover_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_preallocates boolean, p_wait_ms int
) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
  v_until timestamptz := v_now + p_wait_ms * interval '1 millisecond';
  v_id uuid[];
begin
  if p_epoch is not null then
    perform fence_lane(p_account, p_token, p_epoch);
  end if;
  with found as (
    update dispatch d
      set state = 'unknown', unsure_until = v_until, ready_at = v_until, unknowns = d.unknowns + 1
      from lanes l
      where d.account_id = p_account and l.account_id = p_account and l.token_id = d.token_id
        and (p_token is null or d.token_id = p_token) and d.state = 'sending' and d.epoch < l.epoch
      returning d.message_id
  )
  select array_agg(message_id) into v_id from found;
  if v_id is null then
    return 0;
  end if;
  if p_preallocates then
    update dispatch
      set state = 'ready', ready_at = v_now, unknowns = unknowns - 1
      where account_id = p_account and message_id = any (v_id)
        and coalesce(expires_at > v_now, true);
  end if;
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, message_id, 'unknown', attempt, 'no_answer' from dispatch
    where account_id = p_account and message_id = any (v_id) and state = 'unknown'
    on conflict do nothing;
  return cardinality(v_id);
end
$$;

revoke all on function recover_lane from public;
grant execute on function recover_lane to kabari_app;

-- Hands the next messages of lanes to their owner, in order, and marks them `sending` under the lane's epoch; lanes of
-- any number of accounts in one call. At most one message per phone is in flight: later ones to the same phone wait for
-- it, unless it is only scheduled, or they are more urgent. p_urgent: only one-time codes (priority 0). p_nth
-- identifies the lanes in the answer. o_unsure_ms is null for a message that certainly has not left; else the remaining
-- wait for a receipt of an earlier try. A row without o_id gives the state of a lane in o_state: `lost` (another worker
-- has it: nothing was handed out), `away` (its token no longer sends from p_from, or its account is suspended),
-- `drained` (besides messages in flight none waits in it, not even scheduled ones). Called by the owner of lanes. Locks
-- the lanes (key share), then the rows it takes.
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
    -- At most one row beyond those that were taken or are in flight.
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

-- Renews the leases of the lanes that are still owned under these epochs. Answers their lane_keys, or null. Called by
-- the owner of lanes. Locks them in account and token order.
create or replace function renew_lanes(
  p_account uuid[], p_token uuid[], p_epoch bigint[], p_lease interval
) returns text[]
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_owned text[];
begin
  with mine as (
    select l.account_id, l.token_id
    from unnest(p_account, p_token, p_epoch) as i(account, token, epoch)
    join lanes l on l.account_id = i.account and l.token_id = i.token and l.epoch = i.epoch
    order by l.account_id, l.token_id for no key update of l
  ), renewed as (
    update lanes l set lease_until = v_now + p_lease from mine
      where l.account_id = mine.account_id and l.token_id = mine.token_id returning lane_key(l.token_id, l.epoch) as key
  )
  select array_agg(key) into v_owned from renewed;
  return v_owned;
end
$$;

revoke all on function renew_lanes from public;
grant execute on function renew_lanes to kabari_app;

-- Releases a lane; its next work is looked up unless a wake-up came meanwhile (then it stays due). p_rest_ms: the least
-- delay until it is due again. p_blocked: all messages due when p_wakes was read wait for an earlier message to the
-- same phone, so the lane is due when the first of those is, or when it is woken. Called by a lane's owner. Locks the
-- lane.
create or replace function close_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_rest_ms int default 0,
  p_blocked boolean default false, p_wakes bigint default null
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_wakes bigint;
  v_next timestamptz;
begin
  select coalesce(p_wakes, wakes) into v_wakes from lanes
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
  if not found then
    return;
  end if;
  select coalesce(min(ready_at) filter (where p_blocked and ready_at > v_now), min(ready_at))
    into v_next from dispatch
    where account_id = p_account and token_id = p_token;
  if p_blocked and v_next is not null then
    v_next := least(v_next, v_now + interval '5 seconds');
  end if;
  update lanes
    set owner = null, lease_until = null,
      ready_at = case
        when wakes <> v_wakes then ready_at
        when p_rest_ms > 0 and v_next is not null
          then greatest(v_next, v_now + p_rest_ms * interval '1 millisecond')
        else v_next end
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
end
$$;

revoke all on function close_lane from public;
grant execute on function close_lane to kabari_app;

-- Puts messages back for another try: `ready` after a definite "later", `unknown` when no answer came. `held`: refused
-- for a reason outside the message, so that its tries never run out. `probed`: no answer came to the probe of a paused
-- number; this shows only that the network is still silent, so the first of these do not end the message. Called by a
-- lane's owner. Locks the lane (share), then the rows. Raises LN001 when the lane was lost.
create or replace function postpone_dispatch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_state text[], p_after_ms int[], p_detail text[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform fence_lane(p_account, p_token, p_epoch);
  with back as (
    update dispatch d
      set state = case i.state when 'held' then 'ready' when 'probed' then 'unknown' else i.state end,
        ready_at = v_now + i.after_ms * interval '1 millisecond',
        attempt = case i.state when 'held' then least(d.attempt, 5) else d.attempt end,
        unknowns = case
          when i.state = 'unknown' or (i.state = 'probed' and d.attempt > 3) then d.unknowns + 1
          when i.state = 'probed' then greatest(d.unknowns, 1)
          else d.unknowns end,
        unsure_until = case when i.state in ('unknown', 'probed')
          then v_now + i.after_ms * interval '1 millisecond' else d.unsure_until end
      from unnest(p_id, p_state, p_after_ms) as i(id, state, after_ms)
      where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
        and d.state = 'sending'
      returning d.message_id, d.attempt, d.state
  )
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, b.message_id, case b.state when 'unknown' then 'unknown' else 'retrying' end,
      b.attempt, i.detail
    from back b join unnest(p_id, p_detail) as i(id, detail) on i.id = b.message_id
    on conflict do nothing;
end
$$;

revoke all on function postpone_dispatch from public;
grant execute on function postpone_dispatch to kabari_app;

-- Defers messages that may have left, of a lane whose number is paused for p_ms: each is tried after all that were
-- never tried, and the least tried first, so that as many different messages as possible probe an outage. p_ms null:
-- the number sends again; each is due as soon as the wait for its receipt ends. Called by a lane's owner. Locks the
-- lane (share), then the rows. Raises LN001 when the lane was lost.
create or replace function defer_unsure(p_account uuid, p_token uuid, p_epoch bigint, p_ms int)
returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform fence_lane(p_account, p_token, p_epoch);
  update dispatch d
    set ready_at = case when p_ms is null then greatest(least(d.ready_at, v_now), d.unsure_until)
      else greatest(d.ready_at, v_now + (p_ms + d.attempt * 2000) * interval '1 millisecond') end
    where d.account_id = p_account and d.token_id = p_token and d.state = 'unknown';
end
$$;

revoke all on function defer_unsure from public;
grant execute on function defer_unsure to kabari_app;

-- Records that a message may arrive twice, before a channel that gives a new id each time sends it again: a receipt may
-- end the message before the worker that sent it can record that. Called by a lane's owner. Locks the account's
-- statuses (a receipt that had to wait for the message's row would lose it), the lane (share), then that row. Raises
-- LN001 when the lane was lost: it must not be sent then.
create or replace function mark_resent(
  p_account uuid, p_token uuid, p_epoch bigint, p_message uuid
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  perform fence_lane(p_account, p_token, p_epoch);
  update messages set possible_duplicate = true
    where account_id = p_account and message_id = p_message and not possible_duplicate;
end
$$;

revoke all on function mark_resent from public;
grant execute on function mark_resent to kabari_app;
