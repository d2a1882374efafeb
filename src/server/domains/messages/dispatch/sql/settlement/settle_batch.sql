-- What became of messages of one account, as settle_messages has it, with one epoch for all. Answers the
-- messages whose status changed.
-- Called by withdraw_messages, and by the release before. Raises LN001 when the lane is another worker's.
create or replace function settle_batch(
  p_account uuid, p_token uuid, p_epoch bigint,
  p_id uuid[], p_outcome text[], p_failure text[], p_at timestamptz[], p_duplicate boolean[]
) returns table (o_id uuid, o_status text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if p_epoch is not null then
    perform fence_lane(p_account, p_token, p_epoch);
  end if;
  return query select s.o_id, s.o_answer from settle_messages(
      array_fill(p_account, array[cardinality(p_id)]), array_fill(p_token, array[cardinality(p_id)]),
      array_fill(p_epoch, array[cardinality(p_id)]), p_id, p_outcome, p_failure, p_at, p_duplicate
    ) s
    where s.o_answer not in ('unknown', 'lost', 'woken');
end
$$;

revoke all on function settle_batch from public;
grant execute on function settle_batch to kabari_app;
