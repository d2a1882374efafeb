-- Freezes a wallet, or lets it go on: from a frozen one nothing is accepted and nothing paid out. What
-- was accepted before is sent and settled. Answers whether anything changed; null when there is no such
-- wallet, or the account has ended. Called by setWalletFrozen. Locks the wallet.
create or replace function set_wallet_frozen(p_account uuid, p_frozen boolean) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  w wallets%rowtype;
begin
  if not sees_all() then
    raise exception 'wallets are frozen by work over all accounts only' using errcode = '42501';
  end if;
  select * into w from wallets where account_id = p_account for no key update;
  if not found or w.status = 'closed' then
    return null;
  end if;
  if (w.status = 'frozen') = p_frozen then
    return false;
  end if;
  update wallets set status = case when p_frozen then 'frozen' else 'active' end
    where account_id = p_account;
  return true;
end
$$;

revoke all on function set_wallet_frozen from public;
grant execute on function set_wallet_frozen to kabari_app;
