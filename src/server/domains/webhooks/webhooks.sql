-- The public type of an account's event; null when it is not public.
-- Events stored before amounts were included are not public. Called by collect_webhook_events, and where the feed is
-- read.
create or replace function webhook_type(p_kind text, p_status text, p_data jsonb) returns text
language sql immutable parallel safe
return case
  when p_kind in (
    'message.accepted', 'message.received', 'message.edited', 'message.revoked', 'optout.added',
    'saldo.low', 'token.connected', 'token.disconnected', 'token.linked'
  ) then p_kind
  when p_kind = 'message.changed' then case
    when p_status in ('sent', 'delivered', 'read') then 'message.' || p_status
    when p_status in ('failed', 'cancelled', 'expired') then 'message.failed'
  end
  when p_kind = 'topup.changed' and p_data ->> 'status' = 'paid' and p_data ? 'total' then 'topup.paid'
  when p_kind = 'invoice.changed' and p_data ? 'total' then case p_data ->> 'status'
    when 'open' then 'invoice.issued'
    when 'paid' then 'invoice.paid'
  end
end;

revoke all on function webhook_type from public;
grant execute on function webhook_type to kabari_app;

-- The number of concurrent tries that a webhook may have.
-- Called by claim_webhook_deliveries and schedule_webhooks.
create or replace function webhook_slots(p_failures int, p_is_slow boolean) returns int
language sql immutable parallel safe
return case when p_failures >= 5 then 1 when p_failures > 0 or coalesce(p_is_slow, false) then 2 else 8 end;

revoke all on function webhook_slots from public;
grant execute on function webhook_slots to kabari_app;

-- Collects new events of accounts for their enabled webhooks: a delivery for each event that a webhook selects, in
-- the lane of its conversation. Reads at most p_max events per webhook. Returns the number of deliveries, whether
-- more events wait, and the accounts of webhooks locked by others, which are to be collected again later.
-- p_accounts: null for all. Called by the collector. Locks the webhooks.
create or replace function collect_webhook_events(
  p_accounts uuid[], p_max int, p_now timestamptz
) returns table (o_made int, o_more boolean, o_locked uuid[])
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_made uuid[];
begin
  with behind as materialized (
    select w.account_id, w.webhook_id, p.last
    from webhooks w join event_positions p on p.account_id = w.account_id
    where w.state = 'on' and w.position < p.last
      and (p_accounts is null or w.account_id = any(p_accounts))
    order by w.webhook_id limit 500
  ), hook as materialized (
    select w.account_id, w.webhook_id, w.token_id, w.kinds, w.position, b.last
    from behind b join webhooks w on w.account_id = b.account_id and w.webhook_id = b.webhook_id
    where w.state = 'on' and w.position < b.last
    for update of w skip locked
  ), found as materialized (
    select h.account_id, h.webhook_id, h.kinds, h.token_id as own, e.position, e.at, e.token_id,
      e.data ->> 'token_id' as named, coalesce(e.peer, e.data ->> 'peer', '') as lane,
      webhook_type(e.kind, e.status, e.data) as type
    from hook h cross join lateral (
      select * from events e where e.account_id = h.account_id and e.position > h.position
      order by e.position limit p_max
    ) e
  ), made as (
    insert into webhook_deliveries (account_id, webhook_id, position, delivery_id, type, lane, at)
    select f.account_id, f.webhook_id, f.position, gen_random_uuid(), f.type, f.lane, f.at
    from found f
    where f.type is not null and (f.kinds is null or f.type = any(f.kinds))
      and coalesce(f.token_id, f.own) = f.own
      and coalesce(f.named, public_id('tok_', f.own)) = public_id('tok_', f.own)
    on conflict do nothing
    returning account_id, webhook_id, lane
  ), laned as (
    insert into webhook_lanes (account_id, webhook_id, lane, due_at)
    select distinct account_id, webhook_id, lane, p_now from made
    on conflict do nothing
  ), read_to as (
    select h.account_id, h.webhook_id, h.last,
      -- Erased events leave gaps in the positions.
      case when count(f.position) < p_max then h.last else max(f.position) end as upto
    from hook h left join found f using (account_id, webhook_id)
    group by h.account_id, h.webhook_id, h.last
  ), moved as (
    update webhooks w set position = r.upto from read_to r
      where w.account_id = r.account_id and w.webhook_id = r.webhook_id
  )
  select (select count(*) from made), (select array_agg(distinct webhook_id) from made),
    coalesce((select bool_or(upto < last) from read_to), false)
      or (select count(*) from behind) = 500 and exists (select from hook),
    array(select account_id from behind b where not exists (
      select from hook h where h.account_id = b.account_id and h.webhook_id = b.webhook_id
    ))
    into o_made, v_made, o_more, o_locked;
  if o_made > 0 then
    perform schedule_webhooks(v_made, p_now);
  end if;
  return next;
