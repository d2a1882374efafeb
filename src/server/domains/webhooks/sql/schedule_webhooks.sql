-- Says of webhooks when there is something to send next: when the first conversation that nobody works on is
-- due, not before a pause ends; never while they are off, or have as many tries under way as they may.
-- An endpoint that fails, or was late a while ago, may have few (webhook_slots), and one that lets us wait
-- for more than a second gets no more until it answers. Answers whether one of them has something to send now.
-- Called by whatever changes a webhook or its lanes; the caller holds the webhooks' locks.
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
