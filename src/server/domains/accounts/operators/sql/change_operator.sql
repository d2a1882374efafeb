-- Gives an operator other roles; without roles, ends what they may do: their sessions are ended by the
-- caller of this, their number is free, and the name stays in what they did. Called by operators.ts. One
-- change of operators at a time: locks the installation's account. Answers `done`, or why not:
-- `not_allowed` when who asks is no admin any more, `not_found`, `last_admin` when nobody else could
-- sign in as an admin. An invited admin counts from the first sign-in on.
create or replace function change_operator(p_caller uuid, p_user uuid, p_roles text[])
returns text language plpgsql set search_path = public, pg_temp as $$
declare
  v_account uuid;
  v_roles text[];
begin
  select account_id into v_account from accounts where is_system for no key update;
  if not exists (
    select from users
    where account_id = v_account and user_id = p_caller and 'admin' = any (operator_roles)
  ) then
    return 'not_allowed';
  end if;
  select operator_roles into v_roles from users
  where account_id = v_account and user_id = p_user and removed_at is null;
  if not found then return 'not_found'; end if;
  if 'admin' = any (v_roles) and not 'admin' = any (p_roles) and not exists (
    select from users
    where account_id = v_account and user_id <> p_user and 'admin' = any (operator_roles)
      and (signed_in_at is not null or invited_until is null)
  ) then
    return 'last_admin';
  end if;
  if p_roles <> '{}' then
    update users set operator_roles = p_roles where account_id = v_account and user_id = p_user;
    return 'done';
  end if;
  update users set removed_at = statement_timestamp(), operator_roles = '{}', phone = '',
    password_hash = '', email = null, avatar_file = null, settings = '{}', invited_until = null
  where account_id = v_account and user_id = p_user;
  delete from user_phones where account_id = v_account and user_id = p_user;
  delete from otp_challenges where account_id = v_account and user_id = p_user;
  delete from password_grants where account_id = v_account and user_id = p_user;
  return 'done';
end
$$;

revoke all on function change_operator from public;
grant execute on function change_operator to kabari_app;
