-- One entry that an operator books by hand. Answers what came of it:
-- applied: booked, or booked before with the same key
-- short: the saldo does not reach; nothing is booked
-- frozen: money leaves no frozen wallet
-- closed: the account has ended
-- A payout (p_cash names where it leaves from) also books the cash against clearing.
-- Called by apply_adjustment. Locks the wallet. Raises as post_entry does.
create or replace function post_desk_entry(
  p_account uuid, p_kind text, p_delta bigint, p_contra text, p_cash text, p_adjustment uuid,
  p_actor text, p_memo text
) returns text
language plpgsql as $$
declare
  w wallets%rowtype;
  v_applied boolean;
begin
  select * into w from wallets where account_id = p_account for no key update;
  if not found or w.status = 'closed' then
    return 'closed';
  end if;
  if p_kind = 'payout' and w.status = 'frozen' then
    return 'frozen';
  end if;
  if w.available + p_delta < 0 then
    return 'short';
  end if;
  select o_applied into v_applied from post_entry(p_account, p_kind, p_delta, p_contra, 'adjustment',
    p_adjustment::text, 'adjustment:' || p_adjustment, p_actor, p_memo);
  if v_applied and p_cash is not null then
    perform post_gl(p_account, gen_random_uuid(), 'payout:' || p_adjustment, 'payout',
      array['clearing', p_cash], array[-p_delta, p_delta]);
  end if;
  return 'applied';
end
$$;

revoke all on function post_desk_entry from public;
