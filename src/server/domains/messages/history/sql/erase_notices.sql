-- Erases up to so many messages between the installation and numbers that are nobody's any more;
-- how many. What was counted of them goes down with them, so that the installation's own history
-- still adds up.
-- Called while an account is erased. Locks the installation's wallet, then the rows. Raises 42501
-- when a number is in use.
create or replace function erase_notices(p_phones text[], p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_system uuid;
  v_ids uuid[];
begin
  select account_id into strict v_system from accounts where is_system;
  if exists (
    select from user_phones p join accounts a on a.account_id = p.account_id
    where p.phone = any (p_phones) and a.closed_at is null
  ) then
    raise exception 'a number is in use' using errcode = '42501';
  end if;
  perform 1 from wallets where account_id = v_system for no key update;
  select array_agg(message_id) into v_ids from (
    select message_id from messages
    where account_id = v_system and peer = any (p_phones) and price = 0 limit p_limit
  ) few;
  perform set_config('app.erasing', v_system::text, true);
  delete from dispatch where account_id = v_system and message_id = any (v_ids);
  delete from message_events where account_id = v_system and message_id = any (v_ids);
  with gone as (
    delete from messages where account_id = v_system and message_id = any (v_ids)
    returning message_id, token_id, direction, status, type
  ), change as materialized (
    select date_trunc('hour', uuid_time(message_id)) as hour, token_id, direction, status, type,
      count(*) as n
    from gone group by 1, 2, 3, 4, 5
  ), rolled as (
    update rollups u set messages = u.messages - c.n from change c
    where u.account_id = v_system and u.hour = c.hour and u.token_id = c.token_id
      and u.direction = c.direction and u.status = c.status and u.type = c.type
  ), sums as (
    select grain, wib_since(grain, hour) as since, token_id, direction, status, type,
      sum(n)::bigint as n
    from change cross join unnest(array['day', 'month']) as grain group by 1, 2, 3, 4, 5, 6
  )
  update rollup_sums u set messages = u.messages - s.n from sums s
    where u.account_id = v_system and u.grain = s.grain and u.since = s.since
      and u.token_id = s.token_id and u.direction = s.direction and u.status = s.status
      and u.type = s.type;
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

revoke all on function erase_notices from public;
grant execute on function erase_notices to kabari_app;
