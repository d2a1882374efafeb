-- Whoever stores an opt-out holds these until COMMIT: what is accepted at the same moment is committed before, and
-- withdraw_opted_out sees it, or is judged after, and sees the opt-out.
-- Called first in a transaction that may store one. Locks the account's statuses, then its wallet, as settling does.
create or replace function lock_optouts(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform lock_statuses(array[p_account]);
  perform from wallets where account_id = p_account for no key update;
end
$$;

revoke all on function lock_optouts from public;
grant execute on function lock_optouts to kabari_app;
