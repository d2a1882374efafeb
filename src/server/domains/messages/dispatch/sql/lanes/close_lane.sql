-- Gives a lane back; its next work is looked up unless a wake-up came meanwhile (then it stays
-- due).
-- p_rest_ms: it is not due again sooner. p_blocked: all that was due when p_wakes was read waits
-- for an earlier message to the same phone, so the lane is due when the first of those is, or when
-- it is woken.
-- Called by a lane's owner. Locks the lane.
create or replace function close_lane(
  p_account uuid, p_token uuid, p_epoch bigint, p_rest_ms int default 0,
  p_blocked boolean default false, p_wakes bigint default null
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
  v_wakes bigint;
  v_next timestamptz;
begin
  select coalesce(p_wakes, wakes) into v_wakes from lanes
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
  if not found then
    return;
  end if;
  select coalesce(min(ready_at) filter (where p_blocked and ready_at > v_now), min(ready_at))
    into v_next from dispatch
    where account_id = p_account and token_id = p_token;
  if p_blocked and v_next is not null then
    v_next := least(v_next, v_now + interval '5 seconds');
  end if;
  update lanes
    set owner = null, lease_until = null,
      ready_at = case
        when wakes <> v_wakes then ready_at
        when p_rest_ms > 0 and v_next is not null
          then greatest(v_next, v_now + p_rest_ms * interval '1 millisecond')
        else v_next end
    where account_id = p_account and token_id = p_token and epoch = p_epoch;
end
$$;

revoke all on function close_lane from public;
grant execute on function close_lane to kabari_app;
