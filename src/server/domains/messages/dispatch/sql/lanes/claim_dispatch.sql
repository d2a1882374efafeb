-- Hands out the next messages of one lane, as claim_messages does: for the release before. Raises LN001
-- when the lane was lost.
create or replace function claim_dispatch(
  p_account uuid, p_token uuid, p_epoch bigint, p_limit int, p_urgent boolean default false,
  p_from text default null
) returns table (
  o_id uuid, o_peer text, o_type text, o_body jsonb, o_secret text, o_attempt int, o_unknowns int,
  o_expired boolean, o_unsure_ms int
)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform fence_lane(p_account, p_token, p_epoch);
  return query
  select c.o_id, c.o_peer, c.o_type, c.o_body, c.o_secret, c.o_attempt, c.o_unknowns, c.o_expired,
    c.o_unsure_ms
  from claim_messages(
    array[1], array[p_account], array[p_token], array[p_epoch], array[p_limit], array[p_urgent],
    array[coalesce(p_from, (
      select phone from tokens where account_id = p_account and token_id = p_token
    ))]
  ) c
  where c.o_id is not null;
end
$$;

revoke all on function claim_dispatch from public;
grant execute on function claim_dispatch to kabari_app;
