-- Takes new events of accounts for their webhooks that are on: a delivery for each that a webhook wants, in
-- the lane of its conversation. Of each webhook at most p_max events are read. Answers how many deliveries
-- were made, whether more events wait, and the accounts of webhooks that somebody else had locked: they hold
-- up nobody, and are to be asked for again.
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
      -- What was erased leaves its position behind.
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
