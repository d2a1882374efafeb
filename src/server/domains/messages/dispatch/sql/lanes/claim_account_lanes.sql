-- Takes those of an account's lanes that still have work and no living owner. Every claim raises the
-- epoch.
-- Called by every worker that has room, for the lanes it saw due. Locks the lanes it takes; those that
-- others hold, or whose messages an owner is just changing, are skipped.
create or replace function claim_account_lanes(
  p_account uuid, p_token uuid[], p_owner uuid, p_lease interval
) returns table (o_token uuid, o_epoch bigint)
language plpgsql security definer set search_path = public, pg_temp set enable_seqscan = off as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  return query
  update lanes l
    set owner = p_owner, epoch = l.epoch + 1, lease_until = v_now + p_lease
    from (
      select token_id from lanes
      where account_id = p_account and token_id = any (p_token) and ready_at <= v_now
        and (lease_until is null or lease_until < v_now)
      order by token_id for update skip locked
    ) due
    where l.account_id = p_account and l.token_id = due.token_id
    returning l.token_id, l.epoch;
end
$$;

revoke all on function claim_account_lanes from public;
grant execute on function claim_account_lanes to kabari_app;