end
$$;

revoke all on function collect_webhook_events from public;
grant execute on function collect_webhook_events to kabari_app;

-- Sets when webhooks have something to send next: when the first unclaimed conversation is due, not before a pause
-- ends; never while they are off, or have all their tries in use. An endpoint that fails, or was slow recently, may
-- have few (webhook_slots), and one that makes a try wait for more than a second gets no more until it answers.
-- Returns whether one of them has something to send now.
-- Called by functions that change a webhook or its lanes; the caller holds the webhooks' locks.
create or replace function schedule_webhooks(p_webhooks uuid[], p_now timestamptz) returns boolean
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_is_due boolean;
begin
  with scheduled as (
    update webhooks w set due_at = case
        when w.state = 'off' then null
        when busy.n >= webhook_slots(w.failures, w.slow_until > p_now) or busy.is_slow then null
        else (
          select greatest(l.due_at, w.paused_until, p_now) from webhook_lanes l
          where l.account_id = w.account_id and l.webhook_id = w.webhook_id and l.claim is null
          order by l.due_at limit 1
        )
      end
      from webhooks own, lateral (
        select count(*) as n,
          coalesce(bool_or(l.claimed_at < clock_timestamp() - interval '1 second'), false) as is_slow
        from webhook_lanes l
        where l.account_id = own.account_id and l.webhook_id = own.webhook_id and l.claim is not null
      ) busy
      where own.webhook_id = any(p_webhooks)
        and w.account_id = own.account_id and w.webhook_id = own.webhook_id
      returning w.due_at <= p_now as is_due
  )
  select coalesce(bool_or(is_due), false) into v_is_due from scheduled;
  return v_is_due;
end
$$;

revoke all on function schedule_webhooks from public;
grant execute on function schedule_webhooks to kabari_app;

-- Claims due deliveries for p_slots tries, shared evenly among the webhooks that have waited longest: of each
-- conversation the first waiting delivery. Unreliable webhooks, which fail or were slow, get at most p_doubtful; one
-- that makes a try wait for more than a second, none. One webhook may have an eighth of the free slots and its own,
-- so that several that start to hang together leave room for others. Returns the deliveries with the data to send
-- them; one without a position is a lane in which nothing waits.
-- Called by the sender. Locks the webhooks; skips those that others have locked.
create or replace function claim_webhook_deliveries(
  p_now timestamptz, p_slots int, p_doubtful int, p_lease_seconds int
) returns table (
  o_account uuid, o_webhook uuid, o_lane text, o_claim uuid, o_doubtful boolean, o_position bigint,
  o_delivery uuid, o_tries int
)
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_hooks uuid[];
  v_doubtful uuid[];
