-- Gives claimed lanes back: each is due when the first delivery that waits in it is; one in which nothing
-- waits goes. Lanes that are claimed by others stay theirs. The arrays have an entry per lane.
-- Called by settle_webhook_deliveries and free_webhook_lanes; the caller holds the webhooks' locks.
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
