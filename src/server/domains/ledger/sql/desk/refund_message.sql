-- The price of one message back to the saldo, whole or in part, once for each message. Answers:
-- applied: booked
-- done_before: this message was refunded before
-- over: more than was captured for it (also when nothing was)
-- closed: the account has ended
-- Called by apply_adjustment. Locks the wallet, so that two refunds of one message take turns.
create or replace function refund_message(
  p_account uuid, p_message uuid, p_amount bigint, p_adjustment uuid, p_actor text, p_memo text
) returns text
language plpgsql as $$
declare
  w wallets%rowtype;
  v_captured bigint;
begin
  select * into w from wallets where account_id = p_account for no key update;
  if not found or w.status = 'closed' then
    return 'closed';
  end if;
  if exists (select from wallet_entries
      where account_id = p_account and idem_key = 'refund:' || p_message) then
    return 'done_before';
  end if;
  select case charge_state when 'captured' then price else 0 end into v_captured
    from messages where account_id = p_account and message_id = p_message;
  if p_amount > coalesce(v_captured, 0) then
    return 'over';
  end if;
  perform post_entry(p_account, 'refund', p_amount, 'rev:message', 'adjustment',
    p_adjustment::text, 'refund:' || p_message, p_actor, p_memo);
  return 'applied';
end
$$;

revoke all on function refund_message from public;
