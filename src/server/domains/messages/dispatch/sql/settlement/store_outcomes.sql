-- Stores outcomes that could not be settled: the settling is tried again, never the sending. Their
-- messages are due again after p_rest_ms, for settling only; until a day has passed nothing else
-- ends them but a receipt.
-- Called by a lane's owner. Locks the lane (share), then the rows. Raises LN001 when the lane was
-- lost.
create or replace function store_outcomes(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_rest_ms int
) returns void
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off
set plan_cache_mode = force_generic_plan as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  perform fence_lane(p_account, p_token, p_epoch);
  update dispatch d
    set state = 'unknown', ready_at = v_now + p_rest_ms * interval '1 millisecond',
      unsure_until = case when d.outcome is null
        then v_now + interval '1 day' else d.unsure_until end,
      outcome = i.outcome, failure = i.failure, outcome_at = i.at
    from unnest(p_id, p_outcome, p_failure, p_at) as i(id, outcome, failure, at)
    where d.account_id = p_account and d.message_id = any (p_id) and d.message_id = i.id
      and d.state = 'sending';
end
$$;

revoke all on function store_outcomes from public;
grant execute on function store_outcomes to kabari_app;