begin
  v_hooks := array(
    select w.webhook_id from webhooks w
    where w.due_at <= p_now and w.failures = 0 and coalesce(w.slow_until <= p_now, true)
    order by w.due_at limit p_slots + 64 for update skip locked
  );
  v_doubtful := array(
    select w.webhook_id from webhooks w
    where w.due_at <= p_now and not (w.failures = 0 and coalesce(w.slow_until <= p_now, true))
    order by w.due_at limit least(p_doubtful, p_slots) for update skip locked
  );
  if cardinality(v_hooks) + cardinality(v_doubtful) = 0 then
    return;
  end if;
  -- Runs after the locks, so that it sees all earlier changes to these webhooks.
  return query
  with hook as materialized (
    select w.account_id, w.webhook_id, w.due_at, w.webhook_id = any(v_doubtful) as is_doubtful,
      case when busy.is_slow then 0 else least(
        webhook_slots(w.failures, w.slow_until > p_now) - busy.n,
        greatest(1, (p_slots + busy.n) / 8) - busy.n,
        case when w.webhook_id = any(v_doubtful) then 1
          else greatest(1, p_slots / greatest(1, cardinality(v_hooks))) end
      ) end as free
    from webhooks w cross join lateral (
      select count(*) as n,
        coalesce(bool_or(l.claimed_at < clock_timestamp() - interval '1 second'), false) as is_slow
      from webhook_lanes l
      where l.account_id = w.account_id and l.webhook_id = w.webhook_id and l.claim is not null
    ) busy
    where w.webhook_id = any(v_hooks || v_doubtful)
  ), picked as materialized (
    select h.account_id, h.webhook_id, h.is_doubtful, l.lane, d.position, d.delivery_id, d.tries, d.replays
    from hook h cross join lateral (
      select l.lane from webhook_lanes l
      where l.account_id = h.account_id and l.webhook_id = h.webhook_id and l.claim is null
        and l.due_at <= p_now
      order by l.due_at, l.lane limit greatest(0, h.free)
    ) l left join lateral (
      select d.position, d.delivery_id, d.tries, d.replays from webhook_deliveries d
      where d.account_id = h.account_id and d.webhook_id = h.webhook_id and d.lane = l.lane
        and d.state = 'waiting'
      order by d.position limit 1
    ) d on true
    order by h.due_at limit p_slots
  )
  update webhook_lanes l set claim = gen_random_uuid(), claimed_at = clock_timestamp(),
      leased_until = clock_timestamp() + make_interval(secs => p_lease_seconds), replays = coalesce(p.replays, 0)
    from picked p
    where l.account_id = p.account_id and l.webhook_id = p.webhook_id and l.lane = p.lane
    returning l.account_id, l.webhook_id, l.lane, l.claim, p.is_doubtful, p.position, p.delivery_id, p.tries;
  perform schedule_webhooks(v_hooks || v_doubtful, p_now);
end
$$;

revoke all on function claim_webhook_deliveries from public;
grant execute on function claim_webhook_deliveries to kabari_app;

-- Stores the results of tries and lets their conversations continue: the next delivery is due when the previous one
-- has ended, a failed one at its next try. Results of a claim that has passed to another worker change nothing. A
-- webhook that fails several times in a row is paused; one that answered 410, or has only failed for p_off_after, is
-- switched off. When one answers again, everything waiting for it is due at once; each success of one that failed
-- less makes some of its waiting deliveries due (retry_webhook_lanes). A failed early try uses up none of the tries,
-- and the next one follows 30 s later at the earliest, then twice as long each time.
-- p_results: [{account, webhook, lane, claim, position, outcome, status, error, at, ms, headers, answer, due,
-- asked}]; `asked` is the end of the pause the endpoint requested; the outcome is delivered, failed (with `due`:
-- tried again then; without: parked), gone, skipped or interrupted, which counts as no try. A failure of ours
-- (`error`) does not count against the endpoint. A delivery that is gone waits, due at once when the webhook is
-- enabled again, with as many tries left as before. Returns the webhooks that were switched off, and in a row without
-- one whether there is something to send now.
-- Called by the sender. Locks the webhooks, in their order.
create or replace function settle_webhook_deliveries(
  p_results jsonb, p_now timestamptz, p_off_after interval
) returns table (o_account uuid, o_webhook uuid, o_token uuid, o_reason text, o_is_due boolean)
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_webhooks uuid[];
  v_recovered uuid[];
  v_taking uuid[];
  v_began timestamptz[];
  v_successes int[];
