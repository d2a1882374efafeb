-- Takes up to p_limit lanes that have work and no living owner. Every claim raises the epoch.
-- Called by workers of the release before. Locks the lanes it takes; those that others hold are
-- skipped.
create or replace function claim_lanes(p_owner uuid, p_limit int, p_lease interval)
returns table (o_account uuid, o_token uuid, o_epoch bigint)
language sql security definer set search_path = public, pg_temp as $$
  update lanes l
    set owner = p_owner, epoch = l.epoch + 1, lease_until = clock_timestamp() + p_lease
    from (
      select account_id, token_id from lanes
      where ready_at <= clock_timestamp()
        and (lease_until is null or lease_until < clock_timestamp())
      order by ready_at limit p_limit for update skip locked
    ) due
    where l.account_id = due.account_id and l.token_id = due.token_id
    returning l.account_id, l.token_id, l.epoch;
$$;

revoke all on function claim_lanes from public;
grant execute on function claim_lanes to kabari_app;
