-- The saldo that may be spent, the wallet's status, and whether it holds the welcome bonus alone: they stay so until the transaction ends.
-- Called before a charge that must not be more than the saldo. Locks the wallet.
create or replace function lock_wallet(p_account uuid)
returns table (o_available bigint, o_status text, o_bonus_only boolean)
language sql security definer set search_path = public, pg_temp as $$
  select available, status, bonus_only from wallets where account_id = p_account for no key update;
$$;

revoke all on function lock_wallet from public;
grant execute on function lock_wallet to kabari_app;