begin
  select array_agg(distinct r.webhook) into v_webhooks
    from jsonb_to_recordset(p_results) as r(webhook uuid);
  perform from webhooks w where w.webhook_id = any(v_webhooks) order by w.webhook_id for update;

  -- The health of each webhook, by the results of claims that are still valid.
  with result as materialized (
    select r.account, r.webhook, r.lane, r.position, r.outcome, r.status, r.error, r.at, r.ms, r.headers, r.answer,
      case r.outcome when 'gone' then 'failed' else r.outcome end as ended, l.replays,
      r.outcome = 'failed' and l.scheduled_at is not null as is_early,
      case when r.outcome = 'failed' and l.scheduled_at is not null then greatest(l.scheduled_at, r.asked)
        else r.due end as due
    from jsonb_to_recordset(p_results) as r(
      account uuid, webhook uuid, lane text, claim uuid, position bigint, outcome text, status int,
      error text, at timestamptz, ms int, headers jsonb, answer text, due timestamptz, asked timestamptz
    )
    join webhook_lanes l on l.account_id = r.account and l.webhook_id = r.webhook
      and l.lane = r.lane and l.claim = r.claim
  ), stored as (
    update webhook_deliveries d set
        state = case when r.ended = 'interrupted' or d.replays <> r.replays then 'waiting'
          when r.ended = 'failed' then case when r.due is null then 'parked' else 'waiting' end
          else r.ended end,
        tries = case when d.replays <> r.replays then 0 when r.is_early then d.tries
          else d.tries + (r.outcome in ('delivered', 'failed'))::int end,
        attempts = d.attempts + (r.ended in ('delivered', 'failed'))::int,
        due_at = case when d.replays = r.replays then r.due end,
        last_status = case when r.ended in ('delivered', 'failed') then r.status else d.last_status end,
        last_error = case when r.ended in ('delivered', 'failed') then r.error else d.last_error end,
        ended_at = case when d.replays = r.replays and r.due is null and r.ended <> 'interrupted' then p_now end
      from result r
      where d.account_id = r.account and d.webhook_id = r.webhook and d.position = r.position
      returning d.account_id, d.delivery_id, d.attempts, r.ended, r.at, r.ms, r.status, r.error,
        r.headers, r.answer
  ), attempted as (
    insert into webhook_attempts (account_id, delivery_id, n, at, ms, status, error, headers, answer)
    select account_id, delivery_id, attempts, at, ms, status, error, headers, answer
    from stored where ended in ('delivered', 'failed')
  ), health as (
    select account, webhook, bool_or(ended = 'delivered') as has_succeeded,
      max(at) filter (where ended = 'delivered') as began,
      count(*) filter (where ended = 'delivered')::int as n_delivered,
      count(*) filter (where ended = 'failed')::int as n_failed,
      bool_or(outcome = 'gone') as is_gone, bool_or(error = 'late') as is_late
    from result where ended in ('delivered', 'failed') and error is distinct from 'ours'
    group by account, webhook
  ), judged as (
    update webhooks w set
        failures = case when h.has_succeeded then 0 else w.failures + h.n_failed end,
        failing_since = case when not h.has_succeeded then coalesce(w.failing_since, p_now) end,
        slow_until = case when h.is_late then p_now + interval '5 minutes' else w.slow_until end,
        paused_until = case when not h.has_succeeded and w.failures + h.n_failed >= 5
          then p_now + make_interval(secs => least(300, 5 * 2 ^ least(10, w.failures + h.n_failed - 5)))
          end
      from health h, webhooks b
      where w.account_id = h.account and w.webhook_id = h.webhook
        and b.account_id = h.account and b.webhook_id = h.webhook
      returning w.webhook_id, h.has_succeeded, b.failures >= 5 as was_down, h.began, h.n_delivered
  )
  select array_agg(webhook_id) filter (where was_down), array_agg(webhook_id) filter (where not was_down),
      array_agg(began) filter (where not was_down), array_agg(n_delivered) filter (where not was_down)
    into v_recovered, v_taking, v_began, v_successes
    from judged where has_succeeded;

  -- When each conversation may be tried early.
  update webhook_lanes l set scheduled_at = null,
      early_tries = case when not e.is_waiting then 0
        else l.early_tries + (l.scheduled_at is not null)::int end,
      early_from = case when e.is_waiting then greatest(e.asked, case when l.scheduled_at is null then p_now
        else p_now + make_interval(secs => 30 * 2 ^ least(20, l.early_tries)) end) end
    from (
      select r.account, r.webhook, r.lane, r.claim, r.asked,
        r.outcome = 'failed' and d.state = 'waiting' and d.due_at is not null as is_waiting
      from jsonb_to_recordset(p_results) as r(
        account uuid, webhook uuid, lane text, claim uuid, position bigint, outcome text, asked timestamptz
      )
      left join webhook_deliveries d
        on d.account_id = r.account and d.webhook_id = r.webhook and d.position = r.position
      where r.outcome <> 'interrupted'
    ) e
    where l.account_id = e.account and l.webhook_id = e.webhook and l.lane = e.lane and l.claim = e.claim
      and (e.is_waiting or l.early_from is not null or l.early_tries > 0 or l.scheduled_at is not null);

  perform release_webhook_lanes(
    array_agg(r.account), array_agg(r.webhook), array_agg(r.lane), array_agg(r.claim), p_now
  ) from jsonb_to_recordset(p_results) as r(account uuid, webhook uuid, lane text, claim uuid);

  if v_recovered is not null then
    perform retry_webhooks_now(v_recovered, p_now);
  end if;
  if v_taking is not null then
    perform retry_webhook_lanes(v_taking, v_began, v_successes, p_now);
  end if;

  return query
  update webhooks w set state = 'off', notice_due = true, changed_at = p_now,
      off_reason = case when g.is_gone then 'gone' else 'failing' end
    from (
      select r.webhook, bool_or(r.outcome = 'gone') as is_gone
      from jsonb_to_recordset(p_results) as r(webhook uuid, outcome text) group by r.webhook
    ) g
    where w.webhook_id = g.webhook and w.webhook_id = any(v_webhooks) and w.state = 'on'
      and (g.is_gone or w.failing_since <= p_now - p_off_after)
    returning w.account_id, w.webhook_id, w.token_id, w.off_reason, false;
  return query select null::uuid, null::uuid, null::uuid, null::text, schedule_webhooks(v_webhooks, p_now);
