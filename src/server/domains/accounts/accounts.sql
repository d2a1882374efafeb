-- The installation's own account.
-- Called by functions that tell operators something; only the owner may call it. Locks nothing.
create or replace function system_account() returns uuid
language sql stable set search_path = public, pg_temp as $$
  select account_id from accounts where is_system
$$;

revoke all on function system_account from public;

-- Numbers that people had before: what the installation wrote to them is erased with their account.
-- Called by the trigger when a number leaves user_phones; not while its account is erased.
create or replace function record_former_phone() returns trigger language plpgsql as $$
begin
  -- If each node has a row, only the node that received the call writes it.
  if starts_with(current_setting('application_name'), 'citus_internal') then
    return null;
  end if;
  insert into former_phones (account_id, phone)
    select a.account_id, old.phone from accounts a
    where a.account_id = old.account_id and a.closed_at is null
    on conflict (account_id, phone) do nothing;
  return null;
end
$$;

create or replace trigger user_phone_left after delete on user_phones
  for each row execute function record_former_phone();

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

-- Refuses to erase anything of an account that is not closed (42501); then `app.erasing` names the
-- account until the transaction ends. Called by the functions that erase; only the owner may call
-- it.
create or replace function begin_erasing(p_account uuid) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if not exists (
    select from accounts where account_id = p_account and closed_at is not null and not is_system
  ) then
    raise exception 'account % is not closed', p_account using errcode = '42501';
  end if;
  perform set_config('app.erasing', p_account::text, true);
end
$$;

revoke all on function begin_erasing from public;
