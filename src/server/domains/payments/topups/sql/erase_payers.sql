-- Takes the names of payers, and what operators noted, out of a closed account's top-ups. Amounts
-- stay. Called while an account is erased. Locks the rows it changes. Raises 42501 when the account
-- is not closed.
create or replace function erase_payers(p_account uuid) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform begin_erasing(p_account);
  update bank_lines set description = '', reference = ''
    where account_id = p_account and (description <> '' or reference <> '');
  update topups set note = null where account_id = p_account and note is not null;
  update topup_decisions set reason = '', reference = case when reference is not null then '' end
    where account_id = p_account and (reason <> '' or reference <> '');
  perform set_config('app.erasing', '', true);
end
$$;

revoke all on function erase_payers from public;
grant execute on function erase_payers to kabari_app;
