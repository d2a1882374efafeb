-- What a dead owner was sending may have left. It is sent again with the same id where the channel
-- knows ids beforehand and its time is not over, else left as unknown until p_wait_ms have passed
-- for a receipt. Returns how many there were.
-- p_token and p_epoch are null for a whole account whose lanes were fenced (it is closed); else the
-- call is fenced itself.
-- Called by a lane's new owner, and while an account is erased. Locks the lane (share), then the
-- rows. Raises LN001 when the lane was lost.
create or replace function recover_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_preallocates boolean, p_wait_ms int
) returns int
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
  v_until timestamptz := v_now + p_wait_ms * interval '1 millisecond';
  v_id uuid[];
begin
  if p_epoch is not null then
    perform fence_lane(p_account, p_token, p_epoch);
  end if;
  with found as (
    update dispatch d
      set state = 'unknown', unsure_until = v_until, ready_at = v_until, unknowns = d.unknowns + 1
      from lanes l
      where d.account_id = p_account and l.account_id = p_account and l.token_id = d.token_id
        and (p_token is null or d.token_id = p_token) and d.state = 'sending' and d.epoch < l.epoch
      returning d.message_id
  )
  select array_agg(message_id) into v_id from found;
  if v_id is null then
    return 0;
  end if;
  if p_preallocates then
    update dispatch
      set state = 'ready', ready_at = v_now, unknowns = unknowns - 1
      where account_id = p_account and message_id = any (v_id)
        and coalesce(expires_at > v_now, true);
  end if;
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, message_id, 'unknown', attempt, 'no_answer' from dispatch
    where account_id = p_account and message_id = any (v_id) and state = 'unknown'
    on conflict do nothing;
  return cardinality(v_id);
end
$$;

revoke all on function recover_lane from public;
grant execute on function recover_lane to kabari_app;
