-- Webhooks answer again: what waits for its next try is due at once, and keeps its schedule.
-- Called by settle_webhook_deliveries, and after a test that succeeded; the caller holds the webhooks' locks
-- and schedules them.
create or replace function hurry_webhooks(p_webhooks uuid[], p_now timestamptz) returns void
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

revoke all on function hurry_webhooks from public;
grant execute on function hurry_webhooks to kabari_app;
