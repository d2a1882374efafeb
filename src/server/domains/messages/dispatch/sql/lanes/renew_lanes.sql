-- Renews the leases of those lanes that are still owned under these epochs; which they are, as lane_key
-- has them, or null.
-- Called by the owner of lanes. Locks them in account and token order.
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
