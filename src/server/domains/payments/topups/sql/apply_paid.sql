-- What nodes of the version before call: one payment (apply_payments). To be dropped with the next version.
create or replace function apply_paid(
  p_account uuid, p_topup uuid, p_txn text, p_amount bigint, p_at timestamptz, p_actor text,
  p_by_hand boolean default false, p_note text default null
) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return (apply_payments(
    array[p_account], array[p_topup], array[p_txn], array[p_amount], array[p_at], array[p_actor],
    array[p_note], p_by_hand
  ))[1];
end
$$;

revoke all on function apply_paid from public;
grant execute on function apply_paid to kabari_app;
