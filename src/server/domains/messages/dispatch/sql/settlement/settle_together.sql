-- settle_messages for many accounts, none of which may be held for long: waits 100 ms for a lock, so that one
-- account that is held delays no other (55P03 after that: the caller then goes account by account).
-- Called by the settling of results and receipts.
create or replace function settle_together(
  p_account uuid[], p_token uuid[], p_epoch bigint[],
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
) returns table (o_id uuid, o_answer text)
language sql security definer set search_path = public, pg_temp set lock_timeout = '100ms' as $$
select * from settle_messages(
  p_account, p_token, p_epoch, p_id, p_outcome, p_failure, p_at, p_duplicate
)
$$;

revoke all on function settle_together from public;
grant execute on function settle_together to kabari_app;
