-- Claims what is due, for p_slots tries, shared evenly among the webhooks that have waited longest: of each
-- conversation the first delivery that waits. Of webhooks in doubt, which fail or were late, at most
-- p_doubtful; of one that lets us wait for more than a second, none. The fewer slots are free, the fewer one
-- webhook may have, an eighth of what is free and its own: some that begin to hang at the same moment leave
-- room for the others. Answers the deliveries with what is needed to send them; one without a position is a
-- lane in which nothing waits.
-- Called by the sender. Locks the webhooks; those that somebody else has locked are left alone.
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
  -- After the locks: what others have done to these webhooks until now is seen.
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
