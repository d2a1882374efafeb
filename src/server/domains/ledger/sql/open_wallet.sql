-- Opens an account's wallet, empty; a second time changes nothing. Called by openWallet when an
-- account is opened. Locks nothing that exists.
create or replace function open_wallet(p_account uuid) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into wallets (account_id) values (p_account) on conflict do nothing;
$$;

revoke all on function open_wallet from public;
grant execute on function open_wallet to kabari_app;
