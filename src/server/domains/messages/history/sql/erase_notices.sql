-- Erases up to so many messages between the installation and numbers that are nobody's any more;
-- how many. What was counted of them goes down with them, so that the installation's own history
-- still adds up.
-- Called while an account is erased. Locks the installation's statuses and wallet, the mark of its
-- words, then the rows. Raises 42501
-- when a number is in use.
create or replace function erase_notices(p_phones text[], p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_system uuid;
  v_ids uuid[];
  c_account uuid[];
  c_hour timestamptz[];
  c_token uuid[];
  c_direction text[];
  c_status text[];
  c_type text[];
  c_messages bigint[];
  c_cost bigint[];
begin
  select account_id into strict v_system from accounts where is_system;
  if exists (
    select from user_phones p join accounts a on a.account_id = p.account_id
    where p.phone = any (p_phones) and a.closed_at is null
  ) then
    raise exception 'a number is in use' using errcode = '42501';
  end if;
  perform lock_statuses(array[v_system]);
  perform 1 from wallets where account_id = v_system for no key update;
  -- What is taken back below stands in the rollups then, and not in events that are about to go.
  perform fold_counts(array[v_system], true);
  select array_agg(message_id) into v_ids from (
    select message_id from messages
    where account_id = v_system and peer = any (p_phones) and price = 0 limit p_limit
  ) few;
  perform forget_words(v_system, v_ids);
  perform set_config('app.erasing', v_system::text, true);
  delete from dispatch where account_id = v_system and message_id = any (v_ids);
  delete from message_events where account_id = v_system and message_id = any (v_ids);
  with gone as (
    delete from messages where account_id = v_system and message_id = any (v_ids) returning *
  )
  select array_agg(v_system), array_agg(date_trunc('hour', uuid_time(message_id))),
      array_agg(token_id), array_agg(direction), array_agg(status), array_agg(type),
      array_agg(-1::bigint), array_agg(0::bigint)
    into c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost from gone;
  perform add_counts(c_account, c_hour, c_token, c_direction, c_status, c_type, c_messages, c_cost);
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

revoke all on function erase_notices from public;
grant execute on function erase_notices to kabari_app;
