-- Makes lanes look for work now. Called by settle_batch; only the owner may call it. Locks the
-- lanes in token order, as every writer of several lanes does.
create or replace function wake_lanes(p_account uuid, p_token uuid[]) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  perform 1 from lanes where account_id = p_account and token_id = any (p_token)
    order by token_id for no key update;
  update lanes set wakes = wakes + 1, ready_at = least(ready_at, clock_timestamp())
    where account_id = p_account and token_id = any (p_token);
end
$$;

revoke all on function wake_lanes from public;
