-- Makes the messages due that wait for a fetch, and wakes their lanes; answers their tokens. Called when the
-- fetch has ended. Locks the lanes, in order, then the rows, as a lane's owner does.
create or replace function wake_awaiting(p_account uuid, p_fetch uuid) returns setof uuid
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_tokens uuid[] := array(
    select distinct token_id from dispatch where account_id = p_account and awaits = p_fetch
    order by token_id
  );
begin
  if v_tokens = '{}' then
    return;
  end if;
  perform 1 from lanes where account_id = p_account and token_id = any (v_tokens)
    order by token_id for no key update;
  update dispatch
    set ready_at = clock_timestamp(), awaits = null, attempt = greatest(0, attempt - 1)
    where account_id = p_account and awaits = p_fetch and state = 'ready';
  update lanes set wakes = wakes + 1, ready_at = least(ready_at, clock_timestamp())
    where account_id = p_account and token_id = any (v_tokens);
  return query select unnest(v_tokens);
end
$$;

revoke all on function wake_awaiting from public;
grant execute on function wake_awaiting to kabari_app;
