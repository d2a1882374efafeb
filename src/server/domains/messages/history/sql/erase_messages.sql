-- Erases up to so many messages of a closed account, with their timelines; how many. Called while
-- an account is erased. Raises 42501 when the account is not closed, P0001 while messages are on
-- their way.
create or replace function erase_messages(p_account uuid, p_limit int) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_ids uuid[];
begin
  perform begin_erasing(p_account);
  if exists (select from dispatch where account_id = p_account) then
    raise exception 'messages of % are on their way', p_account;
  end if;
  select array_agg(message_id) into v_ids from (
    select message_id from messages where account_id = p_account order by message_id limit p_limit
  ) few;
  delete from message_events where account_id = p_account and message_id = any (v_ids);
  delete from messages where account_id = p_account and message_id = any (v_ids);
  perform set_config('app.erasing', '', true);
  return coalesce(cardinality(v_ids), 0);
end
$$;

revoke all on function erase_messages from public;
grant execute on function erase_messages to kabari_app;