end
$$;

revoke all on function settle_webhook_deliveries from public;
grant execute on function settle_webhook_deliveries to kabari_app;

-- Releases claimed lanes: each is due when its first waiting delivery is; an empty one is deleted. Lanes claimed by
-- others stay claimed. The arrays have an entry per lane.
-- Called by settle_webhook_deliveries and releaseExpiredLeases; the caller holds the webhooks' locks.
create or replace function release_webhook_lanes(
  p_account uuid[], p_webhook uuid[], p_lane text[], p_claim uuid[], p_now timestamptz
) returns void
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with mine as materialized (
    select l.account_id, l.webhook_id, l.lane, d.position is not null as has_more,
      coalesce(d.due_at, p_now) as due_at
    from unnest(p_account, p_webhook, p_lane, p_claim) as u(account, webhook, lane, claim)
    join webhook_lanes l on l.account_id = u.account and l.webhook_id = u.webhook
      and l.lane = u.lane and l.claim = u.claim
    left join lateral (
      select d.position, d.due_at from webhook_deliveries d
      where d.account_id = l.account_id and d.webhook_id = l.webhook_id and d.lane = l.lane
        and d.state = 'waiting'
      order by d.position limit 1
    ) d on true
  ), gone as (
    delete from webhook_lanes l using mine m
      where not m.has_more
        and l.account_id = m.account_id and l.webhook_id = m.webhook_id and l.lane = m.lane
  )
  update webhook_lanes l set claim = null, claimed_at = null, leased_until = null, due_at = m.due_at
    from mine m
    where m.has_more
      and l.account_id = m.account_id and l.webhook_id = m.webhook_id and l.lane = m.lane;
end
$$;

revoke all on function release_webhook_lanes from public;
grant execute on function release_webhook_lanes to kabari_app;

