-- Webhooks took deliveries: of the conversations that wait for their next try, and failed before the newest of
-- these tries began, up to eight for each success are due at once. They keep their schedule (`scheduled_at`), which
-- an early try does not use up. The arrays have an entry per webhook.
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
