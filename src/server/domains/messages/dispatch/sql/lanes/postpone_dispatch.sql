-- Puts messages back for another try: `ready` after a definite "later", `unknown` when no answer
-- came. `held`: refused for no fault of its own, so that its tries never run out. `probed`: no answer came to the message that a number which stood still was tried with; what it
-- tells is that the network is still silent, so the first of these do not end the message. Called by a lane's owner. Locks the lane (share), then the rows. Raises LN001 when the lane
-- was lost.
create or replace function postpone_dispatch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_state text[], p_after_ms int[], p_detail text[]
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform fence_lane(p_account, p_token, p_epoch);
  with back as (
    update dispatch d
      set state = case i.state when 'held' then 'ready' when 'probed' then 'unknown' else i.state end,
        ready_at = v_now + i.after_ms * interval '1 millisecond',
        attempt = case i.state when 'held' then least(d.attempt, 5) else d.attempt end,
        unknowns = case
          when i.state = 'unknown' or (i.state = 'probed' and d.attempt > 3) then d.unknowns + 1
          when i.state = 'probed' then greatest(d.unknowns, 1)
          else d.unknowns end,
        unsure_until = case when i.state in ('unknown', 'probed')
          then v_now + i.after_ms * interval '1 millisecond' else d.unsure_until end
      from unnest(p_id, p_state, p_after_ms) as i(id, state, after_ms)
      where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
        and d.state = 'sending'
      returning d.message_id, d.attempt, d.state
  )
  insert into message_events (account_id, message_id, kind, n, detail)
    select p_account, b.message_id, case b.state when 'unknown' then 'unknown' else 'retrying' end,
      b.attempt, i.detail
    from back b join unnest(p_id, p_detail) as i(id, detail) on i.id = b.message_id
    on conflict do nothing;
end
$$;

revoke all on function postpone_dispatch from public;
grant execute on function postpone_dispatch to kabari_app;
