-- Money that was owed has been paid out, by the gateway or by hand; false when it was before.
-- Called by payments/gateways/refund. Locks the refund. Raises 42501 when called for one account only.
create or replace function finish_refund(
  p_account uuid, p_refund uuid, p_cash text, p_way text, p_reference text, p_at timestamptz
) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  r refunds%rowtype;
begin
  if not sees_all() then
    raise exception 'refunds are booked by work over all accounts only' using errcode = '42501';
  end if;
  select * into strict r from refunds where account_id = p_account and refund_id = p_refund for update;
  if r.status = 'done' then
    return false;
  end if;
  update refunds set status = 'done', way = p_way, reference = p_reference, done_at = p_at
    where account_id = p_account and refund_id = p_refund;
  perform post_gl(p_account, gen_random_uuid(), 'refunded:' || p_refund, 'refund_paid',
    array['liab:refund', p_cash], array[r.amount, -r.amount]);
  return true;
end
$$;

revoke all on function finish_refund from public;
grant execute on function finish_refund to kabari_app;
