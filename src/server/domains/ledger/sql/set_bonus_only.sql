-- Whether a wallet's saldo is the welcome bonus alone, which pays for the simulator and the account's own
-- number only. A first top-up ends it (post_entry), and so does an operator.
-- Called when the bonus is given, and when an operator approves of its use. Locks the wallet.
create or replace function set_bonus_only(p_account uuid, p_on boolean) returns void
language sql security definer set search_path = public, pg_temp as $$
  update wallets set bonus_only = p_on where account_id = p_account and bonus_only <> p_on;
$$;

revoke all on function set_bonus_only from public;
grant execute on function set_bonus_only to kabari_app;
