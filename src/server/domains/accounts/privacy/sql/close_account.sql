-- Closes an account whose time has come: nothing is accepted for it any more, and no lane of it
-- sends. False when it was called off meanwhile, or is closed already.
-- Called by the erasure job. Locks the wallet (what was being accepted stands before, everything
-- later is refused), then the account and its lanes.
create or replace function close_account(p_account uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  -- The wallet's lock: what was being accepted stands before, everything later is refused.
  perform 1 from wallets where account_id = p_account for no key update;
  update accounts set status = 'closed', closed_at = statement_timestamp()
    where account_id = p_account and erase_at <= statement_timestamp() and closed_at is null
      and not is_system;
  if not found then
    return false;
  end if;
  update wallets set status = 'closed' where account_id = p_account;
  update lanes set epoch = epoch + 1, owner = null, lease_until = null
    where account_id = p_account;
  return true;
end
$$;

revoke all on function close_account from public;
grant execute on function close_account to kabari_app;