-- After webhooks accepted deliveries: of the conversations that wait for a retry, and failed before the newest of
-- these tries began, up to eight per success become due at once. They keep their schedule (`scheduled_at`), which an
-- early try does not use up. The arrays have an entry per webhook.
-- Called by settle_webhook_deliveries; the caller holds the webhooks' locks and schedules them.
create or replace function retry_webhook_lanes(
  p_webhooks uuid[], p_began timestamptz[], p_successes int[], p_now timestamptz
) returns void
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  with early as materialized (
    select w.account_id, w.webhook_id, l.lane
    from unnest(p_webhooks, p_began, p_successes) as u(webhook, began, successes)
    join webhooks w on w.webhook_id = u.webhook
    cross join lateral (
      select l.lane from webhook_lanes l
      where l.account_id = w.account_id and l.webhook_id = w.webhook_id and l.claim is null
        and l.early_from <= u.began and l.due_at > p_now
      order by l.early_from limit u.successes * 8
    ) l
  ), undated as (
    update webhook_deliveries d set due_at = null
      from early e
      where d.account_id = e.account_id and d.webhook_id = e.webhook_id and d.lane = e.lane
        and d.state = 'waiting' and d.due_at > p_now
  )
  update webhook_lanes l set scheduled_at = l.due_at, due_at = p_now, early_from = null
    from early e
    where l.account_id = e.account_id and l.webhook_id = e.webhook_id and l.lane = e.lane;
end
$$;

revoke all on function retry_webhook_lanes from public;
grant execute on function retry_webhook_lanes to kabari_app;

-- After webhooks recovered: makes deliveries that wait for a retry due at once, and keeps their schedule.
-- Called by settle_webhook_deliveries, and after a test that succeeded; the caller holds the webhooks' locks and
-- schedules them.
create or replace function retry_webhooks_now(p_webhooks uuid[], p_now timestamptz) returns void
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  update webhook_deliveries d set due_at = null
    from webhook_lanes l, webhooks w
    where w.webhook_id = any(p_webhooks) and l.account_id = w.account_id
      and l.webhook_id = w.webhook_id and l.claim is null and l.due_at > p_now
      and d.account_id = l.account_id and d.webhook_id = l.webhook_id and d.lane = l.lane
      and d.state = 'waiting' and d.due_at > p_now;
  update webhook_lanes l set scheduled_at = l.due_at, due_at = p_now, early_from = null
    from webhooks w
    where w.webhook_id = any(p_webhooks) and l.account_id = w.account_id
      and l.webhook_id = w.webhook_id and l.claim is null and l.due_at > p_now;
end
$$;

revoke all on function retry_webhooks_now from public;
grant execute on function retry_webhooks_now to kabari_app;

-- The position in a webhook's deliveries that separates events before a time from later ones. Positions are assigned
-- at publication, so event times rise with them, except when clocks are set back: to get a whole span, query some
-- minutes more and filter the times found.
-- Reads one delivery per halving of the span. Called by the list and by replays. Locks nothing.
create or replace function delivery_position_at(p_account uuid, p_webhook uuid, p_at timestamptz)
returns bigint
language plpgsql stable set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off as $$
declare
  v_low bigint;
  v_high bigint;
  v_middle bigint;
  v_position bigint;
  v_at timestamptz;
begin
  select d.position into v_low from webhook_deliveries d
    where d.account_id = p_account and d.webhook_id = p_webhook order by d.position limit 1;
  if not found then
    return 0;
  end if;
  select d.position + 1 into v_high from webhook_deliveries d
    where d.account_id = p_account and d.webhook_id = p_webhook order by d.position desc limit 1;
  -- Positions below v_low are before p_at, those from v_high on are not.
  while v_low < v_high loop
    v_middle := (v_low + v_high) / 2;
    select d.position, d.at into v_position, v_at from webhook_deliveries d
      where d.account_id = p_account and d.webhook_id = p_webhook and d.position >= v_middle
      order by d.position limit 1;
    if v_at < p_at and v_position < v_high then
      v_low := v_position + 1;
    else
      v_high := v_middle;
    end if;
  end loop;
  return v_low;
end
$$;

revoke all on function delivery_position_at from public;
grant execute on function delivery_position_at to kabari_app;
