-- Takes lanes back from workers whose lease has ended, by the database's clock. Answers how many.
-- Called by the sweep of each worker. Locks the webhooks, in their order.
create or replace function free_webhook_lanes(p_now timestamptz) returns int
language plpgsql set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  v_webhooks uuid[];
  v_count int;
begin
  v_webhooks := array(
    select distinct webhook_id from webhook_lanes
    where claim is not null and leased_until < clock_timestamp()
  );
  if cardinality(v_webhooks) = 0 then
    return 0;
  end if;
  perform from webhooks w where w.webhook_id = any(v_webhooks) order by w.webhook_id for update;
  select count(*), release_webhook_lanes(
      array_agg(account_id), array_agg(webhook_id), array_agg(lane), array_agg(claim), p_now
    ) into v_count
    from webhook_lanes
    where webhook_id = any(v_webhooks) and claim is not null and leased_until < clock_timestamp();
  perform schedule_webhooks(v_webhooks, p_now);
  return v_count;
end
$$;

revoke all on function free_webhook_lanes from public;
grant execute on function free_webhook_lanes to kabari_app;
