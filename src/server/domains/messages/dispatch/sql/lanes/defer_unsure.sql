-- Messages that may have left, of a lane whose number stands still for p_ms: each is tried after all that was never tried, and what was
-- tried least before the rest, so that an outage is found out by as many different messages as there are. p_ms null: the
-- number sends again; it is due as soon as its receipt was awaited in vain.
-- Called by a lane's owner. Locks the lane (share), then the rows. Raises LN001 when the lane was lost.
create or replace function defer_unsure(p_account uuid, p_token uuid, p_epoch bigint, p_ms int)
returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform fence_lane(p_account, p_token, p_epoch);
  update dispatch d
    set ready_at = case when p_ms is null then greatest(least(d.ready_at, v_now), d.unsure_until)
      else greatest(d.ready_at, v_now + (p_ms + d.attempt * 2000) * interval '1 millisecond') end
    where d.account_id = p_account and d.token_id = p_token and d.state = 'unknown';
end
$$;

revoke all on function defer_unsure from public;
grant execute on function defer_unsure to kabari_app;
