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
