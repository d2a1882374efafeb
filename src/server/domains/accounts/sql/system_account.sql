-- The installation's own account.
-- Called by functions that tell operators something; only the owner may call it. Locks nothing.
create or replace function system_account() returns uuid
language sql stable set search_path = public, pg_temp as $$
  select account_id from accounts where is_system
$$;

revoke all on function system_account from public;
