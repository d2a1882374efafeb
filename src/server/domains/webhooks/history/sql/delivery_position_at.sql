-- A position of a webhook's deliveries that parts them at a time: what is below it happened before, what is not,
-- then or later. Events get their positions as they are published, so that their times rise with them, but for what
-- clocks are set by; who wants all of a span asks for some minutes more, and looks at the times of what is found.
-- Reads one delivery for each halving of the span of positions. Called by the list and by replays. Locks nothing.
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
  -- What is below v_low happened before, what is not below v_high did not.
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
