-- The gateway cannot give the money of a refund back: somebody has to transfer it.
-- Called by payments/gateways/refund. Locks the refund.
create or replace function refund_by_hand(p_account uuid, p_refund uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update refunds set way = 'manual'
    where account_id = p_account and refund_id = p_refund and status = 'open';
end
$$;

revoke all on function refund_by_hand from public;
grant execute on function refund_by_hand to kabari_app;
